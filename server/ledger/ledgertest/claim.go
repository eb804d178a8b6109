package ledgertest

import (
	"github.com/remedyrpc/remedy/server/ledger"
)

// testClaim holds what a claim stores, and what a takeover keeps of it.
func testClaim(s *suite) {
	key := s.key()
	claim := s.claimOf(key)
	now := s.clock.Now()
	first := s.must(s.Claim(s.Context(), claim))
	s.same("Claim()", first, ledger.Row{
		Key: key, State: ledger.Claimed, Version: 1, ID: claim.ID, Attempt: claim.Attempt, Fence: 1,
		Sent: claim.Sent, Prepared: claim.Prepared, ToolVersion: "v1", Principal: "ada", RunID: "run1",
		Input:  []byte(`{"order":7}`),
		Leased: true, LeaseUntil: now.Add(lease), CreatedAt: now, MovedAt: now,
		Trail: []ledger.Move{{At: now, From: ledger.None, To: ledger.Claimed, ID: claim.ID, Fence: 1, Attempt: claim.Attempt}},
	})

	s.clock.Advance(lease - 1e6)
	s.mustNot(s.Claim(s.Context(), s.claimOf(key)))
	s.clock.Advance(1e6)
	second := s.claimOf(key)
	second.Prepared, second.Version, second.RunID, second.Input = digest("other"), "v2", "run2", nil
	taken := s.must(s.Claim(s.Context(), second))
	if taken.ID != first.ID || taken.Fence != 2 || taken.Attempt != second.Attempt || !taken.CreatedAt.Equal(first.CreatedAt) {
		s.Errorf("a takeover returned %+v; want the same operation under fence 2", taken)
	}
	if taken.Prepared != first.Prepared || taken.ToolVersion != "v1" || taken.RunID != "run1" || taken.Input == nil {
		s.Errorf("a takeover returned %+v; want what the first claim stored", taken)
	}
	s.mustNot(s.Claim(s.Context(), claim))
	s.mustNot(s.Cross(s.Context(), first.Hold(), crossing()))
	s.mustNot(s.Free(s.Context(), first.Hold(), failure()))
	s.same("Get()", s.get(key), taken)
	s.must(s.Cross(s.Context(), taken.Hold(), crossing()))
}
