package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/ledgertest"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

func TestLedger(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(tb testing.TB, clock *ledgertest.Clock) ledgertest.Store {
		tb.Helper()
		path := filepath.Join(tb.TempDir(), "ledger.db")
		return ledgertest.Store{Durable: true, Open: func(tb testing.TB) ledger.Ledger {
			tb.Helper()
			l, err := sqlite.Open(tb.Context(), path, sqlite.WithClock(clock.Now), sqlite.WithDurability(sqlite.Process))
			if err != nil {
				tb.Fatal(err)
			}
			return l
		}}
	})
}
