package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// nowhere is where a server is registered that only sweeps.
type nowhere struct{}

func (nowhere) RegisterService(*grpc.ServiceDesc, any) {}

// shared makes a server of the tool "t" on a ledger.
func (s *script) shared(t *testing.T, l ledger.Ledger) *server.Server {
	t.Helper()
	return s.server(t, server.WithLedger(l), server.WithStopDelay(0))
}

// row is that of the key "k", of nobody.
func row(t *testing.T, l ledger.Ledger) ledger.Row {
	t.Helper()
	row, err := l.Get(t.Context(), ledger.Key{Tool: "t", Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// release lets hooks go on that stand still, and waits for what they do then.
func release(still chan struct{}) {
	close(still)
	time.Sleep(time.Minute)
}

// TestTakeover has a process stand still in Execute, and another take its operation over. What the first wakes up to is the
// result of the other.
func TestTakeover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := memory.New()
		s := script{execute: func(_ context.Context, op *server.Op, _ in) error {
			if op.Attempt == 1 {
				time.Sleep(time.Minute)
			}
			return nil
		}}
		a, b := s.shared(t, m), s.shared(t, m)
		var wg sync.WaitGroup
		var first server.Result
		wg.Go(func() {
			var err error
			if first, err = call(t.Context(), a, "k", `{"id":"a"}`); err != nil || !first.Replayed {
				t.Errorf("the first: got %+v, %v", first, err)
			}
		})
		synctest.Wait()
		if _, err := call(t.Context(), b, "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeOperationInFlight {
			t.Errorf("within the lease: got %v", err)
		}
		time.Sleep(30 * time.Second)
		if _, err := call(t.Context(), b, "k", `{"id":"b"}`); errs.CodeOf(err) != errs.CodeOperationConflict {
			t.Errorf("another input: got %v", err)
		}
		second, err := call(t.Context(), b, "k", `{"id":"a"}`)
		if err != nil || second.Replayed {
			t.Errorf("the second: got %+v, %v", second, err)
		}
		wg.Wait()
		if first.OperationID != second.OperationID || row(t, m).Fence != 2 || s.count("effect") != 1 {
			t.Errorf("got %+v and %+v of %d effects", first, second, s.count("effect"))
		}
	})
}

// TestSweep has a process end at each place, and nobody call again: another one finds out what became of the operation.
func TestSweep(t *testing.T) {
	t.Parallel()
	found := func(_ context.Context, _ *server.Op, in in) (server.Recovered[out], error) {
		return server.Committed(out(in)), nil
	}
	tests := []struct {
		name    string
		recover func(context.Context, *server.Op, in) (server.Recovered[out], error)
		where   string
		within  time.Duration
		state   ledger.State
		change  func(*server.Tool[in, out]) // of the tool that the other process has; nil is none
		gone    bool
	}{
		{name: "in Execute", where: "execute", within: 35 * time.Second, state: ledger.Free},
		{name: "found", recover: found, where: "effect", within: 45 * time.Second, state: ledger.Done},
		{
			name: "not found", where: "effect", within: 45 * time.Second, state: ledger.Unknown,
			recover: func(context.Context, *server.Op, in) (server.Recovered[out], error) {
				return server.NotFound[out](), nil
			},
		},
		{
			name: "deaf", where: "effect", within: 60 * time.Second, state: ledger.Unknown,
			recover: func(context.Context, *server.Op, in) (server.Recovered[out], error) {
				time.Sleep(time.Hour)
				return server.NotFound[out](), nil
			},
		},
		{
			name: "panics", where: "effect", within: 45 * time.Second, state: ledger.Unknown,
			recover: func(context.Context, *server.Op, in) (server.Recovered[out], error) { panic(secret) },
		},
		{name: "cannot look", where: "effect", within: 45 * time.Second, state: ledger.Unknown},
		{
			name: "dedupes, and nobody calls", where: "effect", within: 45 * time.Second, state: ledger.Unknown,
			change: func(t *server.Tool[in, out]) { t.DedupesOnOperationID = true },
		},
		{name: "the tool is gone", recover: found, where: "effect", within: 45 * time.Second, state: ledger.Unknown, gone: true},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := memory.New()
				end := make(chan struct{})
				defer release(end)
				first := script{recover: test.recover}
				hang := func() error { <-end; return errors.New("gone") }
				if test.where == "execute" {
					first.execute = func(context.Context, *server.Op, in) error { return hang() }
				} else {
					first.effect = func(context.Context, *server.Op, in) (out, error) { return out{}, hang() }
				}
				dying := newFaulty(m)
				a := first.shared(t, dying)
				ctx, leave := context.WithCancel(t.Context())
				go func() { _, _ = call(ctx, a, "k", `{"id":"a"}`) }()
				synctest.Wait()
				dying.cut()
				leave()
				stop(t, a)

				other := script{recover: test.recover}
				var change []func(*server.Tool[in, out])
				if test.change != nil {
					change = append(change, test.change)
				}
				name := map[bool]string{false: "t", true: "u"}[test.gone]
				b := newServer(t, []*server.AnyTool{other.tool(name, change...)}, server.WithLedger(m), server.WithStopDelay(0))
				b.Register(nowhere{})
				defer stop(t, b)
				time.Sleep(test.within + time.Second)
				if got := row(t, m); got.State != test.state || other.count("recover") > 1 || other.count("effect") != 0 {
					t.Errorf("it is %v after %v, want %v; hooks %v", got.State, test.within, test.state, other.hooks())
				}
				time.Sleep(time.Hour) // for the deaf
			})
		})
	}
}

// TestSweepOfAnotherVersion has the input of an operation be none of the tool that there is now.
func TestSweepOfAnotherVersion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := memory.New()
		s := newStage(kind{first: vanishes, recover: "found"})
		defer release(s.gone)
		s.abandoned(t, m)
		type other struct {
			ID int `json:"id"`
		}
		looked := false
		tool := server.NewTool("t", "Does something.", server.Tool[other, out]{
			Immediate: func(context.Context, *server.Op, other) (out, error) { return out{}, nil },
			Recover: func(context.Context, *server.Op, other) (server.Recovered[out], error) {
				looked = true
				return server.NotFound[out](), nil
			},
		})
		srv := newServer(t, []*server.AnyTool{tool}, server.WithLedger(m))
		if n, err := srv.Sweep(t.Context()); n != 1 || err != nil {
			t.Errorf("got %d, %v", n, err)
		}
		if got := row(t, m); got.State != ledger.Unknown || looked {
			t.Errorf("it is %v, looked %v", got.State, looked)
		}
	})
}

// TestSweepOfMany has a process leave many operations, and a Recover that is quick, or takes its time: all are looked at within
// the time of a few.
func TestSweepOfMany(t *testing.T) {
	t.Parallel()
	for _, takes := range []time.Duration{0, 9 * time.Second} {
		synctest.Test(t, func(t *testing.T) { sweepMany(t, takes) })
	}
}

func sweepMany(t *testing.T, takes time.Duration) {
	t.Helper()
	const many = 100
	m := memory.New()
	end := make(chan struct{})
	defer release(end)
	s := script{
		effect: func(context.Context, *server.Op, in) (out, error) { <-end; return out{}, errors.New("gone") },
		recover: func(ctx context.Context, _ *server.Op, in in) (server.Recovered[out], error) {
			return server.Committed(out(in)), sleep(ctx, takes)
		},
	}
	dying := newFaulty(m)
	a := s.shared(t, dying)
	ctx, leave := context.WithCancel(t.Context())
	for i := range many {
		go func() { _, _ = call(ctx, a, fmt.Sprint("k", i), `{"id":"a"}`) }()
	}
	synctest.Wait()
	dying.cut()
	leave()
	stop(t, a)
	other := script{recover: s.recover}
	b := other.shared(t, m)
	b.Register(nowhere{})
	defer stop(t, b)
	time.Sleep(40*time.Second + 5*time.Second + 4*takes + time.Second)
	rows, _, err := m.List(t.Context(), ledger.Filter{States: []ledger.State{ledger.Done}, Limit: many})
	if err != nil || len(rows) != many {
		t.Errorf("%d are done, %v", len(rows), err)
	}
	if got := other.count("recover"); got != many {
		t.Errorf("Recover was called %d times", got)
	}
}

// TestPausedOwner has a process stand still in its effect, longer than its lease: others look, and find nothing. Its receipt
// ends the doubt, also where a person closed the operation in the meantime.
func TestPausedOwner(t *testing.T) {
	t.Parallel()
	for _, closed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m := memory.New()
			s := script{
				effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
					time.Sleep(2 * time.Minute)
					return out(in), nil
				},
				recover: func(context.Context, *server.Op, in) (server.Recovered[out], error) {
					return server.NotFound[out](), nil
				},
			}
			paused := newFaulty(m) // its process does nothing else either
			a, b := s.shared(t, paused), s.shared(t, m)
			var wg sync.WaitGroup
			wg.Go(func() {
				if _, err := call(t.Context(), a, "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeOutcomeUnknown {
					t.Errorf("its caller: got %v", err)
				}
			})
			synctest.Wait()
			paused.cut()
			time.Sleep(time.Minute)
			if _, err := b.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := row(t, m); got.State != ledger.Unknown {
				t.Errorf("it is %v", got.State)
			}
			if closed {
				if _, ok, err := m.Resolve(t.Context(), ledger.Resolution{ID: row(t, m).ID, Actor: "o", Reason: "r"}); !ok || err != nil {
					t.Errorf("got %v, %v", ok, err)
				}
				if _, err := call(t.Context(), b, "k", `{"id":"a"}`); saidBy(err) != (said{errs.CodeOperationClosed, 0}) {
					t.Errorf("closed: got %v", err)
				}
			}
			paused.heal()
			wg.Wait()
			time.Sleep(2 * time.Minute)
			r, err := call(t.Context(), b, "k", `{"id":"a"}`)
			if err != nil || !r.Replayed || string(r.Output) != `{"id":"a"}` || s.count("effect") != 1 {
				t.Errorf("got %+v, %v after %d effects", r, err, s.count("effect"))
			}
			if got := row(t, m); got.Contradicted != closed {
				t.Errorf("contradicted %v", got.Contradicted)
			}
		})
	}
}

// TestLateCrossing has the answer to a crossing come so late that the time of the effect is over: it does not begin.
func TestLateCrossing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty(memory.New())
		var s script
		srv := newServer(t, []*server.AnyTool{s.tool("t", func(t *server.Tool[in, out]) { t.Timeouts.Effect = 3 * time.Second })},
			server.WithLedger(f))
		f.breaks("cross", tooSlow, 1)
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != (said{"not_applied", errs.EffectNone}) {
			t.Errorf("got %v", err)
		}
		if got := s.count("effect"); got != 0 {
			t.Errorf("%d effects", got)
		}
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil || s.count("effect") != 1 {
			t.Errorf("got %v", err)
		}
	})
}

// TestEffectTimeCountsFromTheCrossing has a slow crossing: its lease began when it was asked for, and so did the effect's time.
func TestEffectTimeCountsFromTheCrossing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty(memory.New())
		begun := time.Now()
		s := script{effect: func(ctx context.Context, _ *server.Op, in in) (out, error) {
			if deadline, ok := ctx.Deadline(); !ok || deadline.Sub(begun) != 30*time.Second {
				t.Errorf("the deadline is after %v", deadline.Sub(begun))
			}
			return out(in), nil
		}}
		srv := s.server(t, server.WithLedger(f))
		f.breaks("cross", slow, 1)
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil {
			t.Error(err)
		}
	})
}

// TestSharedFailureAcrossServers has a call wait for one of another process, and share its failure.
func TestSharedFailureAcrossServers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := memory.New()
		s := script{execute: func(ctx context.Context, _ *server.Op, _ in) error {
			if err := sleep(ctx, time.Second); err != nil {
				return err
			}
			return stale.New(errs.Detail("slot", "s1"))
		}}
		a, b := s.shared(t, m), s.shared(t, m)
		var wg sync.WaitGroup
		for _, srv := range []*server.Server{a, b} {
			wg.Go(func() {
				_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
				e, ok := errors.AsType[*errs.ToolError](err)
				if saidBy(err) != (said{"slot_stale", errs.EffectNone}) || !ok || e.Details["slot"] != "s1" {
					t.Errorf("got %v", err)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		if got := s.count("execute"); got != 1 {
			t.Errorf("Execute was called %d times", got)
		}
	})
}

// TestManyOnTwoServers has 64 callers at 20 keys of two servers, with effects that end in every way: at most one for each
// key, and everybody learns the same in the end.
func TestManyOnTwoServers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const callers, keys = 64, 20
		m := memory.New()
		var effects [keys]atomic.Int32
		s := script{
			effect: func(ctx context.Context, op *server.Op, in in) (out, error) {
				if in.N%5 == 1 && op.Attempt < 3 {
					return out{}, op.NotApplied(stale.New())
				}
				effects[in.N].Add(1)
				if err := sleep(ctx, time.Duration(in.N)*time.Millisecond); err != nil {
					return out{}, err
				}
				if in.N%5 == 2 {
					return out{}, errors.New("lost")
				}
				return out(in), nil
			},
			recover: func(_ context.Context, _ *server.Op, in in) (server.Recovered[out], error) {
				if in.N == 7 {
					return server.NotFound[out](), nil
				}
				return server.Committed(out(in)), nil
			},
		}
		servers := []*server.Server{s.shared(t, m), s.shared(t, m)}
		try := func(i, key int) (server.Result, error) {
			return call(t.Context(), servers[i%2], fmt.Sprint("k", key), fmt.Sprintf(`{"id":"a","n":%d}`, key))
		}
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				for j := range keys {
					for range 10 {
						_, err := try(i, (i+j)%keys)
						if errs.RetryOf(err) != errs.AsIs && errs.CodeOf(err) != "slot_stale" {
							break
						}
						time.Sleep(time.Millisecond)
					}
				}
			})
		}
		wg.Wait()
		for key := range keys {
			a, errA := try(0, key)
			b, errB := try(1, key)
			if n := effects[key].Load(); n != 1 || a.OperationID != b.OperationID || errs.CodeOf(errA) != errs.CodeOf(errB) ||
				!slices.Equal(a.Output, b.Output) || (errA != nil) != (key == 7) {
				t.Errorf("key %d: %d effects, %+v, %v and %+v, %v", key, n, a, errA, b, errB)
			}
		}
	})
}
