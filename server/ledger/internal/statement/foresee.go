package statement

import (
	"slices"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// Foresee returns the row that a move makes of one that is known, as the database stores it, and whether the move makes one at
// all; then the quiet statement of the move may be run with these arguments, which moves the row if it still is that one. The
// row shares slices with what was given. That the statements do what the rules say is what package ledgertest holds.
func (a *Arguments) Foresee(rule Rule, before ledger.Row) (Seen, bool) {
	seen := Seen{Row: before, Now: time.UnixMicro(*a.Now).UTC()}
	row, ok, err := rule(seen)
	if err != nil || !ok || row.Version != before.Version+1 {
		return Seen{}, false
	}
	row.LeaseUntil, row.ActsUntil = row.LeaseUntil.Truncate(time.Microsecond), row.ActsUntil.Truncate(time.Microsecond)
	a.version, a.entry = before.Version, formatTrail(row.Trail[len(row.Trail)-1:])
	seen.Row = row
	return seen, true
}

// Apart has a row share no slice with another one. What is empty is nil, as when it is read.
func Apart(row *ledger.Row) {
	for _, b := range []*[]byte{&row.Input, &row.Journal, &row.Progress, &row.Receipt.Output, &row.Failure.Status} {
		*b = append([]byte(nil), *b...)
	}
	row.Trail = slices.Clone(row.Trail)
}
