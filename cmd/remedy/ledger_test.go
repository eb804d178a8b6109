package main

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

// TestLedgerDown has a service whose database does not answer: whoever asks is told where it says why.
func TestLedgerDown(t *testing.T) {
	t.Parallel()
	closed, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	service, err := server.New(nil, server.WithLedger(closed), server.WithSweepInterval(0), server.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	options, err := interceptors.ServerOptions()
	if err != nil {
		t.Fatal(err)
	}
	addr := listen(t, func(r *grpc.Server) { service.Register(r) }, options...)
	for _, args := range [][]string{{"list"}, {"get", "op_1"}, {"reconcile", "op_1"}} {
		got := command(t, "", append(append([]string{"ops"}, args...), "--addr", addr)...)
		want := "If that goes on, the log of the service at " + addr + " says what is wrong with its database."
		if got.code != exitAsIs || !strings.Contains(unwrapped(got.err), want) {
			t.Errorf("%v: got %+v", args, got)
		}
	}
}
