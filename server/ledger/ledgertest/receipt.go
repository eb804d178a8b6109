package ledgertest

import (
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// testReceipts holds that the first receipt stays, as it was given.
func testReceipts(s *suite) {
	for _, given := range []ledger.Receipt{
		receipt(`{"ok":true}`),
		{Omitted: ledger.Unfit, Size: 2 << 20, Hash: digest("large")},
		{Omitted: ledger.Unseen},
	} {
		row := s.crossed(s.key())
		s.clock.Advance(time.Second)
		first := s.must(s.Record(s.Context(), row.Hold(), given))
		given.CompletedAt = s.clock.Now()
		if diff := diffRows(first.Receipt, given); first.State != ledger.Done || diff != "" {
			s.Errorf("Record() returned %v: -got +want\n%s", first.State, diff)
		}
		if last := first.Trail[len(first.Trail)-1]; last.Attempt != row.Attempt || last.Fence != row.Fence || last.From != ledger.Effect {
			s.Errorf("Record() noted the move %+v; want one of its attempt", last)
		}
		if first.Input != nil || first.Leased || first.Verdict != ledger.Pending {
			s.Errorf("Record() returned %+v; want no input, no lease and no verdict", first)
		}
		s.clock.Advance(time.Second)
		s.same("a second receipt", s.must(s.Record(s.Context(), row.Hold(), receipt(`"other"`))), first)
		s.mustNot(s.Claim(s.Context(), s.claimOf(row.Key)))
		s.mustNot(s.Free(s.Context(), row.Hold(), failure()))
		s.mustNot(s.Park(s.Context(), row.Hold(), ""))
		s.same("Get()", s.get(row.Key), first)
	}
}

// testLateReceipts holds what a receipt does that comes after its attempt lost the row.
func testLateReceipts(s *suite) {
	// Somebody else looks: it is kept aside until they know that they do not know.
	late := s.crossed(s.key())
	s.clock.Advance(effectLease)
	looking := s.must(s.Recover(s.Context(), s.recoveryOf(late.Key)))
	s.same("Record() while somebody looks", s.mustNot(s.Record(s.Context(), late.Hold(), receipt("1"))), looking)
	s.must(s.Park(s.Context(), looking.Hold(), "nothing there"))
	done := s.must(s.Record(s.Context(), late.Hold(), receipt("1")))
	last := done.Trail[len(done.Trail)-1]
	if done.State != ledger.Done || done.Reason != "" || done.Contradicted || last.Fence != late.Fence || last.Attempt != "" {
		s.Errorf("Record() on UNKNOWN returned %+v; want DONE by fence %d", done, late.Fence)
	}
	s.must(s.Judge(s.Context(), late.Hold(), ledger.OK, ""))

	// A person was wrong.
	closed := s.closed(s.key())
	s.mustNot(s.Claim(s.Context(), s.claimOf(closed.Key)))
	done = s.must(s.Record(s.Context(), closed.Hold(), receipt("2")))
	if done.State != ledger.Done || !done.Contradicted || string(done.Receipt.Output) != "2" {
		s.Errorf("Record() on CLOSED returned %+v; want DONE, contradicted", done)
	}

	// The key has a newer operation: in no state of it has the receipt a place.
	early := s.claimed(s.key())
	s.clock.Advance(lease)
	s.sweep()
	row := s.get(early.Key)
	s.powerlessReceipt(early.Hold(), row)
	row = s.claimed(early.Key)
	s.powerlessReceipt(early.Hold(), row)
	row = s.must(s.Cross(s.Context(), row.Hold(), crossing()))
	s.powerlessReceipt(early.Hold(), row)
	row = s.must(s.Park(s.Context(), row.Hold(), "?"))
	s.powerlessReceipt(early.Hold(), row)
	s.clock.Advance(effectLease)
	row = s.must(s.Resolve(s.Context(), notApplied(&row)))
	s.powerlessReceipt(early.Hold(), row)
	row = s.must(s.Record(s.Context(), row.Hold(), receipt("3")))
	s.powerlessReceipt(early.Hold(), row)
}

func (s *suite) powerlessReceipt(hold ledger.Hold, row ledger.Row) {
	s.Helper()
	s.same("Record() for an older operation", s.mustNot(s.Record(s.Context(), hold, receipt(`"late"`))), row)
	s.same("Get()", s.get(row.Key), row)
}

// testVerdicts holds that an ok stays, and anything else does not.
func testVerdicts(s *suite) {
	row := s.done(s.key())
	earlier := row.Hold()
	earlier.Fence--
	type step struct {
		hold    ledger.Hold
		verdict ledger.Verdict
		reason  string
		ok      bool
		want    ledger.Verdict
		because string
	}
	for _, step := range []*step{
		{row.Hold(), ledger.Pending, "", true, ledger.Pending, ""},
		{row.Hold(), ledger.Failed, "not there", true, ledger.Failed, "not there"},
		{row.Hold(), ledger.Pending, "", false, ledger.Failed, "not there"},
		{earlier, ledger.Failed, "unavailable", true, ledger.Failed, "unavailable"},
		{earlier, ledger.OK, "superseded", true, ledger.OK, "superseded"},
		{row.Hold(), ledger.OK, "", true, ledger.OK, "superseded"},
		{row.Hold(), ledger.Failed, "gone", false, ledger.OK, "superseded"},
	} {
		got, ok, err := s.Judge(s.Context(), step.hold, step.verdict, step.reason)
		if err != nil || ok != step.ok || got.Verdict != step.want || got.VerdictReason != step.because {
			s.Errorf("Judge(%d, %q) = %d, %q, %v, %v; want %d, %q, %v", step.verdict, step.reason,
				got.Verdict, got.VerdictReason, ok, err, step.want, step.because, step.ok)
		}
		if len(got.Trail) != len(row.Trail) || !got.MovedAt.Equal(row.MovedAt) {
			s.Error("a verdict counts as a move; want none")
		}
	}
}
