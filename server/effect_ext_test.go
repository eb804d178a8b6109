package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestLedgerKnows has calls fail before they ask for their operation. Where the ledger outlives the process and says that
// there was no effect, a client need not think that there was one.
func TestLedgerKnows(t *testing.T) {
	t.Parallel()
	plain := errors.New(secret)
	broken := func(context.Context, *server.Op, in) error { return plain }
	expired := func(t *testing.T) context.Context {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return ctx
	}
	tests := []struct {
		name      string
		own       bool // memory of the server's own
		before    func(t *testing.T, s *script, srv *server.Server)
		authorize func(context.Context, *server.Op, in) error
		ctx       func(t *testing.T) context.Context
		down      bool
		said      said
		inferred  bool // a client concludes an unknown outcome
	}{
		{name: "masked", authorize: broken, said: said{errs.CodeInternal, errs.EffectNone}},
		{name: "masked, own memory", own: true, authorize: broken, said: said{errs.CodeInternal, 0}, inferred: true},
		{name: "masked, ledger down", down: true, authorize: broken, said: said{errs.CodeInternal, 0}, inferred: true},
		{name: "canceled", ctx: expired, said: said{errs.CodeCanceled, errs.EffectNone}},
		{
			name: "masked, done", authorize: broken, said: said{errs.CodeInternal, 0}, inferred: true,
			before: func(t *testing.T, _ *script, srv *server.Server) {
				t.Helper()
				_, _ = call(t.Context(), srv, "k", `{"id":"a"}`)
			},
		},
		{
			name: "masked, unknown", authorize: broken, said: said{errs.CodeInternal, 0}, inferred: true,
			before: func(t *testing.T, s *script, srv *server.Server) {
				t.Helper()
				s.effect = func(context.Context, *server.Op, in) (out, error) { return out{}, plain }
				_, _ = call(t.Context(), srv, "k", `{"id":"a"}`)
			},
		},
		{
			name: "masked, freed", authorize: broken, said: said{errs.CodeInternal, errs.EffectNone},
			before: func(t *testing.T, s *script, srv *server.Server) {
				t.Helper()
				s.execute = func(context.Context, *server.Op, in) error { return stale.New() }
				_, _ = call(t.Context(), srv, "k", `{"id":"a"}`)
			},
		},
		{
			name: "what no client doubts", authorize: func(context.Context, *server.Op, in) error { return server.Denied("") },
			said: said{errs.CodeAuthorizationDenied, 0},
		},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var s script
				f := newFaulty(memory.New())
				srv := s.shared(t, f)
				if test.own {
					srv = s.server(t)
				}
				if test.before != nil {
					test.before(t, &s, srv)
				}
				if test.down {
					f.cut()
				}
				s.authorize = test.authorize
				ctx := t.Context()
				if test.ctx != nil {
					ctx = test.ctx(t)
				}
				_, err := call(ctx, srv, "k", `{"id":"a"}`)
				if saidBy(err) != test.said {
					t.Errorf("got %+v (%v), want %+v", saidBy(err), err, test.said)
				}
				if got := errs.IsInferred(errs.InferOutcome(err, errs.Call{Name: "t"})); got != test.inferred {
					t.Errorf("inferred %v", got)
				}
			})
		})
	}
}
