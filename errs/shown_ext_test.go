package errs_test

import (
	"errors"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

func ours(t *testing.T, message string, details ...proto.Message) *status.Status {
	t.Helper()
	p := &spb.Status{Code: 9, Message: message}
	for _, m := range append([]proto.Message{&errdetails.ErrorInfo{
		Reason: "SOME_CODE", Domain: "shop.v9", Metadata: map[string]string{"retry": "never"},
	}}, details...) {
		detail, err := anypb.New(m)
		if err != nil {
			t.Fatal(err)
		}
		p.Details = append(p.Details, detail)
	}
	return status.FromProto(p)
}

// TestReceivedMessagesAreShownClean has messages that somebody else wrote. The status itself is sent on as it came.
func TestReceivedMessagesAreShownClean(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Fine. [some_code; do not retry]":               "Fine. [some_code; do not retry]",
		"a\u202eb\x1b[2J\n c [some_code; do not retry]": "ab[2J c [some_code; do not retry]",
		"":             "some code. [some_code; do not retry]",
		"\u200b\u2066": "some code. [some_code; do not retry]",
		"Ä [x; y]":     "Ä [x; y]",
	} {
		st := ours(t, message)
		err := errs.FromStatus(st)
		if err.Error() != want {
			t.Errorf("%q is shown as %q, want %q", message, err, want)
		}
		if got := errs.ToStatus(err); got.Message() != message {
			t.Errorf("%q is sent on as %q", message, got.Message())
		}
	}
}

// TestReceivedCausesAreBounded has more causes than anybody sends.
func TestReceivedCausesAreBounded(t *testing.T) {
	t.Parallel()
	details := ours(t, "").Proto().GetDetails()
	node := func(below ...*remedyv1.Cause) *remedyv1.Cause {
		return &remedyv1.Cause{GrpcCode: 9, Message: "x", Details: details, Causes: below}
	}
	var causes []*remedyv1.Cause
	for range 5 {
		causes = append(causes, node(node(node(node()), node()), node(node(), node())))
	}
	got := countTyped(errs.FromStatus(ours(t, "m", &remedyv1.Causes{Causes: causes}))) - 1
	if got != 8 {
		t.Errorf("got %d causes, want 8", got)
	}
}

func countTyped(err error) int {
	n := 0
	if _, ok := err.(errs.Error); ok { //nolint:errorlint // this very error
		n++
	}
	if u, ok := err.(interface{ Unwrap() []error }); ok {
		for _, inner := range u.Unwrap() {
			n += countTyped(inner)
		}
	} else if inner := errors.Unwrap(err); inner != nil {
		n += countTyped(inner)
	}
	return n
}
