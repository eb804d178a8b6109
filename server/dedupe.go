package server

import (
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// dedupe says whether the tool may be executed again under the same operation id, and for how long.
func (t *AnyTool) dedupe(dedupes bool, window time.Duration) {
	again := t.timeouts.prepareLease() + t.timeouts.effectLease()
	switch {
	case !dedupes && window != 0:
		t.wrong("DedupeWindow", "is nothing without DedupesOnOperationID")
		return
	case !dedupes:
		return
	case window == 0:
		window = DefaultDedupeWindow
	case window < again:
		t.wrong("DedupeWindow", "must be at least "+again.String()+", which preparing and having the effect may take")
	}
	t.dedupeWindow = window
}

// mayRedo reports whether an operation that crossed may be executed again: nobody closed it, and what it calls dedupes on its
// id, and still knows that when it gets there. The row is as it was when it was last claimed or looked at, so only the clock
// of the ledger counts.
func (t *AnyTool) mayRedo(row *ledger.Row) bool {
	at := row.MovedAt
	if row.LookedAt.After(at) {
		at = row.LookedAt
	}
	return t.dedupeWindow > 0 && row.State != ledger.Closed && row.Crossings > 0 && !at.After(t.redoUntil(row))
}

// redoUntil is when an operation is claimed last to be executed again.
func (t *AnyTool) redoUntil(row *ledger.Row) time.Time {
	return row.CreatedAt.Add(t.dedupeWindow - t.timeouts.prepareLease() - t.timeouts.effectLease())
}

func (c *call) mayRedo() bool { return c.tool.mayRedo(&c.row) }
