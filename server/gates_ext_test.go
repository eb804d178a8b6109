package server_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestWindow has callers leave less time than the tool needs, for operations in every state. Only those that would execute
// are refused.
func TestWindow(t *testing.T) {
	t.Parallel()
	refuse := func(context.Context, *server.Op, in) error { return stale.New() }
	lose := func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") }
	found := func(_ context.Context, _ *server.Op, i in) (server.Recovered[out], error) {
		return server.Committed(out(i)), nil
	}
	tests := []struct {
		name          string
		first, second script // what the tool does in the call before, and in the one that is short of time
		input         string // of the second; default {"id":"a"}
		after         func(t *testing.T, l ledger.Ledger, row ledger.Row)
		said          said
		hooks         string
	}{
		{name: "none", said: said{errs.CodeDeadlineTooShort, errs.EffectUnspecified}, hooks: "authorize"},
		{name: "freed", first: script{execute: refuse}, said: said{errs.CodeDeadlineTooShort, errs.EffectUnspecified}, hooks: "authorize"},
		{name: "done", first: script{}, hooks: "authorize"},
		{
			name: "another input", first: script{}, input: `{"id":"b"}`,
			said: said{errs.CodeOperationConflict, errs.EffectUnspecified}, hooks: "authorize",
		},
		{name: "unknown", first: script{effect: lose}, said: said{errs.CodeOutcomeUnknown, errs.EffectUnknown}, hooks: "authorize"},
		{name: "unknown, and found", first: script{effect: lose}, second: script{recover: found}, hooks: "authorize recover"},
		{
			name: "closed", first: script{effect: lose}, after: func(t *testing.T, l ledger.Ledger, row ledger.Row) {
				t.Helper()
				time.Sleep(time.Minute)
				_, ok, err := l.Resolve(t.Context(), ledger.Resolution{ID: row.ID, Actor: "op", Reason: "looked"})
				if !ok || err != nil {
					t.Fatal(ok, err)
				}
			},
			said: said{errs.CodeOperationClosed, errs.EffectUnspecified}, hooks: "authorize",
		},
		{
			name: "running", first: script{execute: refuse}, after: func(t *testing.T, l ledger.Ledger, row ledger.Row) {
				t.Helper()
				_, ok, err := l.Claim(t.Context(), ledger.Claim{
					Key: row.Key, ID: "op_2", Attempt: "at_2", Sent: row.Sent, Lease: time.Hour,
				})
				if !ok || err != nil {
					t.Fatal(ok, err)
				}
			},
			said: said{errs.CodeOperationInFlight, errs.EffectUnspecified}, hooks: "authorize", // and again after each wait
		},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := memory.New()
				if test.name != "none" {
					_, _ = call(t.Context(), test.first.shared(t, l), "k", `{"id":"a"}`)
				}
				if test.after != nil {
					test.after(t, l, row(t, l))
				}
				second := &test.second
				srv := newServer(t, []*server.AnyTool{second.tool("t", func(t *server.Tool[in, out]) { t.Timeouts.Window = time.Hour })},
					server.WithLedger(l), server.WithRecheckInterval(0))
				short, cancel := context.WithTimeout(t.Context(), time.Hour-time.Second)
				defer cancel()
				before := row(t, l)
				input := `{"id":"a"}`
				if test.input != "" {
					input = test.input
				}
				_, err := call(short, srv, "k", input)
				if saidBy(err) != test.said {
					t.Errorf("got %v", err)
				}
				if got := strings.Join(slices.Compact(second.hooks()), " "); got != test.hooks {
					t.Errorf("got the hooks %q, want %q", got, test.hooks)
				}
				if test.said.Code != errs.CodeDeadlineTooShort {
					return
				}
				if after := row(t, l); after.Version != before.Version {
					t.Errorf("the refusal changed the row: %+v", after)
				}
				if got := errs.Message(err); !strings.Contains(got, "it needs 1h0m0s") {
					t.Errorf("got %q", got)
				}
				for name, ctx := range map[string]context.Context{"enough": withTimeout(t, time.Hour), "no-deadline": t.Context()} {
					if r, err := call(ctx, srv, name, `{"id":"a"}`); err != nil || r.Replayed {
						t.Errorf("%s: got %+v, %v", name, r, err)
					}
				}
			})
		})
	}
}

// TestWindowAfterAWait has a call with too little time wait for an equal one, and share what becomes of that.
func TestWindowAfterAWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := script{execute: func(ctx context.Context, _ *server.Op, _ in) error { _ = sleep(ctx, time.Second); return stale.New() }}
		srv := newServer(t, []*server.AnyTool{s.tool("t", func(t *server.Tool[in, out]) { t.Timeouts.Window = 10 * time.Second })})
		first := make(chan error, 1)
		go func() { _, err := call(t.Context(), srv, "k", `{"id":"a"}`); first <- err }()
		synctest.Wait()
		if _, err := call(withTimeout(t, 5*time.Second), srv, "k", `{"id":"a"}`); saidBy(err) != (said{"slot_stale", errs.EffectNone}) {
			t.Errorf("who waits shares the failure, and was not to execute: got %v", err)
		}
		if err := <-first; errs.CodeOf(err) != "slot_stale" {
			t.Error(err)
		}
		if got := s.count("execute"); got != 1 {
			t.Errorf("Execute was called %d times", got)
		}
	})
}

// late has a deadline that is over, and is not done yet, as for a moment every context is.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

// TestNoWindow has a tool without a window be called at the very end of a deadline: that is no deadline that is too short.
func TestNoWindow(t *testing.T) {
	t.Parallel()
	var s script
	if _, err := call(late{t.Context()}, s.server(t), "k", `{"id":"a"}`); err != nil {
		t.Errorf("got %v", err)
	}
}

func withTimeout(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
