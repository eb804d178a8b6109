package postgres_test

import (
	"testing"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/ledgertest"
	"github.com/remedyrpc/remedy/server/ledger/postgres"
)

func TestLedger(t *testing.T) {
	t.Parallel()
	dsn := server(t)
	ledgertest.Run(t, func(tb testing.TB, clock *ledgertest.Clock) ledgertest.Store {
		tb.Helper()
		schema := newSchema(tb, dsn)
		return ledgertest.Store{Durable: true, Shared: true, Open: func(tb testing.TB) ledger.Ledger {
			tb.Helper()
			return open(tb, dsn, postgres.WithSchema(schema), postgres.WithClock(clock.Now))
		}}
	})
}
