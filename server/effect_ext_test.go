package server_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestUnknownKeyProvesNothing has a call fail before it claims, while an equal one is about to: that the ledger does not know
// the key yet is no reason to state that there was no effect.
func TestUnknownKeyProvesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		both := make(chan struct{})
		second := false
		s := script{authorize: func(context.Context, *server.Op, in) error {
			if second {
				return errors.New(secret)
			}
			second = true
			<-both
			return nil
		}}
		srv := s.shared(t, memory.New())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil {
				t.Errorf("got %v", err)
			}
		})
		synctest.Wait()
		_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		if saidBy(err) != (said{errs.CodeInternal, 0}) || !errs.IsInferred(errs.InferOutcome(err, errs.Call{Name: "t", OperationKey: "k"})) {
			t.Errorf("got %v", err)
		}
		close(both)
		wg.Wait()
		if got := s.count("effect"); got != 1 {
			t.Errorf("%d effects", got)
		}
	})
}
