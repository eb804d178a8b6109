package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/limits"
	"github.com/remedyrpc/remedy/server"
)

// sleep is an effect, or another hook, that takes its time and heeds its context.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestLeavingBeforeTheBoundary has callers go, and time run out, in the hooks before the effect.
func TestLeavingBeforeTheBoundary(t *testing.T) {
	t.Parallel()
	hour := func(ctx context.Context, _ *server.Op, _ in) error { return sleep(ctx, time.Hour) }
	deaf := func(ctx context.Context, _ *server.Op, _ in) error {
		<-ctx.Done()
		return nil // does not say so
	}
	upstream := func(ctx context.Context, _ *server.Op, _ in) error {
		<-ctx.Done()
		return status.FromContextError(ctx.Err()).Err()
	}
	typed := func(ctx context.Context, _ *server.Op, _ in) error {
		<-ctx.Done()
		return stale.New(errs.Cause(ctx.Err()))
	}
	own := func(ctx context.Context, _ *server.Op, _ in) error {
		limited, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		return sleep(limited, time.Hour)
	}
	canceled := func(context.Context, *server.Op, in) error { return fmt.Errorf("closing: %w", context.Canceled) }
	relayed := func(context.Context, *server.Op, in) error {
		return &errs.ServiceError{Code: errs.CodeDeadlineExceeded}
	}
	tests := []struct {
		name   string
		script script
		limit  time.Duration // the caller's; zero for none
		code   errs.Code
		status codes.Code
	}{
		{"authorize, own time", script{authorize: hour}, 0, errs.CodeOperationTimeout, codes.DeadlineExceeded},
		{"authorize, deadline", script{authorize: hour}, time.Second, errs.CodeDeadlineExceeded, codes.DeadlineExceeded},
		{"execute, own time", script{execute: hour}, 0, errs.CodeOperationTimeout, codes.DeadlineExceeded},
		{"execute, deadline", script{execute: hour}, time.Second, errs.CodeDeadlineExceeded, codes.DeadlineExceeded},
		{"execute, deadline, deaf", script{execute: deaf}, time.Second, errs.CodeDeadlineExceeded, codes.DeadlineExceeded},
		{"execute, deadline, a status", script{execute: upstream}, time.Second, errs.CodeDeadlineExceeded, codes.DeadlineExceeded},
		{"execute, own time, a status", script{execute: upstream}, time.Hour, errs.CodeOperationTimeout, codes.DeadlineExceeded},
		{"execute, a typed error wins", script{execute: typed}, time.Second, "slot_stale", codes.FailedPrecondition},
		{"execute, a limit of its own", script{execute: own}, time.Second, errs.CodeInternal, codes.Internal},
		{"execute, a cancellation of its own", script{execute: canceled}, 0, errs.CodeInternal, codes.Internal},
		{"execute, a typed limit of another service", script{execute: relayed}, 0, errs.CodeInternal, codes.Internal},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := test.script.server(t)
				ctx := t.Context()
				if test.limit > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.limit)
					defer cancel()
				}
				_, err := call(ctx, srv, "k", `{"id":"a"}`)
				effect := errs.EffectNone // of an operation that was claimed
				if test.script.execute == nil {
					effect = errs.EffectUnspecified
				}
				if saidBy(err) != (said{test.code, effect}) || status.Code(err) != test.status {
					t.Errorf("got %v", err)
				}
				if test.script.count("effect") != 0 {
					t.Error("there was an effect")
				}
				test.script.authorize, test.script.execute = nil, nil
				if r, err := call(t.Context(), srv, "k", `{"id":"b"}`); err != nil || r.Replayed {
					t.Errorf("the key is not free: %+v, %v", r, err)
				}
			})
		})
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := script{execute: func(context.Context, *server.Op, in) error { cancel(); return nil }}
	srv := s.server(t)
	for _, effect := range []errs.Effect{errs.EffectNone, errs.EffectUnspecified} { // in Execute, and before
		_, err := call(ctx, srv, "k", `{"id":"a"}`)
		if saidBy(err) != (said{errs.CodeCanceled, effect}) || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	if s.count("effect") != 0 {
		t.Error("there was an effect")
	}
}

// TestLeavingPastTheBoundary has the caller's time run out while the effect runs: it learns the operation, and the result
// later.
func TestLeavingPastTheBoundary(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := script{effect: func(ctx context.Context, _ *server.Op, in in) (out, error) {
		select {
		case <-release:
			return out(in), nil
		case <-ctx.Done():
			t.Error("the effect was cut off with its caller")
			return out{}, ctx.Err()
		}
	}}
	srv := s.server(t)
	client, _ := serve(t, srv, interceptors.WithLimits(limits.WithMaxTimeout(50*time.Millisecond)))
	var header metadata.MD
	_, err := client.CallTool(t.Context(), request("k", `{"id":"a"}`), grpc.Header(&header))
	e, ok := errors.AsType[*errs.OutcomeUnknownError](err)
	if !ok || e.Inferred || e.OperationID == "" || e.OperationKey != "k" || errs.EffectOf(err) != errs.EffectUnknown {
		t.Fatalf("got %v", err)
	}
	if got := header.Get(server.OperationIDHeader); len(got) != 1 || got[0] != e.OperationID {
		t.Errorf("got header %v, want %s", got, e.OperationID)
	}
	close(release)
	r, err := call(t.Context(), srv, "k", `{"id":"a"}`)
	if err != nil || !r.Replayed || r.OperationID != e.OperationID || s.count("effect") != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestOwnTimes has the effect and the hooks after it take longer than they may.
func TestOwnTimes(t *testing.T) {
	t.Parallel()
	const forever = 365 * 24 * time.Hour
	deaf := func(d time.Duration) { time.Sleep(d) }
	found := func(_ context.Context, _ *server.Op, in in) (server.Recovered[out], error) {
		return server.Committed(out(in)), nil
	}
	tests := []struct {
		name   string
		script script
		code   errs.Code
		after  time.Duration
	}{
		{
			"the effect heeds its context", script{effect: func(ctx context.Context, _ *server.Op, in in) (out, error) {
				return out(in), sleep(ctx, forever)
			}}, errs.CodeOutcomeUnknown, 30 * time.Second,
		},
		{
			"and is found", script{recover: found, effect: func(ctx context.Context, _ *server.Op, in in) (out, error) {
				return out(in), sleep(ctx, forever)
			}}, "", 30 * time.Second,
		},
		{
			"the effect is deaf", script{effect: func(context.Context, *server.Op, in) (out, error) {
				deaf(time.Hour)
				return out{}, errors.New("late")
			}}, errs.CodeOutcomeUnknown, 40 * time.Second,
		},
		{
			"recover is deaf", script{
				effect: func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") },
				recover: func(context.Context, *server.Op, in) (server.Recovered[out], error) {
					deaf(time.Hour)
					return server.NotFound[out](), nil
				},
			}, errs.CodeOutcomeUnknown, 11 * time.Second,
		},
		{
			"verify heeds its context", script{verify: func(ctx context.Context, _ *server.Op, _ in, _ out) (server.Verdict, error) {
				return server.Verified, sleep(ctx, forever)
			}}, errs.CodeVerificationFailed, 5 * time.Second,
		},
		{
			"verify is deaf", script{verify: func(context.Context, *server.Op, in, out) (server.Verdict, error) {
				deaf(time.Hour)
				return server.Verified, nil
			}}, errs.CodeVerificationFailed, 6 * time.Second,
		},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				_, err := call(t.Context(), test.script.server(t), "k", `{"id":"a"}`)
				if errs.CodeOf(err) != test.code {
					t.Errorf("got %v", err)
				}
				if took := time.Since(begun); took != test.after {
					t.Errorf("took %v, want %v", took, test.after)
				}
				time.Sleep(2 * time.Hour) // for the deaf
			})
		})
	}
}

// TestLateReceipt has an effect complete after it was given up: then its outcome is known after all.
func TestLateReceipt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
			time.Sleep(time.Minute)
			return out(in), nil
		}}
		srv := s.server(t)
		_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		if errs.CodeOf(err) != errs.CodeOutcomeUnknown {
			t.Errorf("got %v", err)
		}
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeOutcomeUnknown {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Minute)
		r, again := call(t.Context(), srv, "k", `{"id":"a"}`)
		if again != nil || !r.Replayed || r.OperationID != errs.InfoOf(err).OperationID || s.count("effect") != 1 {
			t.Errorf("got %+v, %v", r, again)
		}
	})
}

// TestLateReceiptFindsOneRecovered has the effect complete while it is being looked up, and after it was found.
func TestLateReceiptFindsOneRecovered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := script{
			effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
				time.Sleep(time.Minute)
				return out{ID: "late"}, nil
			},
			recover: func(_ context.Context, _ *server.Op, in in) (server.Recovered[out], error) {
				return server.Committed(out(in)), nil
			},
		}
		srv := s.server(t)
		r, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		if err != nil || r.Replayed || string(r.Output) != `{"id":"a"}` {
			t.Errorf("got %+v, %v", r, err)
		}
		time.Sleep(time.Hour)
		if r, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil || string(r.Output) != `{"id":"a"}` {
			t.Errorf("the receipt changed: %+v, %v", r, err)
		}
	})
}

// TestGoexit has hooks end their goroutine: a test helper of the tool's author does that.
func TestGoexit(t *testing.T) {
	t.Parallel()
	s := script{effect: func(context.Context, *server.Op, in) (out, error) { runtime.Goexit(); return out{}, nil }}
	if _, err := call(t.Context(), s.server(t), "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeOutcomeUnknown {
		t.Errorf("got %v", err)
	}
}

// TestOwnLimits has a limit that a hook set itself matched in this process, and logged.
func TestOwnLimits(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := script{execute: func(context.Context, *server.Op, in) error { return fmt.Errorf("asking: %w", context.DeadlineExceeded) }}
	_, err := call(t.Context(), s.server(t, server.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))), "k", `{"id":"a"}`)
	if !errors.Is(err, context.DeadlineExceeded) || errs.CodeOf(err) != errs.CodeInternal || errs.InfoOf(err).ErrorID == "" {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(log.String(), "asking: ") || !strings.Contains(log.String(), errs.InfoOf(err).ErrorID) {
		t.Errorf("the log is %s", log.String())
	}
}
