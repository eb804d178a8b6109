package server_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestFailureIsKept has what freed a key be in the row, for whoever looks, without a secret.
func TestFailureIsKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		code errs.Code
	}{
		"typed": {stale.New(), "slot_stale"},
		"plain": {errors.New(secret), errs.CodeInternal},
	} {
		m := memory.New()
		s := script{execute: func(context.Context, *server.Op, in) error { return test.err }}
		if _, err := call(t.Context(), s.shared(t, m), "k", `{"id":"a"}`); err == nil {
			t.Error("it did not fail")
		}
		got := row(t, m)
		if got.State != ledger.Free || got.Failure.Code != string(test.code) || bytes.Contains(got.Failure.Status, []byte("hunter2")) {
			t.Errorf("%s: got %v, %+v", name, got.State, got.Failure)
		}
	}
}
