package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

func TestUnknownBeforeTheBoundary(t *testing.T) {
	t.Parallel()
	s := script{execute: func(context.Context, *server.Op, in) error { return &errs.OutcomeUnknownError{Tool: "upstream"} }}
	srv := s.server(t)
	for range 2 {
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != (said{errs.CodeOutcomeUnknown, errs.EffectUnknown}) {
			t.Errorf("got %v", err)
		}
	}
	if got := s.count("execute"); got != 1 {
		t.Errorf("Execute was called %d times", got)
	}
}

func TestUnknownIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		known := false
		s := script{
			effect: func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") },
			recover: func(_ context.Context, _ *server.Op, in in) (server.Recovered[out], error) {
				if known {
					return server.Committed(out(in)), nil
				}
				return server.NotFound[out](), nil
			},
		}
		srv := s.server(t)
		for range 3 { // within five seconds it is looked at once
			_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
			if saidBy(err) != (said{errs.CodeOutcomeUnknown, errs.EffectUnknown}) {
				t.Errorf("got %v", err)
			}
		}
		if got := s.count("recover"); got != 1 {
			t.Errorf("Recover was called %d times", got)
		}
		time.Sleep(5 * time.Second)
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeOutcomeUnknown || s.count("recover") != 2 {
			t.Errorf("got %v after %d looks", err, s.count("recover"))
		}
		if _, err := call(t.Context(), srv, "k", `{"id":"b"}`); errs.CodeOf(err) != errs.CodeOperationConflict {
			t.Errorf("another input: got %v", err)
		}
		known = true
		time.Sleep(5 * time.Second)
		completed := time.Now()
		for range 2 {
			r, err := call(t.Context(), srv, "k", `{"id":"a"}`)
			if err != nil || !r.Replayed || !r.FirstCompletedAt.Equal(completed) || string(r.Output) != `{"id":"a"}` {
				t.Errorf("got %+v, %v", r, err)
			}
		}
		if got := s.count("effect"); got != 1 {
			t.Errorf("the effect was called %d times", got)
		}
	})
}

func TestRecheckInterval(t *testing.T) {
	t.Parallel()
	s := script{
		effect: func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") },
		recover: func(context.Context, *server.Op, in) (server.Recovered[out], error) {
			return server.NotFound[out](), nil
		},
	}
	srv := s.server(t, server.WithRecheckInterval(0))
	for range 3 {
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeOutcomeUnknown {
			t.Errorf("got %v", err)
		}
	}
	if recovers, effects := s.count("recover"), s.count("effect"); recovers != 3 || effects != 1 {
		t.Errorf("Recover was called %d times and the effect %d times", recovers, effects)
	}
}

// TestLookMeetsAnother has the row change between the moment that a call reads it and the one that it begins to look: it is
// answered from what there is then.
func TestLookMeetsAnother(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile func(t *testing.T, m *memory.Ledger)
		said      said
	}{
		"a receipt": {func(t *testing.T, m *memory.Ledger) {
			t.Helper()
			_, _, _ = m.Record(t.Context(), row(t, m).Hold(), ledger.Receipt{Output: []byte(`{"id":"late"}`)})
		}, said{}},
		"another look": {func(t *testing.T, m *memory.Ledger) {
			t.Helper()
			_, _, _ = m.Recover(t.Context(), ledger.Recovery{Key: row(t, m).Key, Attempt: "other", Lease: time.Minute})
		}, said{errs.CodeOperationInFlight, 0}},
		"another operation": {func(t *testing.T, m *memory.Ledger) {
			t.Helper()
			_, _, _ = m.Free(t.Context(), row(t, m).Hold(), ledger.Failure{})
			_, _, _ = m.Claim(t.Context(), ledger.Claim{
				Key: row(t, m).Key, ID: "op_2", Attempt: "2", Immediate: &ledger.Crossing{}, Sent: ledger.Digest{1},
			})
		}, said{errs.CodeOperationConflict, 0}},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := memory.New()
			s := newStage(kind{first: vanishes, recover: "found"})
			defer release(s.gone)
			s.abandoned(t, m)
			f := newFaulty(m)
			once := true
			f.note = func(move string) {
				if move == "recover" && once {
					once = false
					test.meanwhile(t, m)
				}
			}
			if r, err := call(t.Context(), s.server(t, f), "k", `{"id":"a"}`); saidBy(err) != test.said {
				t.Errorf("%s: got %+v, %v", name, r, err)
			}
		})
	}
}

// TestReceiptDuringALook has an effect return while another process looks, and finds nothing: its receipt waits, and ends
// the doubt, with nobody calling.
func TestReceiptDuringALook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := memory.New()
		s := script{
			effect: func(_ context.Context, _ *server.Op, i in) (out, error) {
				time.Sleep(45 * time.Second)
				return out(i), nil
			},
			recover: func(ctx context.Context, _ *server.Op, _ in) (server.Recovered[out], error) {
				return server.NotFound[out](), sleep(ctx, 9*time.Second)
			},
		}
		paused := newFaulty(m)
		a, b := s.shared(t, paused), s.shared(t, m)
		go func() { _, _ = call(t.Context(), a, "k", `{"id":"a"}`) }()
		synctest.Wait()
		paused.breaks("park", lostBefore, -1) // it looks, too
		time.Sleep(41 * time.Second)
		go func() { _, _ = b.Sweep(t.Context()) }()
		time.Sleep(5 * time.Second)
		if got := row(t, m); got.State != ledger.Effect || got.Fence != 2 {
			t.Errorf("it is %v under fence %d", got.State, got.Fence)
		}
		paused.heal()
		time.Sleep(6 * time.Second)
		if got := row(t, m); got.State != ledger.Done || string(got.Receipt.Output) != `{"id":"a"}` {
			t.Errorf("it is %v", got.State)
		}
	})
}

// TestClosedAndLookedAt has the time of a call run out while it looks at an operation that a person closed. What the person
// said is not repeated: it may just turn out to be wrong.
func TestClosedAndLookedAt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := memory.New()
		looks := time.Duration(0)
		s := script{
			effect: func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") },
			recover: func(ctx context.Context, _ *server.Op, i in) (server.Recovered[out], error) {
				if err := sleep(ctx, looks); err != nil || looks == 0 {
					return server.NotFound[out](), err
				}
				return server.Committed(out(i)), nil
			},
		}
		srv := s.shared(t, m)
		_, _ = call(t.Context(), srv, "k", `{"id":"a"}`)
		time.Sleep(time.Minute)
		if _, ok, err := m.Resolve(t.Context(), ledger.Resolution{ID: row(t, m).ID, Actor: "o", Reason: "r"}); !ok || err != nil {
			t.Fatal(ok, err)
		}
		time.Sleep(time.Minute)
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != (said{errs.CodeOperationClosed, 0}) {
			t.Errorf("not found: got %v", err)
		}
		time.Sleep(time.Minute)
		looks = time.Second
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if _, err := call(ctx, srv, "k", `{"id":"a"}`); saidBy(err) != (said{errs.CodeOutcomeUnknown, errs.EffectUnknown}) {
			t.Errorf("no time: got %v", err)
		}
		time.Sleep(time.Second)
		if r, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil || !r.Replayed || !row(t, m).Contradicted {
			t.Errorf("found: got %+v, %v", r, err)
		}
	})
}
