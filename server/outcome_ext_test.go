package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
)

// TestOutcomes has an effect end in every way, and looks at what becomes of it: the answer, and a second call.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	unavailable := errs.MustDefine("bank_unreachable", errs.AsIs)
	lost := errors.New(secret)
	unknown := said{errs.CodeOutcomeUnknown, errs.EffectUnknown}
	found := func(_ context.Context, _ *server.Op, in in) (server.Recovered[out], error) {
		return server.Committed(out(in)), nil
	}
	notFound := func(context.Context, *server.Op, in) (server.Recovered[out], error) {
		return server.NotFound[out](), nil
	}
	broken := func(context.Context, *server.Op, in) (server.Recovered[out], error) {
		return server.Committed(out{}), lost
	}
	tests := []struct {
		name    string
		err     func(op *server.Op) error
		recover func(context.Context, *server.Op, in) (server.Recovered[out], error)
		said    said
		status  codes.Code
		effects int // after a second call
	}{
		{"lost, cannot look", func(*server.Op) error { return lost }, nil, unknown, codes.Unknown, 1},
		{"lost, found", func(*server.Op) error { return lost }, found, said{}, codes.OK, 1},
		{"lost, not found", func(*server.Op) error { return lost }, notFound, unknown, codes.Unknown, 1},
		{"lost, looking fails", func(*server.Op) error { return lost }, broken, unknown, codes.Unknown, 1},
		{"typed, not stated", func(*server.Op) error { return stale.New() }, notFound, unknown, codes.Unknown, 1},
		{
			"typed, stated", func(op *server.Op) error { return op.NotApplied(stale.New()) }, found,
			said{"slot_stale", errs.EffectNone},
			codes.FailedPrecondition, 2,
		},
		{
			"stated in a wrap", func(op *server.Op) error { return fmt.Errorf("booking: %w", op.NotApplied(stale.New())) }, found,
			said{"slot_stale", errs.EffectNone},
			codes.FailedPrecondition, 2,
		},
		{
			"stated beside another", func(op *server.Op) error { return errors.Join(op.NotApplied(stale.New()), lost) }, notFound,
			unknown, codes.Unknown, 1,
		},
		{"stated by another operation", func(*server.Op) error { return (&server.Op{}).NotApplied(stale.New()) }, nil, unknown, codes.Unknown, 1},
		{
			"stated against itself", func(op *server.Op) error { return op.NotApplied(&errs.OutcomeUnknownError{Tool: "x"}) }, nil,
			unknown, codes.Unknown, 1,
		},
		{
			"plain, stated", func(op *server.Op) error { return op.NotApplied(lost) }, nil,
			said{errs.CodeInternal, errs.EffectNone},
			codes.Internal, 2,
		},
		{
			"nothing, stated", func(op *server.Op) error { return op.NotApplied(nil) }, nil,
			said{errs.CodeInternal, errs.EffectNone},
			codes.Internal, 2,
		},
		{
			"unavailable, stated", func(op *server.Op) error { return op.NotApplied(unavailable.New()) }, nil,
			said{"bank_unreachable", errs.EffectNone},
			codes.Aborted, 2,
		},
		{
			"overloaded, stated", func(op *server.Op) error {
				return op.NotApplied(&errs.ServiceError{Code: errs.CodeOverloaded, RetryAfter: time.Minute})
			}, nil, said{"not_applied", errs.EffectNone}, codes.Aborted, 2,
		},
		{
			"timeout, stated", func(op *server.Op) error { return op.NotApplied(&errs.OperationTimeoutError{Operation: "x"}) }, nil,
			said{"not_applied", errs.EffectNone},
			codes.Aborted, 2,
		},
		{
			"canceled, stated", func(op *server.Op) error { return op.NotApplied(context.Canceled) }, nil,
			said{"not_applied", errs.EffectNone},
			codes.Aborted, 2,
		},
		{
			"aborted, stated", func(op *server.Op) error { return op.NotApplied(&errs.AbortedError{RunID: "r"}) }, nil,
			said{errs.CodeInternal, errs.EffectNone},
			codes.Internal, 2,
		},
		{
			"a status, stated", func(op *server.Op) error { return op.NotApplied(status.Error(codes.Unavailable, secret)) }, nil,
			said{errs.CodeInternal, errs.EffectNone},
			codes.Internal, 2,
		},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var returned error
			s := script{recover: test.recover}
			s.effect = func(_ context.Context, op *server.Op, _ in) (out, error) {
				returned = test.err(op)
				return out{}, returned
			}
			srv := s.server(t)
			_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
			if got := saidBy(err); got != test.said || status.Code(err) != test.status {
				t.Errorf("got %+v, %v (%v), want %+v, %v", got, status.Code(err), err, test.said, test.status)
			}
			if err != nil {
				if cause := errors.Unwrap(errors.Unwrap(returned)); cause != nil && !errors.Is(err, cause) {
					t.Errorf("%v is not matched in %v", cause, err)
				}
				if info := errs.InfoOf(err); info.OperationID == "" || info.OperationKey != "k" {
					t.Errorf("got %+v", info)
				}
			}
			if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != test.said {
				t.Errorf("again: got %v", err)
			}
			if got := s.count("effect"); got != test.effects {
				t.Errorf("the effect was called %d times, want %d", got, test.effects)
			}
		})
	}
}

// TestAbortedIsMatched has an error that must not be sent past the boundary still matched in this process.
func TestAbortedIsMatched(t *testing.T) {
	t.Parallel()
	s := script{effect: func(_ context.Context, op *server.Op, _ in) (out, error) {
		return out{}, op.NotApplied(&errs.AbortedError{RunID: "r"})
	}}
	_, err := call(t.Context(), s.server(t), "k", `{"id":"a"}`)
	if e, ok := errors.AsType[*errs.AbortedError](err); !ok || e.RunID != "r" {
		t.Errorf("got %v", err)
	}
}

func TestNotAppliedKeepsTheDelay(t *testing.T) {
	t.Parallel()
	s := script{effect: func(_ context.Context, op *server.Op, _ in) (out, error) {
		return out{}, op.NotApplied(&errs.ServiceError{Code: errs.CodeOverloaded, RetryAfter: time.Minute})
	}}
	client, _ := serve(t, s.server(t))
	_, err := client.CallTool(t.Context(), request("k", `{"id":"a"}`))
	if after, ok := errs.RetryAfterOf(err); !ok || after != time.Minute || errs.RetryOf(err) != errs.AsIs {
		t.Errorf("got %v", err)
	}
	if !errors.Is(err, errs.CodeOverloaded) {
		t.Errorf("the cause did not travel: %v", err)
	}
}

func TestVerification(t *testing.T) {
	t.Parallel()
	lost := errors.New(secret)
	tests := []struct {
		name    string
		verdict server.Verdict
		err     error
		reason  string // empty where it is verified
	}{
		{"verified", server.Verified, nil, ""},
		{"superseded", server.Superseded, nil, ""},
		{"not verified", server.NotVerified(secret), nil, "not_verified"},
		{"not verified, without a reason", server.NotVerified(""), nil, "not_verified"},
		{"no verdict", "", nil, "unavailable"},
		{"made up", "maybe", nil, "unavailable"},
		{"fails", server.Verified, lost, "unavailable"},
		{"fails, typed", "", stale.New(), "unavailable"},
		{"canceled", "", context.Canceled, "unavailable"},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := script{verify: func(_ context.Context, _ *server.Op, in in, o out) (server.Verdict, error) {
				if o != (out{ID: "a", N: 7}) || in.ID != "a" {
					t.Errorf("verify got %+v, %+v", in, o)
				}
				return test.verdict, test.err
			}}
			srv := s.server(t)
			for _, replayed := range []bool{false, true} {
				result, err := call(t.Context(), srv, "k", `{"id":"a","n":7}`)
				if test.reason == "" {
					if err != nil || !result.Verified || result.Replayed != replayed {
						t.Errorf("got %+v, %v", result, err)
					}
					continue
				}
				e, ok := errors.AsType[*errs.VerificationError](err)
				if !ok || e.Reason != test.reason || e.OperationKey != "k" || e.OperationID == "" || e.Tool != "t" {
					t.Errorf("got %+v, %v", e, err)
				}
				const unavailable = "The call ran; its result could not be verified. ["
				if strings.HasPrefix(errs.Message(err), unavailable) != (test.reason == "unavailable") {
					t.Errorf("got %v", err)
				}
				if test.err != nil && !errors.Is(err, test.err) {
					t.Errorf("the cause is not matched in %v", err)
				}
			}
			if got := s.count("effect"); got != 1 {
				t.Errorf("the effect was called %d times", got)
			}
		})
	}
}

func TestNotVerifiedWithoutVerify(t *testing.T) {
	t.Parallel()
	var s script
	if result, err := call(t.Context(), s.server(t), "k", `{"id":"a"}`); err != nil || result.Verified {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestImmediate(t *testing.T) {
	t.Parallel()
	effects := 0
	tool := server.NewTool("t", "Does something.", server.Tool[in, out]{
		Immediate: func(_ context.Context, op *server.Op, in in) (out, error) {
			effects++
			if in.N == 1 {
				return out{}, op.NotApplied(stale.New())
			}
			return out(in), nil
		},
	})
	srv := newServer(t, []*server.AnyTool{tool})
	if _, err := call(t.Context(), srv, "k", `{"id":"a","n":1}`); saidBy(err) != (said{"slot_stale", errs.EffectNone}) {
		t.Errorf("got %v", err)
	}
	for range 2 {
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil {
			t.Error(err)
		}
	}
	if effects != 2 {
		t.Errorf("the effect was called %d times", effects)
	}
}

// TestNothingReturned has an Execute that forgets its effect.
func TestNothingReturned(t *testing.T) {
	t.Parallel()
	tool := server.NewTool("t", "Does something.", server.Tool[in, out]{
		Execute: func(context.Context, *server.Op, in) (server.Effect[out], error) { return nil, nil }, //nolint:nilnil // the mistake
	})
	_, err := call(t.Context(), newServer(t, []*server.AnyTool{tool}), "k", `{"id":"a"}`)
	if got := saidBy(err); got != (said{errs.CodeInternal, errs.EffectNone}) {
		t.Errorf("got %v", err)
	}
}
