package vector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// JSON writes a message as protojson with the white space of encoding/json; protojson's own changes from build to build.
func JSON(m proto.Message) (json.RawMessage, error) {
	text, err := protojson.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("writing %T: %w", m, err)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return nil, fmt.Errorf("writing %T: %w", m, err)
	}
	return b.Bytes(), nil
}

// parse reads protojson; no text is the empty message.
func parse(text json.RawMessage, m proto.Message) error {
	if len(text) == 0 {
		return nil
	}
	if err := protojson.Unmarshal(text, m); err != nil {
		return fmt.Errorf("reading %T: %w", m, err)
	}
	return nil
}

// identity makes an empty remedy.v1.<class>.
func identity(class string) (proto.Message, error) {
	name := protoreflect.FullName("remedy.v1." + class)
	kind, err := protoregistry.GlobalTypes.FindMessageByName(name)
	if err != nil {
		return nil, fmt.Errorf("class %q is not a message of remedy.v1: %w", class, err)
	}
	return kind.New().Interface(), nil
}

// duration reads a google.protobuf.Duration in its JSON form.
func duration(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	var d durationpb.Duration
	quoted, err := json.Marshal(text)
	if err != nil {
		return 0, fmt.Errorf("reading duration: %w", err)
	}
	err = parse(quoted, &d)
	return d.AsDuration(), err
}

// durationText writes one.
func durationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	text, err := protojson.Marshal(durationpb.New(d))
	if err != nil {
		return err.Error()
	}
	return strings.Trim(string(text), `"`)
}

// word is the short name of an enum value in lower case; empty for the zero value.
func word(value fmt.Stringer, prefix string) string {
	s := strings.ToLower(strings.TrimPrefix(value.String(), prefix))
	if s == "unspecified" {
		return ""
	}
	return s
}

// number is the number of an enum value by its short name. A value of a later version has no name and is written as its
// number; everything else is zero.
func number(values map[string]int32, prefix, short string) int32 {
	if n, err := strconv.ParseInt(short, 10, 32); err == nil {
		return int32(n)
	}
	return values[prefix+strings.ToUpper(short)]
}

func timeOf(ts *timestamppb.Timestamp) time.Time {
	if ts == nil {
		return time.Time{}
	}
	return ts.AsTime()
}

func timestampOf(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
