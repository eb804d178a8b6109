package server_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

// TestLeavingDuringTheClaim has callers leave while their claims are committed, which a real store goes on with: what was
// claimed and not executed is freed, and no operation is left in doubt of which the server knows that it never began.
func TestLeavingDuringTheClaim(t *testing.T) {
	t.Parallel()
	const calls = 400
	for _, now := range []bool{false, true} {
		t.Run(fmt.Sprintf("immediate %t", now), func(t *testing.T) {
			t.Parallel()
			l, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			var s script
			var change []func(*server.Tool[in, out])
			if now {
				change = append(change, immediate(func(_ context.Context, _ *server.Op, i in) (out, error) { s.note("effect"); return out(i), nil }))
			}
			srv := newServer(t, []*server.AnyTool{s.tool("t", change...)}, server.WithLedger(l))
			for i := range calls { // one by one: each claim has a commit of its own
				ctx, leave := context.WithTimeout(t.Context(), time.Duration(i)*3*time.Microsecond)
				_, _ = call(ctx, srv, fmt.Sprint("k", i), `{"id":"a"}`)
				leave()
			}
			begun := ledger.Filter{States: []ledger.State{ledger.Claimed, ledger.Effect}, Limit: calls}
			rows, _, err := l.List(t.Context(), begun)
			for ; err == nil && len(rows) > 0; rows, _, err = l.List(t.Context(), begun) {
				if err := l.Wait(t.Context(), rows[0].Key, rows[0].Version); err != nil {
					t.Fatal(err)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			done, _, err := l.List(t.Context(), ledger.Filter{Limit: 2 * calls}) // all but those that are free
			if err != nil {
				t.Fatal(err)
			}
			for i := range done {
				if done[i].State != ledger.Done {
					t.Errorf("%v is %v", done[i].Key.Key, done[i].State)
				}
			}
			if got := s.count("effect"); got != len(done) {
				t.Errorf("%d effects, and %d operations that are done", got, len(done))
			}
		})
	}
}
