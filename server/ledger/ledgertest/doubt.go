package ledgertest

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// testRecover holds who may look, and how often.
func testRecover(s *suite) {
	key := s.key()
	s.mustNot(s.Recover(s.Context(), s.recoveryOf(key)))
	s.crossed(key)
	s.clock.Advance(effectLease - time.Millisecond)
	s.mustNot(s.Recover(s.Context(), s.recoveryOf(key)))
	s.clock.Advance(time.Millisecond)
	first := s.recoveryOf(key)
	row := s.must(s.Recover(s.Context(), first))
	if row.State != ledger.Effect || row.Fence != 2 || row.Attempt != first.Attempt || !row.Leased ||
		!row.LookedAt.Equal(s.clock.Now()) || !bytes.Equal(row.Journal, crossing().Journal) || row.Input == nil {
		s.Errorf("Recover() returned %+v; want EFFECT under fence 2, leased, with journal and input", row)
	}
	s.mustNot(s.Recover(s.Context(), s.recoveryOf(key)))
	s.same("Recover() asked again", s.must(s.Recover(s.Context(), first)), row)
	s.clock.Advance(lookLease)
	row = s.must(s.Recover(s.Context(), s.recoveryOf(key)))
	unknown := s.must(s.Park(s.Context(), row.Hold(), "nothing there"))
	s.throttled(unknown)

	s.clock.Advance(effectLease)
	s.throttled(s.must(s.Resolve(s.Context(), notApplied(&unknown))))
	s.mustNot(s.Recover(s.Context(), s.recoveryOf(s.done(s.key()).Key)))
}

// throttled looks again and again at a row that just moved to where it stays.
func (s *suite) throttled(row ledger.Row) {
	s.Helper()
	for n := range int64(3) {
		s.mustNot(s.Recover(s.Context(), s.recoveryOf(row.Key)))
		s.clock.Advance(every - time.Millisecond)
		s.mustNot(s.Recover(s.Context(), s.recoveryOf(row.Key)))
		s.clock.Advance(time.Millisecond)
		recovery := s.recoveryOf(row.Key)
		looked := s.must(s.Recover(s.Context(), recovery))
		if looked.State != row.State || looked.Fence <= row.Fence+n || !looked.MovedAt.Equal(row.MovedAt) || looked.Leased ||
			len(looked.Trail) != len(row.Trail) || looked.Version == row.Version {
			s.Errorf("Recover() of %v returned %+v; want another version, a new fence and no move", row.State, looked)
		}
		s.same("Recover() asked again", s.must(s.Recover(s.Context(), recovery)), looked)
	}
	at := s.recoveryOf(row.Key)
	at.Every = 0
	s.must(s.Recover(s.Context(), at))
}

// testProgress holds that what an owner says of how far it has come is seen by who waits, and goes when the operation ends.
func testProgress(s *suite) {
	says := func(row ledger.Row, progress string) ledger.Row {
		s.Helper()
		said := s.must(s.Progress(s.Context(), row.Hold(), []byte(progress)))
		if string(said.Progress) != progress || said.Version != row.Version+1 || len(said.Trail) != len(row.Trail) || said.State != row.State {
			s.Errorf("Progress(%q) returned %+v; want another version and no move", progress, said)
		}
		s.same("Progress() asked again", s.must(s.Progress(s.Context(), row.Hold(), []byte(progress))), said)
		return said
	}
	claimed := says(s.claimed(s.key()), "begun")
	crossed := s.must(s.Cross(s.Context(), claimed.Hold(), crossing()))
	if string(crossed.Progress) != "begun" {
		s.Errorf("Cross() left the progress %q", crossed.Progress)
	}
	most := says(crossed, strings.Repeat("x", ledger.MaxProgress))
	if err := s.Wait(s.Context(), most.Key, crossed.Version); err != nil {
		s.Errorf("Wait() = %v; want that there is another version", err)
	}
	if done := s.must(s.Record(s.Context(), most.Hold(), receipt("{}"))); done.Progress != nil {
		s.Errorf("Record() left the progress %q", done.Progress)
	}
	s.mustNot(s.Progress(s.Context(), most.Hold(), []byte("late")))

	// Whoever looks what became of it sees how far it was; whoever executes it anew says so anew.
	lost := says(s.crossed(s.key()), "half")
	s.clock.Advance(effectLease)
	recovered := s.must(s.Recover(s.Context(), s.recoveryOf(lost.Key)))
	if string(recovered.Progress) != "half" {
		s.Errorf("Recover() left the progress %q", recovered.Progress)
	}
	s.mustNot(s.Progress(s.Context(), lost.Hold(), []byte("late")))
	if redone := s.must(s.Redo(s.Context(), recovered.Hold(), lease)); redone.Progress != nil {
		s.Errorf("Redo() left the progress %q", redone.Progress)
	}
	taken := says(s.claimed(s.key()), "begun")
	s.clock.Advance(lease)
	if taken = s.claimed(taken.Key); taken.Progress != nil {
		s.Errorf("Claim() left the progress %q of who was there before", taken.Progress)
	}
	if freed := s.must(s.Free(s.Context(), says(taken, "again").Hold(), failure())); freed.Progress != nil {
		s.Errorf("Free() left the progress %q", freed.Progress)
	}
}

// testRedo holds that an operation that is executed again stays the same, and keeps the time of its first crossing.
func testRedo(s *suite) {
	first := s.crossed(s.key())
	row := s.must(s.Redo(s.Context(), first.Hold(), lease))
	if row.State != ledger.Claimed || row.ID != first.ID || row.Attempt != first.Attempt || row.Fence != first.Fence+1 ||
		row.Crossings != 1 || !row.LeaseUntil.Equal(s.clock.Now().Add(lease)) {
		s.Errorf("Redo() returned %+v; want the operation CLAIMED again, under a new fence", row)
	}
	s.mustNot(s.Cross(s.Context(), first.Hold(), crossing()))
	s.same("Redo() asked again", s.must(s.Redo(s.Context(), first.Hold(), lease)), row)
	s.same("Redo() of what was redone", s.mustNot(s.Redo(s.Context(), row.Hold(), lease)), row)
	row = s.must(s.Cross(s.Context(), row.Hold(), ledger.Crossing{Lease: time.Second}))
	s.same("Redo() that arrives late", s.mustNot(s.Redo(s.Context(), first.Hold(), lease)), row)
	s.same("Get() after it", s.get(row.Key), row)
	if row.Crossings != 2 || !row.ActsUntil.Equal(first.ActsUntil) || len(row.Journal) != 0 {
		s.Errorf("a second crossing returned %+v; want two, the journal of the second and the time of the first", row)
	}

	// Nobody comes back: the sweeper neither frees it nor executes it.
	redone := s.redone(s.key())
	s.clock.Advance(lease)
	if taken := s.sweep(); slices.ContainsFunc(taken, func(row ledger.Row) bool { return row.Key == redone.Key }) {
		s.Errorf("Sweep() returned %+v, which is not past the boundary", redone.Key)
	}
	if row := s.get(redone.Key); row.State != ledger.Unknown || row.Reason != ledger.LeaseOut || row.Fence != redone.Fence {
		s.Errorf("Sweep() left %+v; want UNKNOWN", row)
	}

	// Another caller comes: it may take it over.
	redone = s.redone(s.key())
	s.clock.Advance(lease)
	taken := s.claimed(redone.Key)
	if taken.ID != redone.ID || taken.Crossings != 1 || taken.Fence != redone.Fence+1 {
		s.Errorf("Claim() returned %+v; want a takeover", taken)
	}
	s.same("Redo() of who lost it", s.mustNot(s.Redo(s.Context(), redone.Hold(), lease)), taken)
}

// testRedoUnknown holds that what is in doubt is executed again by the attempt that looked last, and by no other.
func testRedoUnknown(s *suite) {
	parked := s.unknown(s.key())
	s.clock.Advance(every)
	first := s.must(s.Recover(s.Context(), s.recoveryOf(parked.Key)))
	s.clock.Advance(every)
	second := s.must(s.Recover(s.Context(), s.recoveryOf(parked.Key)))
	s.same("Redo() of who looked before", s.mustNot(s.Redo(s.Context(), first.Hold(), lease)), second)
	row := s.must(s.Redo(s.Context(), second.Hold(), lease))
	if row.State != ledger.Claimed || row.ID != parked.ID || row.Fence != second.Fence+1 || row.Crossings != 1 || row.Reason != "" ||
		!row.LeaseUntil.Equal(s.clock.Now().Add(lease)) {
		s.Errorf("Redo() returned %+v; want the operation CLAIMED again, under a new fence, and no doubt", row)
	}
	s.same("Redo() asked again", s.must(s.Redo(s.Context(), second.Hold(), lease)), row)
	s.same("Record() of before", s.mustNot(s.Record(s.Context(), parked.Hold(), receipt(`{}`))), row)

	// It may have had its effect before: a failure now frees nothing.
	if row := s.mustNot(s.Free(s.Context(), row.Hold(), ledger.Failure{Code: "slot_stale"})); row.State != ledger.Unknown {
		s.Errorf("Free() left %+v; want UNKNOWN", row)
	}

	// And when nobody comes back, it is swept like any other.
	s.clock.Advance(every)
	third := s.must(s.Recover(s.Context(), s.recoveryOf(parked.Key)))
	s.must(s.Redo(s.Context(), third.Hold(), lease))
	s.clock.Advance(lease)
	s.sweep()
	if row := s.get(parked.Key); row.State != ledger.Unknown || row.Reason != ledger.LeaseOut {
		s.Errorf("Sweep() left %+v; want UNKNOWN", row)
	}

	// What never crossed was said to be unknown by its hook, which no operation id makes one of.
	uncrossed := s.must(s.Park(s.Context(), s.claimed(s.key()).Hold(), "nobody knows"))
	s.clock.Advance(every)
	looked := s.must(s.Recover(s.Context(), s.recoveryOf(uncrossed.Key)))
	s.same("Redo() of what never crossed", s.mustNot(s.Redo(s.Context(), looked.Hold(), lease)), looked)
}

// testResolve holds what a person may say, and when.
func testResolve(s *suite) {
	row := s.unknown(s.key())
	s.clock.Advance(effectLease - time.Millisecond)
	got, ok, err := s.Resolve(s.Context(), notApplied(&row))
	if ok || !errors.Is(err, ledger.ErrTooEarly) || errors.Is(err, ledger.ErrUnavailable) {
		s.Errorf("Resolve() before its time = %v, %v; want %v", ok, err, ledger.ErrTooEarly)
	}
	s.same("Resolve() before its time", got, row)
	s.clock.Advance(time.Millisecond)
	closed := s.must(s.Resolve(s.Context(), notApplied(&row)))
	last := closed.Trail[len(closed.Trail)-1]
	want := ledger.Move{
		At: s.clock.Now(), From: ledger.Unknown, To: ledger.Closed, ID: row.ID, Fence: row.Fence, Actor: "olga", Note: "not there",
	}
	if diff := diffRows(last, want); closed.State != ledger.Closed || closed.Reason != "not there" || diff != "" {
		s.Errorf("Resolve() returned %+v: -got +want\n%s", closed, diff)
	}
	s.same("Resolve() asked again", s.must(s.Resolve(s.Context(), notApplied(&row))), closed)
	s.mustNot(s.Resolve(s.Context(), applied(&row, "{}")))
	s.clock.Advance(1000 * time.Hour)
	s.mustNot(s.Claim(s.Context(), s.claimOf(row.Key)))

	row = s.unknown(s.key())
	done := s.must(s.Resolve(s.Context(), applied(&row, `{"id":7}`))) // at any time
	wanted := receipt(`{"id":7}`)
	wanted.CompletedAt = s.clock.Now()
	if diff := diffRows(done.Receipt, wanted); done.State != ledger.Done || done.Reason != "" || diff != "" {
		s.Errorf("Resolve() returned %v: -got +want\n%s", done.State, diff)
	}
	s.same("a receipt after it", s.must(s.Record(s.Context(), row.Hold(), receipt("late"))), done)
	row = s.unknown(s.key())
	done = s.must(s.Resolve(s.Context(), applied(&row, "")))
	if r := done.Receipt; r.Omitted != ledger.Unseen || r.Size != 0 || r.Hash != (ledger.Digest{}) {
		s.Errorf("Resolve() without an output returned %+v; want one that is unseen", r)
	}

	row = s.crossed(s.key())
	s.same("Resolve() of what is under way", s.mustNot(s.Resolve(s.Context(), notApplied(&row))), row)
	row.Tenant = "other"
	s.same("Resolve() in another tenant", s.mustNot(s.Resolve(s.Context(), notApplied(&row))), ledger.Row{})
}
