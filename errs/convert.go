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

// enumOf finds the number of a value by its short name in lower case; zero where there is none.
func enumOf(values map[string]int32, prefix, word string) int32 {
	return values[prefix+strings.ToUpper(word)]
}

// wordOf is the short name of an enum value in lower case; empty for the zero value.
func wordOf(value fmt.Stringer, prefix string) string {
	word := strings.ToLower(strings.TrimPrefix(value.String(), prefix))
	if word == "unspecified" {
		return ""
	}
	return word
}
