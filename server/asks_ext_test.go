package server_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/interceptors/limits"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestAsk1 loses the answer after the receipt was recorded: the same key gets the same result, of one effect.
func TestAsk1(t *testing.T) {
	t.Parallel()
	ctx, lose := context.WithCancel(t.Context())
	lost := make(chan struct{})
	var s script
	srv := s.server(t, server.WithLedger(memory.New()), server.WithObserver(func(context.Context, server.Event) {
		lose()
		<-lost // before the answer is sent
	}))
	client, _ := serve(t, srv)
	if response, err := client.CallTool(ctx, request("k", `{"id":"a"}`)); status.Code(err) != codes.Canceled {
		t.Errorf("got %v, %v", response, err)
	}
	close(lost)
	response, err := client.CallTool(t.Context(), request("k", `{"id":"a"}`))
	if r := response.GetResult(); err != nil || !r.GetReplayed() || r.GetOutputJson() != `{"id":"a"}` || s.count("effect") != 1 {
		t.Errorf("got %v, %v after %d effects", r, err, s.count("effect"))
	}
}

// TestAsk2 has two calls with one key at once: one effect, and the other is told which operation it is, or its result.
func TestAsk2(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
		close(begun)
		<-end
		return out(in), nil
	}}
	client, _ := serve(t, s.server(t, server.WithLedger(memory.New())))
	var wg sync.WaitGroup
	var winner *servicev1.ToolResult
	wg.Go(func() {
		response, err := client.CallTool(t.Context(), request("k", `{"id":"a"}`))
		if winner = response.GetResult(); err != nil {
			t.Errorf("the first: got %v", err)
		}
	})
	<-begun
	var loser *servicev1.ToolResult
	wg.Go(func() {
		response, err := client.CallTool(t.Context(), request("k", `{"id":"a"}`))
		if loser = response.GetResult(); err != nil {
			loser = &servicev1.ToolResult{OperationId: errs.InfoOf(err).OperationID}
			if errs.CodeOf(err) != errs.CodeOperationInFlight || errs.RetryOf(err) != errs.AsIs {
				t.Errorf("the second: got %v", err)
			}
		}
	})
	close(end)
	wg.Wait()
	if winner.GetOperationId() == "" || loser.GetOperationId() != winner.GetOperationId() || s.count("effect") != 1 {
		t.Errorf("got %v and %v of %d effects", winner, loser, s.count("effect"))
	}
}

// TestAsk3 has the deadline of a client pass in the middle of an effect: it learns the operation, and later what became of it.
func TestAsk3(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
		<-end
		return out(in), nil
	}}
	l := memory.New()
	// The time of the call is up on both sides; that of the client a little later, as always.
	client, conn := serve(t, s.server(t, server.WithLedger(l)), interceptors.WithLimits(limits.WithMaxTimeout(50*time.Millisecond)))
	_, err := client.CallTool(t.Context(), request("k", `{"id":"a"}`))
	e, ok := errors.AsType[*errs.OutcomeUnknownError](err)
	if !ok || e.Inferred || e.OperationID == "" {
		t.Fatalf("got %v", err)
	}
	operations := servicev1.NewOperationServiceClient(conn)
	name := &servicev1.OperationName{Name: &servicev1.OperationName_Id{Id: e.OperationID}}
	get := func() *servicev1.Operation {
		t.Helper()
		response, err := operations.GetOperation(t.Context(), &servicev1.GetOperationRequest{Operation: name})
		if err != nil {
			t.Fatal(err)
		}
		return response.GetOperation()
	}
	if got := get(); got.GetState() != stateEffect {
		t.Errorf("got %v", got)
	}
	running := row(t, l)
	close(end)
	if err := l.Wait(t.Context(), running.Key, running.Version); err != nil {
		t.Fatal(err)
	}
	if got := get(); got.GetState() != stateDone || s.count("effect") != 1 {
		t.Errorf("got %v after %d effects", got, s.count("effect"))
	}
}

// TestAsk4 kills the owner past the boundary, and lets its lease run out: a retry finds out, or says unknown. It never
// executes.
func TestAsk4(t *testing.T) {
	t.Parallel()
	for _, k := range []kind{{first: vanishes, recover: "found"}, {first: vanishes, recover: "blind"}, {first: vanishes}, {first: vanishing}} {
		synctest.Test(t, func(t *testing.T) {
			m := memory.New()
			s := newStage(k)
			defer release(s.gone)
			s.abandoned(t, m)
			effects := s.upstream.count()
			r, err := call(t.Context(), s.server(t, m), "k", `{"id":"a"}`)
			if k.recover == "found" && (err != nil || !r.Replayed) || k.recover != "found" && errs.CodeOf(err) != errs.CodeOutcomeUnknown {
				t.Errorf("%+v: got %+v, %v", k, r, err)
			}
			if s.attempts != 1 || s.upstream.count() != effects {
				t.Errorf("%+v: the effect was called %d times", k, s.attempts)
			}
		})
	}
}

// TestAsk5 tells failures before the boundary, which free the key, from unknown outcomes, which do not; what is replayed says
// so, and since when.
func TestAsk5(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fails := true
		s := script{
			execute: func(context.Context, *server.Op, in) error {
				if fails {
					return stale.New()
				}
				return nil
			},
			effect: func(_ context.Context, _ *server.Op, i in) (out, error) {
				if i.N == 1 {
					return out{}, errors.New("lost")
				}
				return out(i), nil
			},
		}
		srv := s.shared(t, memory.New())
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != (said{"slot_stale", errs.EffectNone}) {
			t.Errorf("before the boundary: got %v", err)
		}
		fails = false
		first, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		if err != nil || first.Replayed {
			t.Errorf("the key is not free: got %+v, %v", first, err)
		}
		for range 2 {
			time.Sleep(time.Hour)
			r, err := call(t.Context(), srv, "k", `{"id":"a"}`)
			if err != nil || !r.Replayed || !r.FirstCompletedAt.Equal(first.FirstCompletedAt) {
				t.Errorf("got %+v, %v", r, err)
			}
		}
		for range 3 {
			if _, err := call(t.Context(), srv, "l", `{"id":"a","n":1}`); saidBy(err) != (said{errs.CodeOutcomeUnknown, errs.EffectUnknown}) {
				t.Errorf("past the boundary: got %v", err)
			}
			time.Sleep(time.Hour)
		}
		if got := s.count("effect"); got != 2 {
			t.Errorf("%d effects", got)
		}
	})
}

// TestAsk6 has a key used for another input, which is refused, and by another principal, for whom it means something else.
func TestAsk6(t *testing.T) {
	t.Parallel()
	var s script
	srv := s.shared(t, memory.New())
	alice := auth.NewContext(t.Context(), auth.Identity{Principal: "alice", Tenant: "acme"})
	bob := auth.NewContext(t.Context(), auth.Identity{Principal: "bob", Tenant: "acme"})
	first, err := call(alice, srv, "k", `{"id":"a","n":1}`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = call(alice, srv, "k", `{"id":"a","n":2}`)
	if saidBy(err) != (said{errs.CodeOperationConflict, 0}) || status.Code(err) != codes.InvalidArgument || s.count("effect") != 1 {
		t.Errorf("got %v after %d effects", err, s.count("effect"))
	}
	other, err := call(bob, srv, "k", `{"id":"a","n":2}`)
	if err != nil || other.Replayed || other.OperationID == first.OperationID || s.count("effect") != 2 {
		t.Errorf("got %+v, %v after %d effects", other, err, s.count("effect"))
	}
}

// TestAsk8 has a caller, or the workflow engine that it maps errors for, see from the error alone what must not be sent again.
func TestAsk8(t *testing.T) {
	t.Parallel()
	shipped := errs.MustDefine("order_already_shipped", errs.Never)
	for code, test := range map[errs.Code]struct {
		err   error
		never bool
	}{
		"order_already_shipped":      {shipped.New(), true},
		"slot_stale":                 {stale.New(), false},
		errs.CodeAuthorizationDenied: {server.Denied(""), true},
		errs.CodeOverloaded:          {&errs.ServiceError{Code: errs.CodeOverloaded}, false},
	} {
		s := script{execute: func(context.Context, *server.Op, in) error { return test.err }}
		client, _ := serve(t, s.server(t))
		_, err := client.CallTool(t.Context(), request("k", `{"id":"a"}`))
		if errs.CodeOf(err) != code || (errs.RetryOf(err) == errs.Never) != test.never {
			t.Errorf("%s: got %v, %v", code, errs.RetryOf(err), err)
		}
	}
}

// TestAsk25 cancels before the boundary, where nothing happens, and after it, where the result is kept. [TestRandomLeaving] does
// so at a hundred moments.
func TestAsk25(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := script{
			execute: func(ctx context.Context, _ *server.Op, _ in) error { return sleep(ctx, time.Second) },
			effect:  func(ctx context.Context, _ *server.Op, i in) (out, error) { return out(i), sleep(ctx, time.Second) },
		}
		srv := s.shared(t, memory.New())
		before, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := call(before, srv, "k", `{"id":"a"}`)
		if saidBy(err) != (said{errs.CodeDeadlineExceeded, errs.EffectNone}) || s.count("effect") != 0 {
			t.Errorf("before: got %v after %d effects", err, s.count("effect"))
		}
		after, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		_, err = call(after, srv, "k", `{"id":"a"}`)
		if saidBy(err) != (said{errs.CodeOutcomeUnknown, errs.EffectUnknown}) {
			t.Errorf("after: got %v", err)
		}
		r, again := call(t.Context(), srv, "k", `{"id":"a"}`)
		if again != nil || !r.Replayed || r.OperationID != errs.InfoOf(err).OperationID || s.count("effect") != 1 {
			t.Errorf("again: got %+v, %v after %d effects", r, again, s.count("effect"))
		}
	})
}
