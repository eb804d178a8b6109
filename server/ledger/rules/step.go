package rules

import (
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// Read is a row as it is seen at a time.
func Read(row ledger.Row, now time.Time) ledger.Row {
	row.Leased = leased(&row, now)
	return row
}

func leased(row *ledger.Row, now time.Time) bool { return now.Before(row.LeaseUntil) }

// owned says that the attempt that shows a hold has the row: it is of the same operation, and nobody got it since.
func owned(row *ledger.Row, hold ledger.Hold) bool {
	return sameOperation(row, hold) && row.Fence == hold.Fence
}

// sameOperation says that a hold is of some attempt at the operation of the row. It keeps a late answer away from a newer
// operation of the same key.
func sameOperation(row *ledger.Row, hold ledger.Hold) bool {
	return row.State != ledger.None && row.ID == hold.ID
}

// lookedAt says that somebody looks, or looked, what became of the last crossing. The owner of such a row need not be who
// crossed, so it can neither know that there was no effect, nor begin one.
func lookedAt(row *ledger.Row) bool { return !row.LookedAt.IsZero() }

// step is who moves a row, and why.
type step struct {
	fence   int64
	attempt string
	actor   string
	note    string
}

func owner(row *ledger.Row, note string) step {
	return step{fence: row.Fence, attempt: row.Attempt, note: note}
}

// move takes a row to a state, with a lease that ends at a time, or none. Once there is nothing to recover, the input goes.
func move(row ledger.Row, to ledger.State, leaseUntil time.Time, by step, now time.Time) ledger.Row {
	entry := ledger.Move{
		At: now, From: row.State, To: to, ID: row.ID,
		Fence: by.fence, Attempt: by.attempt, Actor: keepable(by.actor), Note: keepable(by.note),
	}
	older := row.Trail[max(0, len(row.Trail)-ledger.MaxTrail+1):]
	row.Trail = append(append(make([]ledger.Move, 0, len(older)+1), older...), entry)
	row.State, row.LeaseUntil, row.MovedAt = to, leaseUntil, now
	if to == ledger.Free || to == ledger.Done {
		row.Input, row.Progress = nil, nil
	}
	return change(row, now)
}

// change notes that a row is another one than before.
func change(row ledger.Row, now time.Time) ledger.Row {
	row.Version++
	return Read(row, now)
}
