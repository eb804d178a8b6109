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

// TestSecretsAreNotKept has a tool whose input holds a secret: hooks of a call see it, the ledger never does, and whoever
// recovers the operation without a caller gets the rest.
func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	type payment struct {
		ID   string `json:"id"`
		Card string `json:"card,omitempty"`
	}
	store := memory.New()
	key := ledger.Key{Tool: "pay", Key: "k"}
	var recovered []payment
	tool := server.NewTool("pay", "Pays.", server.Tool[payment, out]{
		InputSchema: `{"type":"object","properties":{"id":{"type":"string"},"card":{"type":"string","writeOnly":true}},"required":["id"]}`,
		Execute: func(_ context.Context, _ *server.Op, in payment) (server.Effect[out], error) {
			return func(ctx context.Context) (out, error) {
				row, err := store.Get(ctx, key)
				if err != nil || string(row.Input) != `{"id":"a"}` || in.Card != secret {
					t.Errorf("kept %s, given %+v, %v", row.Input, in, err)
				}
				return out{}, errors.New("lost")
			}, nil
		},
		Recover: func(_ context.Context, _ *server.Op, in payment) (server.Recovered[out], error) {
			recovered = append(recovered, in)
			return server.NotFound[out](), nil
		},
	})
	srv := newServer(t, []*server.AnyTool{tool}, server.WithLedger(store), server.WithRecheckInterval(0))
	for range 2 {
		_, err := srv.Call(t.Context(), server.Call{Tool: "pay", OperationKey: "k", Input: `{"id":"a","card":"` + secret + `"}`})
		if errs.CodeOf(err) != errs.CodeOutcomeUnknown {
			t.Fatal(err)
		}
	}
	if len(recovered) != 2 || recovered[0].Card != secret || recovered[1].Card != secret {
		t.Errorf("Recover with a caller got %+v", recovered)
	}
	row, err := store.Get(t.Context(), key)
	if err != nil || bytes.Contains(row.Input, []byte("hunter2")) {
		t.Errorf("kept %s, %v", row.Input, err)
	}
	_, err = srv.Call(t.Context(), server.Call{Tool: "pay", OperationKey: "k", Input: `{"id":"a","card":"other"}`})
	if errs.CodeOf(err) != errs.CodeOperationConflict {
		t.Errorf("another secret: got %v", err)
	}
}
