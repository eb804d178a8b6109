package rules

import (
	"crypto/sha256"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// Resolve ends a doubt by the word of a person.
//
//	UNKNOWN → DONE     it was applied
//	UNKNOWN → CLOSED   it was not, said when no attempt can act any more, else [ledger.ErrTooEarly]
//
// Equal words converge: where somebody said so before, or a receipt did, it is true and changes nothing.
func Resolve(row ledger.Row, resolution ledger.Resolution, now time.Time) (ledger.Row, bool, error) {
	by := step{fence: row.Fence, actor: resolution.Actor, note: resolution.Reason}
	switch {
	case row.State != ledger.Unknown:
		said := row.State == ledger.Closed && !resolution.Applied || row.State == ledger.Done && resolution.Applied
		return Read(row, now), said, nil
	case resolution.Applied:
		return complete(row, witnessed(resolution.Output), by, now), true, nil
	case now.Before(row.ActsUntil):
		return Read(row, now), false, ledger.ErrTooEarly
	default:
		row.Reason = keepable(resolution.Reason)
		return move(row, ledger.Closed, time.Time{}, by, now), true, nil
	}
}

// witnessed is the receipt that a person gives.
func witnessed(output []byte) ledger.Receipt {
	if len(output) == 0 {
		return ledger.Receipt{Omitted: ledger.Unseen}
	}
	return ledger.Receipt{Output: output, Size: int64(len(output)), Hash: sha256.Sum256(output)}
}

// Sweep moves a row whose lease is out.
//
//	CLAIMED, never crossed → FREE
//	CLAIMED, crossed       → UNKNOWN
//	EFFECT                 → EFFECT    fence+1, owned by the attempt of the sweep, as by Recover
func Sweep(row ledger.Row, sweep ledger.Sweep, now time.Time) (ledger.Row, bool) {
	by := step{fence: row.Fence, attempt: sweep.Attempt, note: ledger.LeaseOut}
	switch {
	case leased(&row, now):
		return Read(row, now), false
	case row.State == ledger.Claimed && row.Crossings == 0:
		return move(row, ledger.Free, time.Time{}, by, now), true
	case row.State == ledger.Claimed:
		return doubt(row, by, now), true
	case row.State == ledger.Effect:
		return look(row, sweep.Attempt, sweep.Lease, now), true
	default:
		return Read(row, now), false
	}
}

// Forget says that a row is dropped as a whole: DONE or FREE for so long. What is UNKNOWN stays until it is resolved, and
// what is CLOSED for ever, because its key never executes again.
func Forget(row ledger.Row, retention ledger.Retention, now time.Time) bool {
	return (row.State == ledger.Done || row.State == ledger.Free) && over(&row, retention.Keys, now)
}

// Stale says that the output of a row is dropped: it is DONE for so long.
func Stale(row ledger.Row, retention ledger.Retention, now time.Time) bool {
	return row.State == ledger.Done && len(row.Receipt.Output) > 0 && over(&row, retention.Outputs, now)
}

// DropOutput drops the output of a row that is DONE, and keeps its receipt.
func DropOutput(row ledger.Row, now time.Time) ledger.Row {
	row.Receipt.Output, row.Receipt.Omitted = nil, ledger.Dropped
	return change(row, now)
}

// over says that a row did not move for so long; zero is for ever.
func over(row *ledger.Row, kept time.Duration, now time.Time) bool {
	return kept > 0 && now.Sub(row.MovedAt) >= kept
}

// Purge drops what an operation that ended holds of its caller: input, journal, output, reasons and notes. One that did not end stays
// as it is, because its journal is needed to find out what became of it.
func Purge(row ledger.Row, now time.Time) (ledger.Row, bool) {
	switch row.State {
	case ledger.Done, ledger.Closed, ledger.Free:
	case ledger.None, ledger.Claimed, ledger.Effect, ledger.Unknown:
		return Read(row, now), false
	}
	if purged(&row) {
		return Read(row, now), true
	}
	if len(row.Receipt.Output) > 0 {
		row.Receipt.Output, row.Receipt.Omitted = nil, ledger.Purged
	}
	row.Input, row.Journal, row.Progress, row.Failure.Status = nil, nil, nil, nil
	row.Reason, row.VerdictReason = "", ""
	trail := make([]ledger.Move, len(row.Trail))
	for i, m := range row.Trail {
		m.Note = ""
		trail[i] = m
	}
	row.Trail = trail
	return change(row, now), true
}

func purged(row *ledger.Row) bool {
	for _, m := range row.Trail {
		if m.Note != "" {
			return false
		}
	}
	held := len(row.Input) + len(row.Journal) + len(row.Progress) + len(row.Receipt.Output) + len(row.Failure.Status)
	return held+len(row.Reason)+len(row.VerdictReason) == 0
}
