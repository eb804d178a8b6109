package parse

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/genproto/googleapis/rpc/code"
	_ "google.golang.org/genproto/googleapis/rpc/errdetails" // the types a detail may have
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"

	_ "github.com/remedyrpc/remedy/gen/remedy/v1" // as above
)

// fromJSON reads google.rpc.Status in JSON, detail by detail, so that one that is not linked here loses only itself.
func fromJSON(input []byte) (*Input, error) {
	var outer struct {
		Code    json.RawMessage   `json:"code"`
		Message string            `json:"message"`
		Details []json.RawMessage `json:"details"`
	}
	if err := json.Unmarshal(input, &outer); err != nil {
		return nil, fmt.Errorf(`reading JSON: expected {"code": number, "message": string, "details": [{"@type": …}]}: %w`, err)
	}
	number, err := codeOf(outer.Code)
	if err != nil {
		return nil, fmt.Errorf("reading JSON: code: %w", err)
	}
	in := &Input{Status: &spb.Status{Code: number, Message: outer.Message}, Format: JSON}
	for i, text := range outer.Details {
		detail, err := detailOf(text)
		if err != nil {
			return nil, fmt.Errorf("reading JSON: details[%d]: %w", i, err)
		}
		in.Status.Details = append(in.Status.Details, detail)
	}
	return in, nil
}

// codeOf reads a status code: a number, or a name in any case.
func codeOf(text json.RawMessage) (int32, error) {
	word := strings.Trim(string(text), `"`)
	if word == "" || word == "null" {
		return 0, nil
	}
	if number, ok := code.Code_value[strings.ToUpper(word)]; ok {
		return number, nil
	}
	number, err := strconv.ParseFloat(word, 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) > math.MaxInt32 {
		return 0, errors.New("expected the number or the name of a google.rpc.Code")
	}
	return int32(number), nil
}

// detailOf reads one detail. One whose type is not linked here holds its JSON instead of bytes that nobody here could read
// either.
func detailOf(text json.RawMessage) (*anypb.Any, error) {
	var outer struct {
		Type  string  `json:"@type"`
		Value *string `json:"@value"`
	}
	if err := json.Unmarshal(text, &outer); err != nil || outer.Type == "" {
		return nil, errors.New(`expected an object with "@type", such as type.googleapis.com/google.rpc.ErrorInfo`)
	}
	if outer.Value != nil {
		value, err := base64.StdEncoding.DecodeString(*outer.Value)
		if err != nil {
			return nil, errors.New(`expected standard base64 in "@value"`)
		}
		return &anypb.Any{TypeUrl: outer.Type, Value: value}, nil
	}
	if !isLinked(outer.Type) {
		return &anypb.Any{TypeUrl: outer.Type, Value: text}, nil
	}
	detail := &anypb.Any{}
	options := protojson.UnmarshalOptions{DiscardUnknown: true, AllowPartial: true, Resolver: tolerant{protoregistry.GlobalTypes}}
	if err := options.Unmarshal(text, detail); err != nil {
		return nil, fmt.Errorf("it is no %s: %w", outer.Type, err)
	}
	return detail, nil
}

func isLinked(url string) bool {
	_, err := protoregistry.GlobalTypes.FindMessageByURL(url)
	return err == nil
}

// tolerant stands in for the types of causes that are not linked here, so that the causes around them can be read.
type tolerant struct {
	*protoregistry.Types
}

// FindMessageByURL returns a message without fields for a type that is not linked.
func (t tolerant) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	if kind, err := t.Types.FindMessageByURL(url); err == nil {
		return kind, nil
	}
	return opaque()
}

var opaque = sync.OnceValues(func() (protoreflect.MessageType, error) {
	name, syntax := "remedy/cli/opaque.proto", "proto3"
	pkg, message := "remedy.cli", "Opaque"
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: &name, Package: &pkg, Syntax: &syntax, MessageType: []*descriptorpb.DescriptorProto{{Name: &message}},
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("describing a message without fields: %w", err)
	}
	return dynamicpb.NewMessageType(file.Messages().Get(0)), nil
})
