package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestOrder holds the order in which a call asks its hooks and the ledger.
func TestOrder(t *testing.T) {
	t.Parallel()
	const first = "authorize claim execute cross effect record verify judge"
	fails := func(err error) func(context.Context, *server.Op, in) error {
		return func(context.Context, *server.Op, in) error { return err }
	}
	once := func(t *testing.T, srv *server.Server) {
		t.Helper()
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		script script
		before func(t *testing.T, srv *server.Server)
		input  string // default {"id":"a"}
		order  string
		said   said
	}{
		{name: "first", order: first},
		{name: "immediate: two writes", order: "authorize claim effect record verify judge"},
		{name: "replay", before: once, order: "authorize claim verify"},
		{name: "invalid", input: `{"id":1}`, order: "get", said: said{errs.CodeInvalidInput, 0}},
		{name: "no JSON", input: `{`, order: "", said: said{errs.CodeInvalidInput, 0}},
		{name: "denied", script: script{authorize: fails(server.Denied(""))}, order: "authorize", said: said{errs.CodeAuthorizationDenied, 0}},
		{name: "another input", before: once, input: `{"id":"b"}`, order: "authorize claim", said: said{errs.CodeOperationConflict, 0}},
		{
			name: "fails before its boundary", script: script{execute: fails(stale.New())},
			order: "authorize claim execute free", said: said{"slot_stale", errs.EffectNone},
		},
		{
			name: "is lost", script: script{effect: func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") }},
			order: "authorize claim execute cross effect park", said: said{errs.CodeOutcomeUnknown, errs.EffectUnknown},
		},
		{
			name: "is not applied", script: script{effect: func(_ context.Context, op *server.Op, _ in) (out, error) {
				return out{}, op.NotApplied(stale.New())
			}}, order: "authorize claim execute cross effect free", said: said{"slot_stale", errs.EffectNone},
		},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &test.script
			s.verify = func(context.Context, *server.Op, in, out) (server.Verdict, error) { return server.Verified, nil }
			f := newFaulty(memory.New())
			f.note = s.note
			var change []func(*server.Tool[in, out])
			if strings.HasPrefix(test.name, "immediate") {
				change = append(change, immediate(func(_ context.Context, _ *server.Op, i in) (out, error) { s.note("effect"); return out(i), nil }))
			}
			srv := newServer(t, []*server.AnyTool{s.tool("t", change...)}, server.WithLedger(f),
				server.WithObserver(func(context.Context, server.Event) { panic("it changes nothing") }))
			if test.before != nil {
				test.before(t, srv)
				s.hooks()
			}
			input := `{"id":"a"}`
			if test.input != "" {
				input = test.input
			}
			_, err := call(t.Context(), srv, "k", input)
			if saidBy(err) != test.said {
				t.Errorf("got %v", err)
			}
			if got := strings.Join(s.hooks(), " "); got != test.order {
				t.Errorf("got  %s\nwant %s", got, test.order)
			}
		})
	}
}

// TestFreedKey has a key be used again after a failure before the boundary, also with another input.
func TestFreedKey(t *testing.T) {
	t.Parallel()
	s := script{execute: func(_ context.Context, _ *server.Op, in in) error {
		if in.ID == "a" {
			return stale.New()
		}
		return nil
	}}
	srv := s.shared(t, memory.New())
	var ids []string
	for range 2 {
		_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		if saidBy(err) != (said{"slot_stale", errs.EffectNone}) {
			t.Errorf("got %v", err)
		}
		ids = append(ids, errs.InfoOf(err).OperationID)
	}
	r, err := call(t.Context(), srv, "k", `{"id":"b"}`)
	if err != nil || r.Replayed || ids[0] == ids[1] || r.OperationID == ids[1] {
		t.Errorf("got %+v, %v after %v", r, err, ids)
	}
}

// TestTenantScope has a tool whose keys all principals of a tenant share, and with them its results.
func TestTenantScope(t *testing.T) {
	t.Parallel()
	var s script
	tool := s.tool("t", func(t *server.Tool[in, out]) { t.Scope = server.TenantScope })
	srv := newServer(t, []*server.AnyTool{tool}, server.WithLedger(memory.New()))
	as := func(principal, tenant string) context.Context {
		return auth.NewContext(t.Context(), auth.Identity{Principal: principal, Tenant: tenant})
	}
	for i, ctx := range []context.Context{as("alice", "x"), as("bob", "x"), as("alice", "y")} {
		r, err := call(ctx, srv, "k", `{"id":"a"}`)
		if err != nil || r.Replayed != (i == 1) {
			t.Errorf("call %d: got %+v, %v", i, r, err)
		}
	}
}
