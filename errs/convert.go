package errs

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// timestampOf leaves the zero time, and times that a Timestamp cannot hold, out.
func timestampOf(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	if ts := timestamppb.New(t); ts.IsValid() {
		return ts
	}
	return nil
}

func timeOf(ts *timestamppb.Timestamp) time.Time {
	if !ts.IsValid() {
		return time.Time{}
	}
	return ts.AsTime()
}

// enum finds the number of a value by its short name in lower case: zero for an empty one, a problem where there is none.
func (f *form) enum(field string, values map[string]int32, prefix, word string) int32 {
	if word == "" {
		return 0
	}
	number, ok := values[prefix+strings.ToUpper(word)]
	if !ok || number == 0 || word != strings.ToLower(word) {
		f.invalid(field + " has no value " + quoted(word))
		return 0
	}
	return number
}

// wordOf is the short name of an enum value in lower case; empty for the zero value.
func wordOf(value fmt.Stringer, prefix string) string {
	word := strings.ToLower(strings.TrimPrefix(value.String(), prefix))
	if word == "unspecified" {
		return ""
	}
	return word
}
