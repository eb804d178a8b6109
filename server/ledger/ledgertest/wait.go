package ledgertest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// patience is how long a wait may take that has to end. It is not how long anything takes.
const patience = 20 * time.Second

// waits is how many wait for one row at once.
const waits = 64

// testWait holds when a wait ends.
func testWait(s *suite) {
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	key := s.key()
	if err := s.Wait(ctx, key, 7); err != nil {
		s.Errorf("Wait() where there is no row = %v; want nil at once", err)
	}
	var all sync.WaitGroup
	wait := func(l ledger.Ledger, key ledger.Key, version int64) {
		all.Go(func() {
			if err := l.Wait(ctx, key, version); err != nil {
				s.Errorf("Wait(%d) = %v; want nil", version, err)
			}
		})
	}

	// A row comes, moves under the eyes of many and of another handle, changes without a move, and goes.
	other := s.another()
	wait(s.Ledger, key, 0)
	row := s.claimed(key)
	all.Wait()
	for _, version := range []int64{0, row.Version - 1, row.Version + 1} {
		if err := s.Wait(ctx, key, version); err != nil {
			s.Errorf("Wait(%d) for version %d = %v; want nil at once", version, row.Version, err)
		}
	}
	for i := range waits {
		wait([]ledger.Ledger{s.Ledger, other}[i%2], key, row.Version)
	}
	row = s.must(other.Cross(ctx, row.Hold(), crossing()))
	all.Wait()
	row = s.must(s.Record(ctx, row.Hold(), receipt("{}")))
	wait(other, key, row.Version)
	row = s.must(s.Judge(ctx, row.Hold(), ledger.OK, ""))
	all.Wait()
	wait(s.Ledger, key, row.Version)
	s.clock.Advance(time.Hour)
	s.expires(ledger.Retention{Keys: time.Hour, Limit: 1}, ledger.Expired{Rows: 1})
	all.Wait()
}

// testTurns has two wait for each other, over two handles: each of them waits for what the other one does next.
func testTurns(s *suite) {
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	const turns = 8
	row := s.done(s.key())
	var all sync.WaitGroup
	for i, l := range []ledger.Ledger{s.Ledger, s.another()} {
		all.Go(func() {
			for turn := i; turn < turns; turn += 2 {
				for version := row.Version + int64(turn); ; {
					known, err := l.Get(ctx, row.Key)
					if err != nil {
						s.Errorf("Get() = %v", err)
						return
					}
					if known.Version == version {
						break
					}
					if err := l.Wait(ctx, row.Key, known.Version); err != nil {
						s.Errorf("Wait() for version %d = %v", version, err)
						return
					}
				}
				if _, ok, err := l.Judge(ctx, row.Hold(), ledger.Failed, s.name("turn")); !ok || err != nil {
					s.Errorf("Judge() = %v, %v", ok, err)
				}
			}
		})
	}
	all.Wait()
	if known := s.get(row.Key); known.Version != row.Version+turns {
		s.Errorf("after %d turns the version is %d; want %d", turns, known.Version, row.Version+turns)
	}
}

// testWaitEnds holds that a wait ends with its context, and with its ledger.
func testWaitEnds(s *suite) {
	row := s.claimed(s.key())
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan error, 2)
	go func() { ended <- s.Wait(ctx, row.Key, row.Version) }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		s.Errorf("Wait() of a caller who left = %v; want %v", err, context.Canceled)
	}
	if err := s.Wait(ctx, row.Key, 0); !errors.Is(err, context.Canceled) {
		s.Errorf("Wait() of a caller who was never there = %v; want %v", err, context.Canceled)
	}
	go func() { ended <- s.Wait(s.Context(), row.Key, row.Version) }()
	if err := s.Close(); err != nil {
		s.Errorf("Close() = %v", err)
	}
	if err := <-ended; !errors.Is(err, ledger.ErrUnavailable) {
		s.Errorf("Wait() of a closed ledger = %v; want %v", err, ledger.ErrUnavailable)
	}
}
