package ledgertest

import (
	"testing"

	"github.com/remedyrpc/remedy/server/ledger"
)

// Store is one store, empty at first, as a test uses it.
type Store struct {
	// Open opens a handle on the store. The suite closes it; an error of Close fails the test that opened it.
	Open func(tb testing.TB) ledger.Ledger
	// Shared says that several handles may be open at once. Where they may not, one stands for all.
	Shared bool
	// Durable says that a handle that is opened after all others were closed finds what they acknowledged.
	Durable bool
}

// Run runs the suite as parallel subtests. Each of them starts a store of its own, whose time has to be that of the clock.
func Run(t *testing.T, start func(tb testing.TB, clock *Clock) Store) {
	t.Helper()
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clock := NewClock()
			store := start(t, clock)
			c.run(&suite{T: t, store: store, clock: clock, Ledger: open(t, store), restart: func() *suite {
				clock := NewClock()
				store := start(t, clock)
				return &suite{T: t, store: store, clock: clock, Ledger: open(t, store)}
			}})
		})
	}
}

type testCase struct {
	name string
	run  func(s *suite)
}

func cases() []testCase {
	return []testCase{
		{"moves", testMoves},
		{"rules", testRules},
		{"claim", testClaim},
		{"fences", testFences},
		{"looks", testLooks},
		{"free", testFree},
		{"receipts", testReceipts},
		{"late receipts", testLateReceipts},
		{"verdicts", testVerdicts},
		{"recover", testRecover},
		{"progress", testProgress},
		{"redo", testRedo},
		{"redo of a doubt", testRedoUnknown},
		{"resolve", testResolve},
		{"sweep", testSweep},
		{"sweepers", testSweepers},
		{"expire", testExpire},
		{"purge", testPurge},
		{"list", testList},
		{"pages", testPages},
		{"wait", testWait},
		{"turns", testTurns},
		{"wait ends", testWaitEnds},
		{"races", testRaces},
		{"contest", testContest},
		{"callers", testCallers},
		{"apart", testApart},
		{"texts", testTexts},
		{"large", testLarge},
		{"copies", testCopies},
		{"trail", testTrail},
		{"reopen", testReopen},
		{"context", testContext},
		{"close", testClose},
	}
}

func open(t *testing.T, store Store) ledger.Ledger {
	t.Helper()
	l := store.Open(t)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return l
}
