// Package ledgertest holds a store of operations to what package ledger says. A store has one test:
//
//	func TestLedger(t *testing.T) {
//		t.Parallel()
//		ledgertest.Run(t, func(_ testing.TB, clock *ledgertest.Clock) ledgertest.Store {
//			shared := memory.New(memory.WithClock(clock.Now))
//			return ledgertest.Store{Open: func(testing.TB) ledger.Ledger { return shared }}
//		})
//	}
//
// It tries every move from every state, compares random sequences of moves with the pure functions of package rules, and
// has callers, sweepers and handles compete. It never sleeps: the time of a store is that of its [Clock].
package ledgertest
