package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestJournal has Recover get what Execute noted: of the process that crossed, of one that sweeps, and of one that is called.
func TestJournal(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"the owner", "who sweeps", "who is called"} {
		synctest.Test(t, func(t *testing.T) {
			end := make(chan struct{})
			defer release(end)
			noted := make(chan []byte, 2)
			s := script{
				execute: func(_ context.Context, op *server.Op, _ in) error {
					if err := op.Journal(make([]byte, ledger.MaxJournal+1)); err == nil {
						t.Error("a note that is too long was taken")
					}
					return errors.Join(op.Journal([]byte("first")), op.Journal([]byte("note")))
				},
				effect: func(_ context.Context, op *server.Op, _ in) (out, error) {
					if err := op.Journal([]byte("late")); err == nil {
						t.Error("a note was taken that is lost")
					}
					if who != "the owner" {
						<-end
					}
					return out{}, errors.New("lost")
				},
				recover: func(_ context.Context, op *server.Op, in in) (server.Recovered[out], error) {
					noted <- op.Journaled
					return server.Committed(out(in)), nil
				},
			}
			m := memory.New()
			dying := newFaulty(m)
			a, b := s.shared(t, dying), s.shared(t, m)
			ctx, leave := context.WithCancel(t.Context())
			go func() { _, _ = call(ctx, a, "k", `{"id":"a"}`) }()
			synctest.Wait()
			if who != "the owner" {
				dying.cut()
				leave()
				stop(t, a)
				time.Sleep(41 * time.Second)
				<-noted // its owner looks, too, once its time is over
			}
			var err error
			switch who {
			case "who sweeps":
				_, err = b.Sweep(t.Context())
			case "who is called":
				_, err = call(t.Context(), b, "k", `{"id":"a"}`)
			}
			if got := <-noted; err != nil || string(got) != "note" {
				t.Errorf("%s: got %q, %v", who, got, err)
			}
			leave()
		})
	}
}

// TestNoJournal has a tool that checks nothing, and has no place for a note.
func TestNoJournal(t *testing.T) {
	t.Parallel()
	tool := server.NewTool("t", "Does something.", server.Tool[in, out]{
		Immediate: func(_ context.Context, op *server.Op, i in) (out, error) {
			if err := op.Journal([]byte("note")); err == nil {
				t.Error("a note was taken that is lost")
			}
			return out(i), nil
		},
	})
	if _, err := call(t.Context(), newServer(t, []*server.AnyTool{tool}), "k", `{"id":"a"}`); err != nil {
		t.Error(err)
	}
}
