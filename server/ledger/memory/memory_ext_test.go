package memory_test

import (
	"testing"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/ledgertest"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

func TestLedger(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(_ testing.TB, clock *ledgertest.Clock) ledgertest.Store {
		shared := memory.New(memory.WithClock(clock.Now))
		return ledgertest.Store{Open: func(testing.TB) ledger.Ledger { return shared }}
	})
}
