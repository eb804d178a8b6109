package server_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestReadWhileNothingIsClaimed has the ledger answer no claims, as one whose disk is full: what it knows answers equal calls
// all the same, and from the second call on it is read first. A new operation is refused, until claims are answered again.
func TestReadWhileNothingIsClaimed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s script
		f := newFaulty(memory.New())
		srv := newServer(t, []*server.AnyTool{s.tool("t")}, server.WithLedger(f))
		f.note = s.note
		const input = `{"id":"a"}`
		if _, err := call(t.Context(), srv, "k", input); err != nil {
			t.Fatal(err)
		}
		f.breaks("claim", lostBefore, -1)
		s.hooks()
		replay := func(want string) {
			t.Helper()
			r, err := call(t.Context(), srv, "k", input)
			if err != nil || !r.Replayed {
				t.Errorf("got %+v, %v; want a replay", r, err)
			}
			if got := strings.Join(s.hooks(), " "); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
		replay("authorize claim claim claim get") //nolint:dupword // it is asked three times
		replay("authorize get")
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if _, err := call(ctx, srv, "new", input); errs.CodeOf(err) != errs.CodeLedgerUnavailable {
			t.Errorf("got %v; want that the ledger is not available", err)
		}
		time.Sleep(30 * time.Second) // until what the calls left behind has given up, too
		f.heal()
		if _, err := call(t.Context(), srv, "new", input); err != nil {
			t.Error(err)
		}
		s.hooks()
		replay("authorize claim")
	})
}
