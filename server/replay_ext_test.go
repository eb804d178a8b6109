package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/server"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s script
		srv := s.server(t)
		first, err := call(t.Context(), srv, "k", `{"id":"a","n":1}`)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		// The same input, written in another way.
		again, err := call(t.Context(), srv, "k", ` { "n" : 1.0 , "id" : "\u0061" } `)
		if err != nil {
			t.Fatal(err)
		}
		want := first
		want.Replayed = true
		if diff := cmp.Diff(want, again); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"authorize", "execute", "effect", "authorize"}, s.hooks()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, err := call(t.Context(), srv, "k", `{"id":"a","n":2}`); saidBy(err) != (said{errs.CodeOperationConflict, 0}) {
			t.Errorf("another input: got %v", err)
		}
		s.authorize = func(context.Context, *server.Op, in) error { return server.Denied("") }
		if _, err := call(t.Context(), srv, "k", `{"id":"a","n":1}`); saidBy(err) != (said{errs.CodeAuthorizationDenied, 0}) {
			t.Errorf("not authorized any more: got %v", err)
		}
	})
}

func TestScope(t *testing.T) {
	t.Parallel()
	var s script
	srv := newServer(t, []*server.AnyTool{s.tool("t"), s.tool("u")})
	as := func(principal, tenant string) context.Context {
		return auth.NewContext(t.Context(), auth.Identity{Principal: principal, Tenant: tenant})
	}
	for _, ctx := range []context.Context{t.Context(), as("alice", "x"), as("bob", "x"), as("alice", "y")} {
		for _, tool := range []string{"t", "u"} {
			if r, err := srv.Call(ctx, server.Call{Tool: tool, OperationKey: "k", Input: `{"id":"a"}`}); err != nil || r.Replayed {
				t.Errorf("got %+v, %v", r, err)
			}
		}
	}
	if got := s.count("effect"); got != 8 {
		t.Errorf("the effects were called %d times", got)
	}
}

func TestToolKey(t *testing.T) {
	t.Parallel()
	s := script{key: func(_ context.Context, in in) string { return "of-" + in.ID }}
	srv := s.server(t)
	first, err := call(t.Context(), srv, "mine", `{"id":"a"}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"", "mine", "another"} {
		r, err := call(t.Context(), srv, key, `{"id":"a"}`)
		if err != nil || !r.Replayed || r.OperationID != first.OperationID {
			t.Errorf("%q: got %+v, %v", key, r, err)
		}
		if _, err := call(t.Context(), srv, key, `{"id":"a","n":1}`); saidBy(err) != (said{errs.CodeOperationConflict, 0}) ||
			errs.InfoOf(err).OperationKey != "of-a" {
			t.Errorf("%q, another input: got %v, %+v", key, err, errs.InfoOf(err))
		}
	}
	if r, err := call(t.Context(), srv, "mine", `{"id":"b"}`); err != nil || r.Replayed {
		t.Errorf("the same key of the caller, another of the tool: got %+v, %v", r, err)
	}
	// Before its key is known, a failure names none.
	if _, err := call(t.Context(), srv, "mine", `{}`); saidBy(err) != (said{errs.CodeInvalidInput, 0}) || errs.InfoOf(err).OperationKey != "" {
		t.Errorf("got %v, %+v", err, errs.InfoOf(err))
	}
	s.effect = func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") }
	_, err = call(t.Context(), srv, "mine", `{"id":"c"}`)
	if e, ok := errors.AsType[*errs.OutcomeUnknownError](err); !ok || e.OperationKey != "of-c" {
		t.Errorf("got %v", err)
	}
}
