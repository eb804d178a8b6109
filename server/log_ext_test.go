package server_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestLogOfDoubt has an error for every operation that ends in doubt, once, whoever asks how often; a caller that is only told
// so is a warning, and so is a ledger that does not answer.
func TestLogOfDoubt(t *testing.T) {
	t.Parallel()
	s := script{effect: func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") }}
	var log bytes.Buffer
	store := memory.New()
	srv := s.server(t, server.WithLedger(store), server.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	var id string
	for range 3 {
		_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		if id = errs.InfoOf(err).OperationID; errs.CodeOf(err) != errs.CodeOutcomeUnknown || id == "" {
			t.Fatal(err)
		}
	}
	if got := strings.Count(log.String(), "level=ERROR"); got != 1 ||
		!strings.Contains(log.String(), `"nobody knows whether an operation took effect" tool=t operationKey=k operationId=`+id) {
		t.Errorf("got %d errors:\n%s", got, log.String())
	}
	if got := strings.Count(log.String(), "level=WARN"); got != 3 {
		t.Errorf("got %d warnings:\n%s", got, log.String())
	}
	log.Reset()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t.Context(), srv, "k2", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeLedgerUnavailable {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(log.String(), "the ledger does not answer") || !strings.Contains(log.String(), "it is closed") {
		t.Errorf("got %s", log.String())
	}
}
