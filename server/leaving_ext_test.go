package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestRandomLeaving has callers leave at a hundred moments of a call that goes on in every way, on a ledger that takes its
// time: nobody is told of no effect, or of a cancellation, where there was an effect, and everybody learns the same later.
func TestRandomLeaving(t *testing.T) {
	t.Parallel()
	for _, way := range []string{
		"works", "immediate", "fails", "is not applied", "is lost and found", "is lost", "was abandoned", "is executed again", "waits",
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			for moment := range 100 {
				synctest.Test(t, func(t *testing.T) { leave(t, way, time.Duration(moment)*time.Millisecond) })
			}
		})
	}
}

const step = 10 * time.Millisecond // of a hook

func leave(t *testing.T, way string, after time.Duration) {
	t.Helper()
	name := fmt.Sprintf("%s, left after %v", way, after)
	m := memory.New()
	k := kind{first: works}
	switch way {
	case "was abandoned":
		k = kind{first: vanishes, recover: "found"}
	case "is executed again":
		k = kind{first: vanishes, dedupes: true}
	}
	s := newStage(k)
	defer release(s.gone)
	if k.first == vanishes {
		s.abandoned(t, m)
	}
	f := newFaulty(m)
	f.latency = 3 * time.Millisecond
	srv := newServer(t, []*server.AnyTool{s.slowly(way)}, server.WithLedger(f), server.WithStopDelay(0))
	defer stop(t, srv)
	var others sync.WaitGroup
	if way == "waits" {
		others.Go(func() {
			_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
			s.holds(t, name+": who is waited for", err)
		})
		time.Sleep(step)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(after, cancel)
	_, err := call(ctx, srv, "k", `{"id":"a"}`)
	s.holds(t, name, err)
	others.Wait()
	for range 3 {
		time.Sleep(30 * time.Second)
		s.holds(t, name+": later", err)
		if _, err := srv.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	codes := make([]errs.Code, 3)
	var wg sync.WaitGroup
	for i := range codes {
		wg.Go(func() {
			_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
			codes[i] = errs.CodeOf(err)
			s.holds(t, name+": again", err)
		})
	}
	wg.Wait()
	if way == "is executed again" { // by one of them, while another may still be told of the doubt
		_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		if err != nil || slices.ContainsFunc(codes, func(c errs.Code) bool { return c != "" && c != errs.CodeOutcomeUnknown }) {
			t.Errorf("%s: in the end %v, and then %v", name, codes, err)
		}
		return
	}
	if codes[0] != codes[1] || codes[1] != codes[2] {
		t.Errorf("%s: in the end %v", name, codes)
	}
}

// slowly makes the tool of the stage one whose hooks take a step each, and whose effect goes one way.
func (s *stage) slowly(way string) *server.AnyTool {
	effect := func(ctx context.Context, op *server.Op, i in) (out, error) {
		err := sleep(ctx, step)
		if way == "is not applied" {
			return out{}, op.NotApplied(stale.New())
		}
		s.upstream.apply(op.ID)
		if way == "is lost" || way == "is lost and found" {
			err = errors.New("lost")
		}
		return out(i), err
	}
	tool := server.Tool[in, out]{
		Authorize: func(ctx context.Context, _ *server.Op, _ in) error { return sleep(ctx, step) },
		Execute: func(ctx context.Context, op *server.Op, i in) (server.Effect[out], error) {
			if err := sleep(ctx, step); err != nil {
				return nil, err
			}
			if way == "fails" {
				return nil, stale.New()
			}
			return func(ctx context.Context) (out, error) { return effect(ctx, op, i) }, nil
		},
		Verify: func(ctx context.Context, _ *server.Op, _ in, _ out) (server.Verdict, error) {
			return server.Verified, sleep(ctx, step)
		},
		DedupesOnOperationID: s.kind.dedupes,
	}
	if way == "immediate" {
		tool.Execute, tool.Immediate = nil, effect
	}
	if way == "is lost and found" || way == "was abandoned" {
		tool.Recover = func(ctx context.Context, op *server.Op, i in) (server.Recovered[out], error) {
			if err := sleep(ctx, step); err != nil || !s.upstream.knows(op.ID) {
				return server.NotFound[out](), err
			}
			return server.Committed(out(i)), nil
		}
	}
	return server.NewTool("t", "Does something.", tool)
}
