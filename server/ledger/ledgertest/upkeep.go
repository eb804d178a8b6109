package ledgertest

import (
	"sync"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// testSweep holds what a sweep takes, in which order and how much.
func testSweep(s *suite) {
	s.done(s.key()) // has no lease that could be out
	s.closed(s.key())
	var rows []ledger.Row
	for range 5 {
		rows = append(rows, s.crossed(s.key()))
		s.clock.Advance(time.Second)
	}
	claimed := s.claimed(s.key())
	s.clock.Advance(effectLease - 2*time.Second) // the lease of the last but one is out just now
	leased := s.claimed(s.key())

	first := s.sweepOf(3) // two of them, and the claim, whose lease ended first
	if len(first) != 2 || first[0].ID != rows[0].ID && first[0].ID != rows[1].ID {
		s.Fatalf("Sweep() of 3 returned %+v; want the two that were out first", first)
	}
	row := s.get(claimed.Key)
	if row.State != ledger.Free || row.Fence != 1 || row.Failure.Code != "" || row.Attempt != claimed.Attempt {
		s.Errorf("Sweep() left %+v; want FREE without a failure", row)
	}
	want := ledger.Move{
		At: s.clock.Now(), From: ledger.Claimed, To: ledger.Free, ID: claimed.ID, Fence: 1, Attempt: first[0].Attempt, Note: ledger.LeaseOut,
	}
	if diff := diffRows(row.Trail[len(row.Trail)-1], want); diff != "" {
		s.Errorf("the trail of what was swept: -got +want\n%s", diff)
	}
	for i := range first {
		row := &first[i]
		s.same("Get() of what was swept", s.get(row.Key), *row)
		if row.State != ledger.Effect || row.Fence != 2 || !row.LookedAt.Equal(s.clock.Now()) || row.Journal == nil || row.Input == nil {
			s.Errorf("Sweep() returned %+v; want EFFECT under fence 2, with journal and input", row)
		}
	}
	if second := s.sweepOf(3); len(second) != 2 {
		s.Errorf("the second Sweep() returned %d rows; want the 2 others that are out", len(second))
	}
	if third := s.sweepOf(3); len(third) != 0 {
		s.Errorf("the third Sweep() returned %+v; want nothing", third)
	}
	s.same("a leased row", s.get(rows[4].Key), rows[4])
	s.same("a leased row", s.get(leased.Key), leased)
	s.clock.Advance(lookLease) // nobody recovered them
	if again := s.sweepOf(100); len(again) != 5 {
		s.Errorf("Sweep() after its leases returned %d rows; want 5", len(again))
	}
}

// testSweepers has two handles sweep at once.
func testSweepers(s *suite) {
	const n = 24
	for range n {
		s.crossed(s.key())
	}
	s.clock.Advance(effectLease)
	handles := []ledger.Ledger{s.Ledger, s.another()}
	var mu sync.Mutex
	taken := make(map[string]int)
	count := func(rows []ledger.Row) {
		for i := range rows {
			taken[rows[i].ID]++
		}
	}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for {
				rows, err := handles[i%2].Sweep(s.Context(), ledger.Sweep{Attempt: s.name("at_"), Lease: lookLease, Limit: 3})
				if err != nil {
					s.Errorf("Sweep() = %v", err)
				}
				if len(rows) == 0 {
					return
				}
				mu.Lock()
				count(rows)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	// One sweeper may find nothing while another is about to take the rest; what is left comes with the next one.
	count(s.sweepOf(n))
	if len(taken) != n {
		s.Errorf("the sweepers got %d rows; want %d", len(taken), n)
	}
	for id, times := range taken {
		if times != 1 {
			s.Errorf("the sweepers got %s %d times; want once", id, times)
		}
	}
}

// testExpire holds what is forgotten, and what never is.
func testExpire(s *suite) {
	unknown, closed := s.unknown(s.key()), s.closed(s.key())
	free := s.must(s.Free(s.Context(), s.claimed(s.key()).Hold(), failure()))
	old := s.claimed(s.key())
	s.clock.Advance(time.Minute) // it is kept from when it was done
	s.must(s.Cross(s.Context(), old.Hold(), crossing()))
	done := s.must(s.Record(s.Context(), old.Hold(), receipt("{}")))
	s.clock.Advance(time.Minute)
	younger := s.done(s.key())
	retention := ledger.Retention{Outputs: time.Hour, Keys: 10 * time.Hour, Limit: 10}

	s.clock.Advance(59*time.Minute - time.Millisecond)
	s.expires(retention, ledger.Expired{})
	s.clock.Advance(time.Millisecond)
	s.expires(ledger.Retention{Limit: 10}, ledger.Expired{}) // zero is for ever
	s.expires(retention, ledger.Expired{Outputs: 1})
	s.expires(retention, ledger.Expired{})
	row := s.get(done.Key)
	want := done
	want.Version++
	want.Receipt.Output, want.Receipt.Omitted = nil, ledger.Dropped
	s.same("a row whose output is dropped", row, want)
	s.same("Record() after it", s.must(s.Record(s.Context(), done.Hold(), receipt("1"))), want)
	if row := s.get(younger.Key); row.Receipt.Omitted != ledger.Kept {
		s.Errorf("the output of the younger row is omitted: %d; want it kept", row.Receipt.Omitted)
	}

	s.clock.Advance(10 * time.Hour)
	retention.Limit = 1
	s.expires(retention, ledger.Expired{Rows: 1, Outputs: 1})
	retention.Limit = 10
	s.expires(retention, ledger.Expired{Rows: 2})
	for _, gone := range []*ledger.Row{&free, &done, &younger} {
		s.same("Get() of what is forgotten", s.get(gone.Key), ledger.Row{Key: gone.Key})
		row, err := s.Find(s.Context(), gone.Tenant, gone.ID)
		if err != nil {
			s.Errorf("Find() = %v", err)
		}
		s.same("Find() of what is forgotten", row, ledger.Row{})
		s.same("a late receipt", s.mustNot(s.Record(s.Context(), gone.Hold(), receipt("1"))), ledger.Row{Key: gone.Key})
	}
	s.clock.Advance(100_000 * time.Hour)
	s.expires(retention, ledger.Expired{})
	s.same("what is never forgotten", s.get(unknown.Key), unknown)
	s.same("what is never forgotten", s.get(closed.Key), closed)

	// The key is new, and what belonged to the forgotten operation has nothing to do with it.
	again := s.claimed(done.Key)
	if again.Fence != 1 || again.Version != 1 || len(again.Trail) != 1 {
		s.Errorf("Claim() returned %+v; want a new row", again)
	}
	s.powerless(ledger.Hold{Key: done.Key, ID: done.ID, Fence: again.Fence}, again)
}

// testPurge holds what is left of an operation when its caller is to be forgotten.
func testPurge(s *suite) {
	row := s.done(s.key())
	row = s.must(s.Judge(s.Context(), row.Hold(), ledger.Failed, "saw ada's order"))
	purged := s.must(s.Purge(s.Context(), row.Tenant, row.ID))
	want := row
	want.Version++
	want.Journal, want.VerdictReason = nil, ""
	want.Receipt.Output, want.Receipt.Omitted = nil, ledger.Purged
	s.same("Purge()", purged, want)
	s.same("Get()", s.get(row.Key), want)
	s.same("Purge() asked again", s.must(s.Purge(s.Context(), row.Tenant, row.ID)), want)
	s.mustNot(s.Claim(s.Context(), s.claimOf(row.Key)))

	closed := s.closed(s.key())
	purged = s.must(s.Purge(s.Context(), closed.Tenant, closed.ID))
	if purged.State != ledger.Closed || purged.Reason != "" || purged.Input != nil || purged.Journal != nil {
		s.Errorf("Purge() returned %+v; want CLOSED without texts", purged)
	}
	for _, m := range purged.Trail {
		if m.Note != "" {
			s.Errorf("Purge() kept the note %q", m.Note)
		}
	}
	running := s.crossed(s.key())
	s.same("Purge() of what is under way", s.mustNot(s.Purge(s.Context(), running.Tenant, running.ID)), running)
	s.same("Purge() in another tenant", s.mustNot(s.Purge(s.Context(), "other", closed.ID)), ledger.Row{})
}

func (s *suite) sweep() []ledger.Row {
	s.Helper()
	return s.sweepOf(1000)
}

func (s *suite) sweepOf(limit int) []ledger.Row {
	s.Helper()
	taken, err := s.Sweep(s.Context(), ledger.Sweep{Attempt: s.name("at_"), Lease: lookLease, Limit: limit})
	if err != nil {
		s.Fatalf("Sweep() = %v", err)
	}
	return taken
}

func (s *suite) expires(retention ledger.Retention, want ledger.Expired) {
	s.Helper()
	got, err := s.Expire(s.Context(), retention)
	if err != nil || got != want {
		s.Errorf("Expire(%+v) = %+v, %v; want %+v", retention, got, err, want)
	}
}
