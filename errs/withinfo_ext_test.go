package errs_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

// call is all that an error can say of its call.
var call = errs.Info{
	Tool: "cancel_order", OperationKey: "key-9", OperationID: "op-9", RunID: "run-9", ErrorID: "err-9", Effect: errs.EffectNone,
}

// TestWithInfo annotates every error: built, received, wrapped, and as a status.
func TestWithInfo(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			before := marshal(t, s.err.GRPCStatus())
			received := overWire(t, s.err)
			want := call
			want.Domain = errs.InfoOf(s.err).Domain
			if proven := errs.EffectOf(s.err); proven != errs.EffectUnspecified {
				want.Effect = proven // what an error proves by itself stays
			}
			forms := map[string]error{
				"built": s.err, "wrapped": fmt.Errorf("x: %w", s.err), "received": received, "received, wrapped": fmt.Errorf("x: %w", received),
				"a status": s.err.GRPCStatus().Err(), "joined": errors.Join(errors.New("plain"), s.err),
			}
			if _, declared := s.err.(errs.Declared); declared && want.Effect == errs.EffectApplied {
				delete(forms, "received") // its effect is the proto's in process only: any domain may be relayed by a boundary
				delete(forms, "received, wrapped")
				delete(forms, "a status")
			}
			for form, err := range forms {
				got := errs.WithInfo(err, call)
				if s.name == "declared, maximal" { // it fits alone, and not with everything that can be said of a call
					if !errs.InfoOf(overWire(t, got)).Truncated || !asOwn(overWire(t, got), s.err) {
						t.Errorf("%s: got %+v", form, errs.InfoOf(overWire(t, got)))
					}
					continue
				}
				if info := errs.InfoOf(got); info != want {
					t.Errorf("%s: got %+v, want %+v", form, info, want)
				}
				if info := errs.InfoOf(overWire(t, got)); info != want {
					t.Errorf("%s, after the wire: got %+v, want %+v", form, info, want)
				}
				if !asOwn(got, s.err) || !asOwn(overWire(t, got), s.err) {
					t.Errorf("%s: the type is lost: %T", form, got)
				}
				if form != "built" && form != "received" && !errors.Is(got, err) {
					t.Errorf("%s: what it was wrapped in does not match any more", form)
				}
				if errs.Message(got) != s.err.Error() {
					t.Errorf("%s: message %q", form, got)
				}
			}
			if !bytes.Equal(marshal(t, s.err.GRPCStatus()), before) {
				t.Error("the error itself has changed")
			}
		})
	}
}

func TestWithInfoKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	first := errs.WithInfo(slotStale.New(), errs.Info{OperationKey: "key-1", RunID: "run-1"})
	for name, err := range map[string]error{"built": first, "received": overWire(t, first)} {
		got := errs.InfoOf(errs.WithInfo(err, errs.Info{OperationKey: "key-2", OperationID: "op-2"}))
		want := errs.Info{OperationKey: "key-2", OperationID: "op-2", RunID: "run-1", Domain: "tool.remedy.v1"}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		got = errs.InfoOf(errs.WithInfo(err, errs.Info{Domain: "other", Truncated: true}))
		if got.Domain != "tool.remedy.v1" || got.Truncated {
			t.Errorf("%s: domain or truncated were changed: %+v", name, got)
		}
	}
	plain := errors.New("plain")
	foreign := status.Error(codes.NotFound, "no")
	typedNil := (*errs.ToolError)(nil)
	for _, err := range []error{plain, foreign, typedNil, errs.Code("some_code")} {
		if got := errs.WithInfo(err, call); got != err { //nolint:errorlint // exactly this value
			t.Errorf("%T: got %T, want the same value", err, got)
		}
	}
	if errs.WithInfo(nil, call) != nil {
		t.Error("nil is not nil")
	}
	// An effect that only the boundary stated can be changed by the next boundary; a proven one cannot.
	stated := overWire(t, errs.WithInfo(&errs.ServiceError{Code: errs.CodeOverloaded}, errs.Info{Effect: errs.EffectNone}))
	if got := errs.EffectOf(errs.WithInfo(stated, errs.Info{Effect: errs.EffectUnknown})); got != errs.EffectUnknown {
		t.Errorf("stated: got %s", got)
	}
	proven := overWire(t, &errs.VerificationError{Tool: "x"})
	if got := errs.EffectOf(errs.WithInfo(proven, errs.Info{Effect: errs.EffectNone})); got != errs.EffectApplied {
		t.Errorf("proven: got %s", got)
	}
}

// TestWithInfoOfAJoin annotates the head and keeps the others as causes.
func TestWithInfoOfAJoin(t *testing.T) {
	t.Parallel()
	err := errors.Join(&errs.AuthorizationError{Tool: "x"}, &errs.VerificationError{Tool: "x"})
	got := overWire(t, errs.WithInfo(err, call))
	if errs.CodeOf(got) != errs.CodeVerificationFailed || errs.InfoOf(got).OperationID != "op-9" ||
		!errors.Is(got, errs.CodeAuthorizationDenied) {
		t.Errorf("got %v, %+v", got, errs.InfoOf(got))
	}
}

// TestWithInfoOfWhatWasEncoded: an outer interceptor annotates what an inner one returned.
func TestWithInfoOfWhatWasEncoded(t *testing.T) {
	t.Parallel()
	inner := errors.New("plain")
	declared := shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: "a"})
	for name, err := range map[string]error{"hidden": inner, "wrapped": fmt.Errorf("%w, %w", inner, declared)} {
		out := errs.Encoder{}.Encode(err, method, false)
		got := errs.WithInfo(out.Err, errs.Info{OperationID: "op-9"})
		if errs.CodeOf(got) != errs.CodeOf(out.Err) || errs.InfoOf(got).OperationID != "op-9" || errs.InfoOf(got).ErrorID != out.ErrorID {
			t.Errorf("%s: got %v, %+v", name, got, errs.InfoOf(got))
		}
		if !errors.Is(got, inner) || is[*shopv1.SlotStaleError](got) != is[*shopv1.SlotStaleError](err) {
			t.Errorf("%s: %T does not match any more", name, got)
		}
	}
}

// TestWithInfoKeepsDetailsItDoesNotKnow: a received error of a later version is annotated, not rewritten.
func TestWithInfoKeepsDetailsItDoesNotKnow(t *testing.T) {
	t.Parallel()
	unknown := &anypb.Any{TypeUrl: "type.googleapis.com/remedy.v9.Later", Value: []byte{0xff, 0, 1}}
	identity := mustAny(t, &remedyv1.ToolError{Code: "slot_stale", Message: "Gone."})
	identity.Value = append(identity.Value, 0xa2, 0x06, 1, 'x') // field 100
	p := &spb.Status{Code: int32(codes.FailedPrecondition), Message: "Gone. [slot_stale; do not retry]", Details: []*anypb.Any{
		unknown,
		mustAny(t, &errdetails.ErrorInfo{
			Reason: "SLOT_STALE", Domain: "tool.remedy.v1", Metadata: map[string]string{"retry": "never", "later": "value"},
		}),
		identity,
	}}
	got := errs.ToStatus(errs.WithInfo(errs.FromStatus(status.FromProto(p)), errs.Info{RunID: "run-1"})).Proto()
	for i, detail := range got.GetDetails() {
		if i != 1 && !bytes.Equal(detail.GetValue(), p.GetDetails()[i].GetValue()) {
			t.Errorf("detail %d has changed", i)
		}
	}
	info := detailOf[*errdetails.ErrorInfo](t, status.FromProto(got))
	if info.GetMetadata()["later"] != "value" || info.GetMetadata()["runId"] != "run-1" {
		t.Errorf("got %v", info)
	}
}

// TestIdentifiersAreWholeOrMissing: the beginning of one would name something else.
func TestIdentifiersAreWholeOrMissing(t *testing.T) {
	t.Parallel()
	at := func(n int) string { return strings.Repeat("k", n) }
	tests := []struct {
		name string
		got  func(n int) string
		most int
	}{
		{"operation key", func(n int) string {
			return errs.InfoOf(errs.WithInfo(slotStale.New(), errs.Info{OperationKey: at(n)})).OperationKey
		}, 64},
		{"operation id", func(n int) string {
			return errs.InfoOf(errs.WithInfo(slotStale.New(), errs.Info{OperationID: at(n)})).OperationID
		}, 36},
		{"run id", func(n int) string { return errs.InfoOf(errs.WithInfo(slotStale.New(), errs.Info{RunID: at(n)})).RunID }, 36},
		{"error id", func(n int) string {
			return errs.InfoOf(errs.WithInfo(slotStale.New(), errs.Info{ErrorID: at(n)})).ErrorID
		}, 36},
		{"tool", func(n int) string { return errs.InfoOf(errs.WithInfo(slotStale.New(), errs.Info{Tool: at(n)})).Tool }, 64},
		{"key of a struct", func(n int) string {
			return as[*errs.OutcomeUnknownError](overWire(t, &errs.OutcomeUnknownError{OperationKey: at(n)})).OperationKey
		}, 64},
		{"id of a struct", func(n int) string { return as[*errs.AbortedError](overWire(t, &errs.AbortedError{RunID: at(n)})).RunID }, 36},
		{"confirmation id", func(n int) string {
			return as[*errs.ConfirmationError](
				overWire(t, &errs.ConfirmationError{Reason: errs.ConfirmationPending, ConfirmationID: at(n)}),
			).ConfirmationID
		}, 36},
	}
	for _, test := range tests {
		if got := test.got(test.most); got != at(test.most) {
			t.Errorf("%s of %d: got %q", test.name, test.most, got)
		}
		if got := test.got(test.most + 1); got != "" {
			t.Errorf("%s of %d: got %q, want nothing", test.name, test.most+1, got)
		}
	}
	for name, err := range map[string]error{
		"built":    errs.WithInfo(slotStale.New(), errs.Info{OperationKey: "bad \xff"}),
		"received": errs.WithInfo(overWire(t, slotStale.New()), errs.Info{OperationKey: "bad \xff"}),
	} {
		if info := errs.InfoOf(overWire(t, err)); info.OperationKey != "" || !info.Truncated {
			t.Errorf("%s: got %+v", name, info)
		}
	}
	// Without its key, a call is not keyed.
	long := &errs.OutcomeUnknownError{Tool: "x", Inferred: true, Keyed: true, OperationKey: at(65)}
	if long.RetryPolicy() != errs.Never {
		t.Error("as_is, with a key that the caller does not see")
	}
}
