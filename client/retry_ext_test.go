package client_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/internal/tcptest"
)

// script is a connection that answers call after call, and keeps when they came and under which key. The last answer
// repeats; nil is a success.
type script struct {
	answers []error
	during  func(n int) // runs while call n, from 1, is under way
	times   []time.Time
	keys    map[string]bool
}

func (s *script) Invoke(ctx context.Context, _ string, request, reply any, _ ...grpc.CallOption) error {
	s.times = append(s.times, time.Now())
	if s.keys == nil {
		s.keys = map[string]bool{}
	}
	if call, ok := request.(*servicev1.CallToolRequest); ok {
		s.keys[call.GetOperationKey()] = true
		proto.Merge(reply.(*servicev1.CallToolResponse), output("{}"))
	}
	if s.during != nil {
		s.during(len(s.times))
	}
	if err := ctx.Err(); err != nil {
		return status.FromContextError(err).Err()
	}
	return s.answers[min(len(s.times), len(s.answers))-1]
}

func (s *script) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, status.Error(codes.Unimplemented, "no streams")
}

// gaps are the waits between the calls.
func (s *script) gaps() []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(s.times); i++ {
		gaps = append(gaps, s.times[i].Sub(s.times[i-1]))
	}
	return gaps
}

// received is what the wire makes of a typed error.
func received(err error) error { return errs.ToStatus(err).Err() }

func busy(after time.Duration) error {
	return received(&errs.ServiceError{Code: errs.CodeOverloaded, RetryAfter: after})
}

var (
	lost     = status.Error(codes.Unavailable, "error reading from server: EOF")
	shipped  = received(&errs.ToolError{Code: "order_already_shipped", Message: "Shipped orders cannot be cancelled."})
	behind   = received(&errs.OutcomeUnknownError{Tool: "pay", OperationKey: "k", Inferred: true, Keyed: true})
	reported = received(&errs.OutcomeUnknownError{Tool: "cancel_order", OperationID: "op-1"})
	stale    = received(&errs.ToolError{Code: "slot_stale", Message: "Stale.", Retry: errs.AfterRepair, Repair: errs.MustDefine(
		"slot_stale", errs.AfterRepair, errs.Headline("Stale."), errs.Steps(errs.ChangeInput("Choose another."))).New().Plan()})
)

func none(err error) error {
	return received(errs.WithInfo(errs.FromError(err), errs.Info{Effect: errs.EffectNone}))
}

// TestWhatIsRetried counts the calls that one Call makes.
func TestWhatIsRetried(t *testing.T) {
	t.Parallel()
	retry, ledger := client.WithRetry(client.Retry{}), client.WithLedger()
	once, ten := client.WithRetry(client.Retry{MaxAttempts: 1}), client.WithRetry(client.Retry{MaxAttempts: 10})
	type options []client.Option
	tests := []struct {
		name    string
		answers []error
		options options
		call    []client.CallOption
		calls   int
		code    errs.Code // of the error; empty for none, or for one that is not ours
		fails   bool
	}{
		{"nothing without the option", []error{busy(0)}, nil, nil, 1, errs.CodeOverloaded, true},
		{"as_is until it succeeds", []error{busy(0), busy(0), nil}, options{retry}, nil, 3, "", false},
		{"as_is until the last attempt", []error{busy(0)}, options{retry}, nil, 4, errs.CodeOverloaded, true},
		{"as many attempts as asked for", []error{busy(0)}, options{ten}, nil, 10, errs.CodeOverloaded, true},
		{"one attempt", []error{busy(0)}, options{once}, nil, 1, errs.CodeOverloaded, true},
		{"never", []error{shipped}, options{retry}, nil, 1, "order_already_shipped", true},
		{"after_repair", []error{stale}, options{retry}, nil, 1, "slot_stale", true},
		{"as_is, then never", []error{busy(0), shipped}, options{retry}, nil, 2, "order_already_shipped", true},
		{"lost", []error{lost}, options{retry}, nil, 1, errs.CodeOutcomeUnknown, true},
		{"lost, with a ledger", []error{lost, nil}, options{retry, ledger}, nil, 2, "", false},
		{"lost, with a ledger but without the option", []error{lost}, options{ledger}, nil, 1, errs.CodeOutcomeUnknown, true},
		{"lost for ever, with a ledger", []error{lost}, options{retry, ledger}, nil, 4, errs.CodeOutcomeUnknown, true},
		{"reported unknown, with a ledger", []error{reported}, options{retry, ledger}, nil, 1, errs.CodeOutcomeUnknown, true},
		{"unknown behind the service, without a ledger", []error{behind}, options{retry}, nil, 1, errs.CodeOutcomeUnknown, true},
		{"unknown behind the service, with a ledger", []error{behind, nil}, options{retry, ledger}, nil, 2, "", false},
		{
			"lost without a key",
			[]error{lost},
			options{retry, ledger},
			[]client.CallOption{client.WithoutOperationKey()},
			1, errs.CodeOutcomeUnknown, true,
		},
		{"a read that was lost", []error{lost}, options{retry, ledger}, []client.CallOption{client.WithReadOnly()}, 1, "", true},
		{"a longer delay than is waited for", []error{busy(31 * time.Second)}, options{retry}, nil, 1, errs.CodeOverloaded, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{answers: test.answers}
				result, err := newClient(t, s, test.options...).CallJSON(t.Context(), "cancel_order", nil, test.call...)
				if len(s.times) != test.calls || len(s.keys) != 1 || (err != nil) != test.fails || errs.CodeOf(err) != test.code {
					t.Errorf("%d calls under %d keys, %v; want %d under one, code %q", len(s.times), len(s.keys), err, test.calls, test.code)
				}
				if !s.keys[result.OperationKey] {
					t.Errorf("the result tells the key %q", result.OperationKey)
				}
			})
		})
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		longest := make([]time.Duration, 5)
		for range 200 {
			s := &script{answers: []error{busy(0)}}
			c := newClient(t, s, client.WithRetry(client.Retry{MaxAttempts: 6, InitialBackoff: time.Second, MaxBackoff: 6 * time.Second}))
			_ = call(t.Context(), c)
			for i, gap := range s.gaps() {
				longest[i] = max(longest[i], gap)
			}
		}
		for i, seconds := range []int{1, 2, 4, 6, 6} {
			most := time.Duration(seconds) * time.Second
			if got := longest[i]; got > most || got < most*8/10 {
				t.Errorf("wait %d: the longest of 200 was %v, want full jitter up to %v", i+1, got, most)
			}
		}
	})
}

func TestServerDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []error{busy(7 * time.Second), busy(30 * time.Second), nil}}
		c := newClient(t, s, client.WithRetry(client.Retry{InitialBackoff: time.Millisecond, MaxBackoff: time.Millisecond}))
		if err := call(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		for i, want := range []time.Duration{7 * time.Second, 30 * time.Second} {
			if got := s.gaps()[i]; got < want || got > want+time.Millisecond {
				t.Errorf("wait %d: %v, want %v and at most 1ms", i+1, got, want)
			}
		}
	})
}

// TestRetryThatRunsOutOfTime keeps both errors, and the typed one speaks.
func TestRetryThatRunsOutOfTime(t *testing.T) {
	t.Parallel()
	retry := client.WithRetry(client.Retry{InitialBackoff: time.Millisecond, MaxBackoff: time.Millisecond})
	check := func(t *testing.T, err error, code errs.Code, also ...error) {
		t.Helper()
		if errs.CodeOf(err) != code {
			t.Errorf("got %v, want %s first", err, code)
		}
		for _, other := range also {
			if !errors.Is(err, other) {
				t.Errorf("%v does not match %v", err, other)
			}
		}
		head, _ := errors.AsType[errs.Error](err)
		if head == nil {
			t.Fatalf("no typed error in %v", err)
		}
		if st, ok := status.FromError(err); !ok || !proto.Equal(st.Proto(), head.GRPCStatus().Proto()) || err.Error() != head.Error() {
			t.Errorf("status and text are not those of the typed error:\n got  %v\n want %v", st, head.GRPCStatus())
		}
	}
	t.Run("a wait that would end too late is not begun", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			start := time.Now()
			s := &script{answers: []error{busy(5 * time.Second)}}
			check(t, call(ctx, newClient(t, s, retry)), errs.CodeOverloaded, context.DeadlineExceeded)
			if took := time.Since(start); took != 0 || len(s.times) != 1 {
				t.Errorf("took %v and %d calls", took, len(s.times))
			}
		})
	})
	t.Run("canceled while waiting", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(2*time.Second, cancel)
			start := time.Now()
			s := &script{answers: []error{busy(5 * time.Second)}}
			check(t, call(ctx, newClient(t, s, retry)), errs.CodeOverloaded, context.Canceled)
			if took := time.Since(start); took != 2*time.Second {
				t.Errorf("took %v, want 2s", took)
			}
		})
	})
	t.Run("deadline during the second attempt", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			s := &script{answers: []error{busy(0), nil}, during: func(n int) {
				if n == 2 {
					<-ctx.Done()
				}
			}}
			err := call(ctx, newClient(t, s, retry))
			check(t, err, errs.CodeOutcomeUnknown, context.DeadlineExceeded, errs.CodeOverloaded)
			if !errs.IsInferred(err) {
				t.Errorf("got %v", err)
			}
		})
	})
	t.Run("deadline during the first attempt", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			s := &script{answers: []error{nil}, during: func(int) { <-ctx.Done() }}
			check(t, call(ctx, newClient(t, s, retry, client.WithLedger())), errs.CodeOutcomeUnknown, context.DeadlineExceeded)
		})
	})
}

// TestOpenOutcome never lets a later failure hide that an earlier attempt may have taken effect.
func TestOpenOutcome(t *testing.T) {
	t.Parallel()
	refusedNow := received(&errs.AuthorizationError{Tool: "cancel_order", Reason: "revoked"})
	tests := []struct {
		name    string
		answers []error
		calls   int
		head    errs.Code
		also    errs.Code
	}{
		{"a refusal says nothing of earlier attempts", []error{lost, refusedNow}, 2, errs.CodeOutcomeUnknown, errs.CodeAuthorizationDenied},
		{"nor does the last of many", []error{lost, busy(0)}, 4, errs.CodeOutcomeUnknown, errs.CodeOverloaded},
		{"effect none does", []error{lost, none(shipped)}, 2, "order_already_shipped", ""},
		{"and stays so", []error{lost, none(busy(0)), busy(0)}, 4, errs.CodeOverloaded, ""},
		{"effect applied does", []error{lost, received(&errs.ServiceError{Code: errs.CodeOperationExpired})}, 2, errs.CodeOperationExpired, ""},
		{"the service itself says unknown", []error{lost, reported}, 2, errs.CodeOutcomeUnknown, ""},
		{"success", []error{lost, busy(0), nil}, 3, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{answers: test.answers}
				err := call(t.Context(), newClient(t, s, client.WithRetry(client.Retry{}), client.WithLedger()))
				if errs.CodeOf(err) != test.head || len(s.times) != test.calls {
					t.Errorf("got %v after %d calls, want %q after %d", err, len(s.times), test.head, test.calls)
				}
				if test.also != "" && !errors.Is(err, test.also) {
					t.Errorf("%v does not match %s", err, test.also)
				}
			})
		})
	}
}

// TestRetryOfARefusedConnection goes on while it is proven that nothing was sent, and hides no lost answer.
func TestRetryOfARefusedConnection(t *testing.T) {
	t.Parallel()
	retry := client.WithRetry(client.Retry{InitialBackoff: time.Microsecond, MaxBackoff: time.Microsecond})
	tried := 0
	options := client.WithDialOptions(grpc.WithChainUnaryInterceptor(counting(&tried)))
	err := call(t.Context(), dial(t, tcptest.Refused(t), retry, options))
	if status.Code(err) != codes.Unavailable || errs.CodeOf(err) != "" || tried != 4 {
		t.Errorf("got %v after %d attempts, want UNAVAILABLE after 4", err, tried)
	}

	s, addr := killed(t)
	err = call(t.Context(), dial(t, addr, retry, client.WithLedger()))
	if !errs.IsInferred(err) || s.calls.Load() != 1 {
		t.Errorf("got %v after %d calls, want the unknown outcome of the first", err, s.calls.Load())
	}
}

// TestReadsAreRetried by the same rules.
func TestReadsAreRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []error{busy(0), nil}}
		if _, err := newClient(t, s, client.WithRetry(client.Retry{})).Tool(t.Context(), "t"); err != nil || len(s.times) != 2 {
			t.Errorf("got %v after %d calls", err, len(s.times))
		}
		s = &script{answers: []error{lost, nil}}
		_, err := newClient(t, s, client.WithRetry(client.Retry{})).Tool(t.Context(), "t")
		if status.Code(err) != codes.Unavailable || len(s.times) != 1 {
			t.Errorf("got %v after %d calls", err, len(s.times))
		}
	})
}
