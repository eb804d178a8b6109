package ledgertest

import (
	"github.com/remedyrpc/remedy/server/ledger"
)

// testFences holds that an owner of before can do nothing, however often the key was freed and claimed since.
func testFences(s *suite) {
	key := s.key()
	var past []ledger.Hold
	for n := int64(1); n <= 4; n++ {
		claim := s.claimOf(key)
		row := s.must(s.Claim(s.Context(), claim))
		if row.Fence != n || row.Crossings != 0 || row.ID != claim.ID || !row.CreatedAt.Equal(s.clock.Now()) {
			s.Errorf("claim %d returned %+v; want a new operation under fence %d", n, row, n)
		}
		for _, hold := range past {
			s.powerless(hold, row)
		}
		past = append(past, row.Hold())
		s.clock.Advance(lease)
		if n%2 == 0 {
			s.sweep()
		} else {
			s.must(s.Free(s.Context(), row.Hold(), failure()))
		}
		free := s.mustNot(s.Claim(s.Context(), claim)) // an id names one operation
		if free.State != ledger.Free || free.Fence != n {
			s.Errorf("a claim under the id of the freed operation returned %+v; want FREE under fence %d", free, n)
		}
	}

	// The fence of another attempt at the same operation is no better.
	taken := s.crossed(key)
	s.clock.Advance(effectLease)
	recovered := s.must(s.Recover(s.Context(), s.recoveryOf(key)))
	s.mustNot(s.Cross(s.Context(), taken.Hold(), crossing()))
	s.mustNot(s.Free(s.Context(), taken.Hold(), failure()))
	s.mustNot(s.Park(s.Context(), taken.Hold(), ""))
	s.mustNot(s.Redo(s.Context(), taken.Hold(), lease))
	s.mustNot(s.Record(s.Context(), taken.Hold(), receipt("{}")))
	s.same("Get()", s.get(key), recovered)
}

// powerless has a hold try everything with a row that is not its own.
func (s *suite) powerless(hold ledger.Hold, row ledger.Row) {
	s.Helper()
	s.same("Cross()", s.mustNot(s.Cross(s.Context(), hold, crossing())), row)
	s.same("Free()", s.mustNot(s.Free(s.Context(), hold, failure())), row)
	s.same("Record()", s.mustNot(s.Record(s.Context(), hold, receipt("{}"))), row)
	s.same("Judge()", s.mustNot(s.Judge(s.Context(), hold, ledger.OK, "")), row)
	s.same("Park()", s.mustNot(s.Park(s.Context(), hold, "")), row)
	s.same("Redo()", s.mustNot(s.Redo(s.Context(), hold, lease)), row)
	s.same("Get()", s.get(row.Key), row)
}

// testLooks holds that who only looks what became of an effect can neither begin one nor say that there was none.
func testLooks(s *suite) {
	byCaller := s.recovered(s.key())
	s.mustNot(s.Cross(s.Context(), byCaller.Hold(), crossing()))
	doubt := s.mustNot(s.Free(s.Context(), byCaller.Hold(), failure()))
	if doubt.State != ledger.Unknown || doubt.Reason != failure().Code {
		s.Errorf("Free() of who looks returned %+v; want UNKNOWN", doubt)
	}

	crossed := s.crossed(s.key())
	s.clock.Advance(effectLease)
	s.mustNot(s.Cross(s.Context(), crossed.Hold(), crossing())) // too late to begin
	taken := s.sweep()
	if len(taken) != 1 {
		s.Fatalf("Sweep() returned %d rows; want 1", len(taken))
	}
	s.mustNot(s.Cross(s.Context(), taken[0].Hold(), crossing()))
	redone := s.must(s.Redo(s.Context(), taken[0].Hold(), lease))
	again := s.must(s.Cross(s.Context(), redone.Hold(), crossing()))
	if again.Crossings != 2 || !again.LookedAt.IsZero() {
		s.Errorf("Cross() after Redo() returned %+v; want a second crossing that nobody looked at", again)
	}
	s.must(s.Cross(s.Context(), redone.Hold(), crossing()))
}

// testFree holds what may be freed: what never crossed, and what crossed once and was not applied.
func testFree(s *suite) {
	once := s.must(s.Free(s.Context(), s.crossed(s.key()).Hold(), failure()))
	if diff := diffRows(once.Failure, failure()); once.State != ledger.Free || diff != "" {
		s.Errorf("Free() of what crossed once returned %v: -got +want\n%s", once.State, diff)
	}
	if once.Leased || !once.LeaseUntil.IsZero() || once.Input != nil {
		s.Errorf("Free() returned %+v; want no lease and no input", once)
	}

	redone := s.redone(s.key())
	twice := s.must(s.Cross(s.Context(), s.redone(s.key()).Hold(), crossing()))
	for _, again := range []*ledger.Row{&redone, &twice} {
		row := s.mustNot(s.Free(s.Context(), again.Hold(), failure()))
		if row.State != ledger.Unknown || row.Reason != failure().Code || row.Failure.Code != "" || row.Input == nil {
			s.Errorf("Free() of %v, crossed %d times, returned %+v; want UNKNOWN", again.State, again.Crossings, row)
		}
		s.mustNot(s.Free(s.Context(), again.Hold(), failure()))
	}

	// Nothing of it is left in the next operation but fence, version and trail.
	next := s.claimed(once.Key)
	gone, err := s.Find(s.Context(), once.Tenant, once.ID)
	if err != nil {
		s.Errorf("Find() = %v", err)
	}
	s.same("Find() of an operation whose key has a newer one", gone, ledger.Row{})
	s.same("a claim of what was freed", next, ledger.Row{
		Key: once.Key, State: ledger.Claimed, Version: once.Version + 1, ID: next.ID, Attempt: next.Attempt, Fence: once.Fence + 1,
		Sent: once.Sent, Prepared: once.Prepared, ToolVersion: once.ToolVersion, Principal: once.Principal, RunID: once.RunID,
		Input: next.Input, Leased: true, LeaseUntil: s.clock.Now().Add(lease), CreatedAt: s.clock.Now(), MovedAt: s.clock.Now(),
		Trail: append(once.Trail, ledger.Move{
			At: s.clock.Now(), From: ledger.Free, To: ledger.Claimed, ID: next.ID, Fence: next.Fence, Attempt: next.Attempt,
		}),
	})
}
