package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestRedo has an operation of a tool that dedupes on the operation id be lost past its boundary. The next equal call
// executes it again, under the same id, and whatever fails from there on is unknown.
func TestRedo(t *testing.T) {
	t.Parallel()
	unknown := said{errs.CodeOutcomeUnknown, errs.EffectUnknown}
	lost := errors.New("lost")
	leaves := func(ctx context.Context, _ *server.Op, _ in) error { return sleep(ctx, time.Hour) }
	tests := []struct {
		name    string
		again   script // of the second time
		change  func(*server.Tool[in, out])
		said    said
		hooks   []string
		state   ledger.State
		cross   int
		timeout time.Duration
	}{
		{name: "works", hooks: []string{"authorize", "execute", "effect"}, state: ledger.Done, cross: 2},
		{
			name: "immediate", change: immediate(func(_ context.Context, _ *server.Op, i in) (out, error) { return out(i), nil }),
			hooks: []string{"authorize"}, state: ledger.Done, cross: 2,
		},
		{
			name: "Execute fails", again: script{execute: func(context.Context, *server.Op, in) error { return stale.New() }},
			said: unknown, hooks: []string{"authorize", "execute"}, state: ledger.Unknown, cross: 1,
		},
		{
			name: "Execute panics", again: script{execute: func(context.Context, *server.Op, in) error { panic(secret) }},
			said: unknown, hooks: []string{"authorize", "execute"}, state: ledger.Unknown, cross: 1,
		},
		{
			name: "its caller leaves", again: script{execute: leaves}, timeout: time.Second,
			said: unknown, hooks: []string{"authorize", "execute"}, state: ledger.Unknown, cross: 1,
		},
		{
			name: "not applied", again: script{effect: func(_ context.Context, op *server.Op, _ in) (out, error) {
				return out{}, op.NotApplied(stale.New())
			}}, said: unknown, hooks: []string{"authorize", "execute", "effect"}, state: ledger.Unknown, cross: 2,
		},
		{
			name: "fails", again: script{effect: func(context.Context, *server.Op, in) (out, error) { return out{}, lost }},
			said: unknown, hooks: []string{"authorize", "execute", "effect"}, state: ledger.Unknown, cross: 2,
		},
		{
			name: "found", again: script{recover: func(_ context.Context, _ *server.Op, in in) (server.Recovered[out], error) {
				return server.Committed(out(in)), nil
			}}, hooks: []string{"authorize", "recover"}, state: ledger.Done, cross: 1,
		},
		{
			name: "not to be found out", again: script{recover: func(context.Context, *server.Op, in) (server.Recovered[out], error) {
				return server.NotFound[out](), lost
			}}, said: unknown, hooks: []string{"authorize", "recover"}, state: ledger.Unknown, cross: 1,
		},
		{
			name: "it does not dedupe any more", change: func(t *server.Tool[in, out]) { t.DedupesOnOperationID = false },
			said: unknown, hooks: []string{"authorize"}, state: ledger.Unknown, cross: 1,
		},
	}
	for i := range 2 * len(tests) {
		test, swept := &tests[i/2], i%2 == 1
		t.Run(fmt.Sprintf("%s, swept %t", test.name, swept), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				again := script{execute: test.again.execute, effect: test.again.effect, recover: test.again.recover}
				want := test.hooks
				m := memory.New()
				s := newStage(kind{first: vanishes, dedupes: true})
				defer release(s.gone)
				s.abandoned(t, m)
				change := []func(*server.Tool[in, out]){func(t *server.Tool[in, out]) { t.DedupesOnOperationID = true }}
				if test.change != nil {
					change = append(change, test.change)
				}
				srv := newServer(t, []*server.AnyTool{again.tool("t", change...)}, server.WithLedger(m))
				if swept { // nobody executes, so it is done or unknown when the next call comes
					if _, err := srv.Sweep(t.Context()); err != nil {
						t.Fatal(err)
					}
					if again.count("effect") != 0 {
						t.Error("the sweeper executed")
					}
					_ = again.hooks()
					if row(t, m).State == ledger.Done {
						want = []string{"authorize"}
					}
					time.Sleep(server.DefaultRecheckInterval)
				}
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if test.timeout > 0 {
					ctx, cancel = context.WithTimeout(ctx, test.timeout)
				}
				defer cancel()
				id := row(t, m).ID
				r, err := call(ctx, srv, "k", `{"id":"a"}`)
				if saidBy(err) != test.said || err == nil && r.OperationID != id {
					t.Errorf("got %+v, %v", r, err)
				}
				if hooks := again.hooks(); !slices.Equal(hooks, want) {
					t.Errorf("hooks %v, want %v", hooks, want)
				}
				if got := row(t, m); got.State != test.state || got.Crossings != test.cross || got.ID != id {
					t.Errorf("it is %v after %d crossings", got.State, got.Crossings)
				}
				time.Sleep(time.Minute)
				if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != test.said {
					t.Errorf("again: got %v", err)
				}
			})
		})
	}
}

// TestRedoWindow has nothing be executed again when what it calls may have forgotten the operation id: neither what was lost
// past its boundary, nor what somebody else was to execute again, and was lost, too.
func TestRedoWindow(t *testing.T) {
	t.Parallel()
	const window = time.Hour
	again := 30*time.Second + 40*time.Second // what preparing and the effect may take
	dedupes := func(t *server.Tool[in, out]) { t.DedupesOnOperationID, t.DedupeWindow = true, window }
	for _, state := range []ledger.State{ledger.Effect, ledger.Unknown, ledger.Claimed} {
		for _, late := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				m := memory.New()
				s := newStage(kind{first: vanishes, dedupes: true})
				defer release(s.gone)
				s.abandoned(t, m)
				var other script
				srv := newServer(t, []*server.AnyTool{other.tool("t", dedupes)}, server.WithLedger(m), server.WithRecheckInterval(0))
				switch state {
				case ledger.Unknown:
					if _, err := srv.Sweep(t.Context()); err != nil {
						t.Fatal(err)
					}
				case ledger.Claimed:
					held, _, err := m.Recover(t.Context(), ledger.Recovery{Key: row(t, m).Key, Attempt: "r", Lease: time.Second})
					if err != nil {
						t.Fatal(err)
					}
					if _, ok, err := m.Redo(t.Context(), held.Hold(), time.Second); !ok || err != nil {
						t.Fatal(ok, err)
					}
				default:
				}
				last := row(t, m).CreatedAt.Add(window - again)
				if late {
					last = last.Add(time.Microsecond)
				}
				time.Sleep(time.Until(last))
				_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
				if !late && err != nil || late && saidBy(err) != (said{errs.CodeOutcomeUnknown, errs.EffectUnknown}) {
					t.Errorf("%v, late %t: got %v", state, late, err)
				}
				if got := other.count("effect"); (got == 0) != late || row(t, m).State == ledger.Claimed {
					t.Errorf("%v, late %t: %d effects, it is %v", state, late, got, row(t, m).State)
				}
			})
		}
	}
}

// TestRedoTooLate has the process stand still in Execute of the second time, for longer than the claim lasts: when it wakes up
// the window may be over, so it does not have the effect.
func TestRedoTooLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := memory.New()
		s := newStage(kind{first: vanishes, dedupes: true})
		defer release(s.gone)
		s.abandoned(t, m)
		again := script{execute: func(context.Context, *server.Op, in) error { time.Sleep(2 * time.Minute); return nil }}
		tool := again.tool("t", func(t *server.Tool[in, out]) { t.DedupesOnOperationID, t.DedupeWindow = true, 2*time.Minute })
		srv := newServer(t, []*server.AnyTool{tool}, server.WithLedger(m))
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != (said{errs.CodeOperationInFlight, 0}) {
			t.Errorf("who woke up: got %v", err)
		}
		_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		if saidBy(err) != (said{errs.CodeOutcomeUnknown, errs.EffectUnknown}) || again.count("effect") != 0 || again.count("execute") != 1 {
			t.Errorf("got %v after %d effects", err, again.count("effect"))
		}
	})
}

// TestRedoIsTold has whoever asks about a doubt learn until when an equal call ends it.
func TestRedoIsTold(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	s := script{effect: func(_ context.Context, _ *server.Op, i in) (out, error) { return out(i), lost }}
	tool := s.tool("t", func(t *server.Tool[in, out]) { t.DedupesOnOperationID = true })
	srv := newServer(t, []*server.AnyTool{tool}, server.WithLedger(memory.New()), server.WithRecheckInterval(0))
	tools, conn := serve(t, srv)
	_, err := tools.CallTool(t.Context(), request("k", `{"id":"a"}`))
	unknown, ok := errors.AsType[*errs.OutcomeUnknownError](err)
	if !ok {
		t.Fatal(err)
	}
	get := func() *servicev1.Operation {
		t.Helper()
		response, err := servicev1.NewOperationServiceClient(conn).GetOperation(t.Context(), &servicev1.GetOperationRequest{
			Operation: &servicev1.OperationName{Name: &servicev1.OperationName_Id{Id: unknown.OperationID}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return response.GetOperation()
	}
	doubt := get()
	until := doubt.GetRedoUntil().AsTime()
	if got := until.Sub(doubt.GetCreateTime().AsTime()); got != server.DefaultDedupeWindow-70*time.Second {
		t.Errorf("it may be executed again for %v", got)
	}
	if !strings.Contains(unknown.Reason, until.Format(time.RFC3339)) {
		t.Errorf("got the reason %q, want %v in it", unknown.Reason, until)
	}
	lost = nil
	if _, err := tools.CallTool(t.Context(), request("k", `{"id":"a"}`)); err != nil {
		t.Error(err)
	}
	if got := get(); got.GetRedoUntil() != nil || got.GetState() != stateDone {
		t.Errorf("afterwards: got %v", got)
	}
}

// immediate makes a tool one that checks nothing.
func immediate(f func(context.Context, *server.Op, in) (out, error)) func(*server.Tool[in, out]) {
	return func(t *server.Tool[in, out]) { t.Execute, t.Immediate = nil, f }
}

// TestRedoIsNotRepeatedByAnotherVersion has the process that was to execute again end before it did, and a version come that
// cannot: it must not have the effect a second time.
func TestRedoIsNotRepeatedByAnotherVersion(t *testing.T) {
	t.Parallel()
	for _, now := range []bool{false, true} { // immediate
		synctest.Test(t, func(t *testing.T) {
			m := memory.New()
			s := newStage(kind{first: vanishes, dedupes: true})
			defer release(s.gone)
			s.abandoned(t, m)
			held, ok, err := m.Recover(t.Context(), ledger.Recovery{Key: row(t, m).Key, Attempt: "r", Lease: time.Second})
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			if _, ok, err := m.Redo(t.Context(), held.Hold(), time.Second); !ok || err != nil {
				t.Fatal(ok, err)
			}
			time.Sleep(time.Second)
			var other script
			var change []func(*server.Tool[in, out])
			if now {
				change = append(change, immediate(func(_ context.Context, _ *server.Op, i in) (out, error) {
					other.note("effect")
					return out(i), nil
				}))
			}
			srv := newServer(t, []*server.AnyTool{other.tool("t", change...)}, server.WithLedger(m))
			for range 2 {
				if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != (said{errs.CodeOutcomeUnknown, errs.EffectUnknown}) {
					t.Errorf("got %v", err)
				}
			}
			if got := row(t, m); got.State != ledger.Unknown || other.count("effect") != 0 {
				t.Errorf("it is %v after %d effects", got.State, other.count("effect"))
			}
		})
	}
}

// TestRedoIsNotFreed has what is executed again fail, or state that it was not applied, while the ledger does not answer: an
// earlier attempt may have been, so neither is an answer.
func TestRedoIsNotFreed(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]*script{
		"fails": {execute: func(context.Context, *server.Op, in) error { return stale.New() }},
		"is not applied": {effect: func(_ context.Context, op *server.Op, _ in) (out, error) {
			return out{}, op.NotApplied(stale.New())
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := memory.New()
			s := newStage(kind{first: vanishes, dedupes: true})
			defer release(s.gone)
			s.abandoned(t, m)
			f := newFaulty(m)
			tool := again.tool("t", func(t *server.Tool[in, out]) { t.DedupesOnOperationID = true })
			srv := newServer(t, []*server.AnyTool{tool}, server.WithLedger(f))
			f.breaks("free", lostBefore, -1)
			if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != (said{errs.CodeOutcomeUnknown, errs.EffectUnknown}) {
				t.Errorf("%s: got %v", name, err)
			}
			f.heal()
			time.Sleep(5 * time.Second)
			if got := row(t, m); got.State != ledger.Unknown {
				t.Errorf("%s: it is %v", name, got.State)
			}
		})
	}
}

// TestLostLeavesRedoToOthers has a call wake up in Execute after another one took its operation over, and was lost past the
// boundary. It does not execute what is no longer its own; the next call does.
func TestLostLeavesRedoToOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := memory.New()
		end := make(chan struct{})
		defer release(end)
		s := script{
			execute: func(_ context.Context, op *server.Op, _ in) error {
				if op.Attempt == 1 {
					time.Sleep(2 * time.Minute)
				}
				return nil
			},
			effect: func(_ context.Context, op *server.Op, i in) (out, error) {
				if op.Attempt == 2 {
					<-end
					return out{}, errors.New("gone")
				}
				return out(i), nil
			},
		}
		dedupes := func(t *server.Tool[in, out]) { t.DedupesOnOperationID = true }
		dying := newFaulty(m)
		a := newServer(t, []*server.AnyTool{s.tool("t", dedupes)}, server.WithLedger(m), server.WithStopDelay(0))
		b := newServer(t, []*server.AnyTool{s.tool("t", dedupes)}, server.WithLedger(dying), server.WithStopDelay(0))
		woken := make(chan error, 1)
		go func() {
			_, err := call(t.Context(), a, "k", `{"id":"a"}`)
			woken <- err
		}()
		time.Sleep(31 * time.Second)
		ctx, leave := context.WithCancel(t.Context())
		go func() { _, _ = call(ctx, b, "k", `{"id":"a"}`) }()
		synctest.Wait()
		dying.cut()
		leave()
		stop(t, b)
		if err := <-woken; saidBy(err) != (said{errs.CodeOperationInFlight, 0}) || s.count("effect") != 1 {
			t.Errorf("who woke up: got %v after %d effects", err, s.count("effect"))
		}
		if r, err := call(t.Context(), a, "k", `{"id":"a"}`); err != nil || r.Replayed || s.count("effect") != 2 {
			t.Errorf("who calls next: got %+v, %v", r, err)
		}
	})
}
