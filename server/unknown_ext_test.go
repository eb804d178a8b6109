package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
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
