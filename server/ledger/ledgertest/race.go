package ledgertest

import (
	"sync"
	"sync/atomic"

	"github.com/remedyrpc/remedy/server/ledger"
)

// crowd is how many do the same at once.
const crowd = 32

// together has a crowd do something at once, over two handles, and returns how often it was true.
func (s *suite) together(do func(l ledger.Ledger) (ledger.Row, bool, error)) int {
	s.Helper()
	handles := []ledger.Ledger{s.Ledger, s.another()}
	var all sync.WaitGroup
	var won atomic.Int64
	begin := make(chan struct{})
	for i := range crowd {
		all.Go(func() {
			<-begin
			_, ok, err := do(handles[i%2])
			if err != nil {
				s.Errorf("a move of %d at once = %v", crowd, err)
			}
			if ok {
				won.Add(1)
			}
		})
	}
	close(begin)
	all.Wait()
	return int(won.Load())
}

// testRaces has many ask at once for what one can get.
func testRaces(s *suite) {
	key := s.key()
	one := func(what string, got int) {
		s.Helper()
		if got != 1 {
			s.Errorf("%d of %d %s; want 1", got, crowd, what)
		}
	}
	claim := func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Claim(s.Context(), s.claimOf(key)) }
	one("claimed a new key", s.together(claim))
	s.clock.Advance(lease)
	one("took a row over", s.together(claim))
	row := s.get(key)
	if row.Fence != 2 || len(row.Trail) != 2 {
		s.Errorf("the row is %+v; want fence 2 after two moves", row)
	}
	all := s.together(func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Cross(s.Context(), row.Hold(), crossing()) })
	if row = s.get(key); all != crowd || row.Crossings != 1 || len(row.Trail) != 3 {
		s.Errorf("%d of %d equal crossings were true, and left %+v; want all, and one crossing", all, crowd, row)
	}
	s.clock.Advance(effectLease)
	one("began to recover", s.together(func(l ledger.Ledger) (ledger.Row, bool, error) {
		return l.Recover(s.Context(), s.recoveryOf(key))
	}))
	row = s.get(key)
	s.must(s.Park(s.Context(), row.Hold(), "?"))
	s.clock.Advance(every)
	one("looked again", s.together(func(l ledger.Ledger) (ledger.Row, bool, error) {
		return l.Recover(s.Context(), s.recoveryOf(key))
	}))
	all = s.together(func(l ledger.Ledger) (ledger.Row, bool, error) {
		return l.Record(s.Context(), row.Hold(), receipt(`"`+s.name("out")+`"`))
	})
	first := s.get(key)
	if all != crowd || first.State != ledger.Done || first.Trail[len(first.Trail)-1].From != ledger.Unknown {
		s.Errorf("%d of %d receipts were true, and left %+v; want all, and one receipt", all, crowd, first)
	}
}

// testContest has owners, those who take over and sweepers contend for rows whose lease is out: whoever wins, one crosses.
func testContest(s *suite) {
	handles := []ledger.Ledger{s.Ledger, s.another()}
	for range 12 {
		row := s.claimed(s.key())
		s.clock.Advance(lease)
		var crossed atomic.Int64
		cross := func(l ledger.Ledger, hold ledger.Hold) {
			if _, ok, err := l.Cross(s.Context(), hold, crossing()); err != nil {
				s.Errorf("Cross() = %v", err)
			} else if ok {
				crossed.Add(1)
			}
		}
		var all sync.WaitGroup
		all.Go(func() { cross(handles[0], row.Hold()) })
		for i := range 3 {
			all.Go(func() {
				taken, ok, err := handles[i%2].Claim(s.Context(), s.claimOf(row.Key))
				if err != nil {
					s.Errorf("Claim() = %v", err)
				}
				if ok {
					cross(handles[i%2], taken.Hold())
				}
			})
		}
		all.Go(func() {
			if _, err := handles[1].Sweep(s.Context(), ledger.Sweep{Attempt: s.name("at_"), Lease: lookLease, Limit: 100}); err != nil {
				s.Errorf("Sweep() = %v", err)
			}
		})
		all.Wait()
		if crossed.Load() > 1 {
			s.Errorf("%d crossed; want at most one: %+v", crossed.Load(), s.get(row.Key))
		}
	}
}

// testCallers has a crowd make equal calls the way callers do: one effect, and one receipt for all.
func testCallers(s *suite) {
	key := s.key()
	var effects atomic.Int64
	call := func(l ledger.Ledger) (ledger.Row, bool, error) {
		for {
			row, ok, err := l.Claim(s.Context(), s.claimOf(key))
			switch {
			case err != nil:
				return row, false, err
			case ok:
				if row, ok, err = l.Cross(s.Context(), row.Hold(), crossing()); err != nil || !ok {
					return row, ok, err
				}
				effects.Add(1)
				return l.Record(s.Context(), row.Hold(), receipt(`{"n":1}`))
			case row.State == ledger.Done:
				return row, string(row.Receipt.Output) == `{"n":1}`, nil
			default:
				if err := l.Wait(s.Context(), key, row.Version); err != nil {
					return row, false, err
				}
			}
		}
	}
	if got := s.together(call); got != crowd || effects.Load() != 1 {
		s.Errorf("%d of %d calls got the receipt, after %d effects; want all after one", got, crowd, effects.Load())
	}
}
