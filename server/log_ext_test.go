package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// TestLogOfVerification has a result that is not verified be an error, but for a caller who left before it was looked at:
// nothing is known to be wrong then.
func TestLogOfVerification(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	s := script{verify: func(ctx context.Context, _ *server.Op, in in, _ out) (server.Verdict, error) {
		if in.N == 0 {
			return server.NotVerified("wrong"), nil
		}
		leave()
		<-ctx.Done()
		return "", ctx.Err()
	}}
	var log bytes.Buffer
	srv := s.server(t, server.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	for i, want := range []string{
		`level=ERROR msg="a result is not verified"`, `level=WARN msg="a caller left before its result was verified"`,
	} {
		log.Reset()
		_, err := call(ctx, srv, fmt.Sprintf("k%d", i), fmt.Sprintf(`{"id":"a","n":%d}`, i))
		got := log.String()
		if errs.CodeOf(err) != errs.CodeVerificationFailed || !strings.Contains(got, want) || strings.Count(got, "level=") != 1 {
			t.Errorf("got %v and the log\n%s", err, got)
		}
	}
}
