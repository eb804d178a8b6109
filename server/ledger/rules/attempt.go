package rules

import (
	"bytes"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// Claim makes an attempt the owner of a row.
//
//	none, FREE         → CLAIMED, or EFFECT   a new operation, fence+1
//	CLAIMED, lease out → CLAIMED, or EFFECT   a takeover with the same input, fence+1, the same operation
//
// An id names one operation: the one that was freed is not claimed again under its own.
func Claim(row ledger.Row, claim ledger.Claim, now time.Time) (ledger.Row, bool) {
	switch {
	case row.Attempt == claim.Attempt && claimed(&row, claim, now):
		return Read(row, now), true
	case row.State == ledger.None, row.State == ledger.Free && row.ID != claim.ID:
		row = begin(row, claim, now)
	case row.State == ledger.Claimed && !leased(&row, now) && row.Sent == claim.Sent:
	default:
		return Read(row, now), false
	}
	row.Fence++
	row.Attempt, row.Progress = claim.Attempt, nil
	if claim.Immediate != nil {
		return cross(row, *claim.Immediate, now), true
	}
	return move(row, ledger.Claimed, now.Add(claim.Lease), owner(&row, ""), now), true
}

// claimed says that a row is where a claim takes it.
func claimed(row *ledger.Row, claim ledger.Claim, now time.Time) bool {
	if claim.Immediate == nil {
		return row.State == ledger.Claimed
	}
	return mayAct(row, now)
}

// begin is a new operation on a row. It keeps what outlives operations.
func begin(row ledger.Row, claim ledger.Claim, now time.Time) ledger.Row {
	return ledger.Row{
		Key: claim.Key, State: row.State, Version: row.Version, Fence: row.Fence, Trail: row.Trail,
		ID: claim.ID, Sent: claim.Sent, Prepared: claim.Prepared,
		ToolVersion: claim.Version, Principal: claim.Principal, RunID: claim.RunID, Input: claim.Input, CreatedAt: now,
	}
}

// Cross moves a row past the boundary.
//
//	CLAIMED → EFFECT   by its owner; one that crossed before, while its lease is not out
//
// Its own result is EFFECT of the same owner, while its time is not over and nobody looks what became of it: a permission
// that comes too late is none, and who only looks has not crossed.
func Cross(row ledger.Row, hold ledger.Hold, crossing ledger.Crossing, now time.Time) (ledger.Row, bool) {
	switch {
	case !owned(&row, hold):
		return Read(row, now), false
	case mayAct(&row, now):
		return Read(row, now), true
	case row.State == ledger.Claimed && (row.Crossings == 0 || leased(&row, now)):
		return cross(row, crossing, now), true
	default:
		return Read(row, now), false
	}
}

// mayAct says that the owner of a row crossed, and that the time of its effect is not over.
func mayAct(row *ledger.Row, now time.Time) bool {
	return row.State == ledger.Effect && leased(row, now) && !lookedAt(row)
}

func cross(row ledger.Row, crossing ledger.Crossing, now time.Time) ledger.Row {
	until := now.Add(crossing.Lease)
	if until.After(row.ActsUntil) { // an earlier crossing of the operation may have more time
		row.ActsUntil = until
	}
	row.Crossings++
	row.Journal, row.CrossedAt, row.LookedAt = crossing.Journal, now, time.Time{}
	return move(row, ledger.Effect, until, owner(&row, ""), now)
}

// Free forgets an operation that provably had no effect.
//
//	CLAIMED, never crossed → FREE      by its owner
//	EFFECT, crossed once   → FREE      by who crossed, who states that it was not applied
//	CLAIMED, EFFECT        → UNKNOWN   by its owner, in any other case; it returns false
func Free(row ledger.Row, hold ledger.Hold, failure ledger.Failure, now time.Time) (ledger.Row, bool) {
	switch {
	case !owned(&row, hold):
		return Read(row, now), false
	case row.State == ledger.Free:
		return Read(row, now), true
	case row.State == ledger.Claimed && row.Crossings == 0,
		row.State == ledger.Effect && row.Crossings == 1 && !lookedAt(&row):
		row.Failure = ledger.Failure{Code: keepable(failure.Code), Status: failure.Status}
		return move(row, ledger.Free, time.Time{}, owner(&row, failure.Code), now), true
	case row.State == ledger.Claimed, row.State == ledger.Effect:
		return doubt(row, owner(&row, failure.Code), now), false
	default:
		return Read(row, now), false
	}
}

// Record completes an operation. The first receipt stays.
//
//	EFFECT  → DONE   by its owner
//	UNKNOWN → DONE   by any attempt at the operation
//	CLOSED  → DONE   by any attempt at the operation: the closing is contradicted
func Record(row ledger.Row, hold ledger.Hold, receipt ledger.Receipt, now time.Time) (ledger.Row, bool) {
	switch {
	case !sameOperation(&row, hold):
		return Read(row, now), false
	case row.State == ledger.Done:
		return Read(row, now), true
	case row.State == ledger.Effect && owned(&row, hold), row.State == ledger.Unknown, row.State == ledger.Closed:
		by := step{fence: hold.Fence}
		if owned(&row, hold) {
			by.attempt = row.Attempt
		}
		return complete(row, receipt, by, now), true
	default:
		return Read(row, now), false
	}
}

func complete(row ledger.Row, receipt ledger.Receipt, by step, now time.Time) ledger.Row {
	row.Contradicted = row.State == ledger.Closed
	row.Receipt, row.Receipt.CompletedAt = receipt, now
	row.Reason = ""
	return move(row, ledger.Done, time.Time{}, by, now)
}

// Judge stores what verification said of the receipt of an operation; any attempt at it may. It is no move: the row stays
// DONE. An ok stays whatever comes later, and pending is what there is before anything was said.
func Judge(row ledger.Row, hold ledger.Hold, verdict ledger.Verdict, reason string, now time.Time) (ledger.Row, bool) {
	reason = keepable(reason)
	switch {
	case !sameOperation(&row, hold) || row.State != ledger.Done:
		return Read(row, now), false
	case row.Verdict == ledger.OK, verdict == ledger.Pending, row.Verdict == verdict && row.VerdictReason == reason:
		return Read(row, now), row.Verdict == verdict
	default:
		row.Verdict, row.VerdictReason = verdict, reason
		return change(row, now), true
	}
}

// Progress keeps what the owner of a row says of how far it is. It is no move and leaves no trail.
//
//	CLAIMED, EFFECT   by its owner
func Progress(row ledger.Row, hold ledger.Hold, progress []byte, now time.Time) (ledger.Row, bool) {
	switch {
	case !owned(&row, hold) || row.State != ledger.Claimed && row.State != ledger.Effect:
		return Read(row, now), false
	case bytes.Equal(row.Progress, progress):
		return Read(row, now), true
	default:
		row.Progress = progress
		return change(row, now), true
	}
}

// Park notes that nobody knows what became of an operation.
//
//	CLAIMED, EFFECT → UNKNOWN   by its owner
func Park(row ledger.Row, hold ledger.Hold, reason string, now time.Time) (ledger.Row, bool) {
	switch {
	case sameOperation(&row, hold) && row.State == ledger.Unknown:
		return Read(row, now), true
	case owned(&row, hold) && (row.State == ledger.Claimed || row.State == ledger.Effect):
		return doubt(row, owner(&row, reason), now), true
	default:
		return Read(row, now), false
	}
}

func doubt(row ledger.Row, by step, now time.Time) ledger.Row {
	row.Reason = keepable(by.note)
	return move(row, ledger.Unknown, time.Time{}, by, now)
}

// Recover makes an attempt the one that looks what became of an operation.
//
//	EFFECT, lease out → EFFECT            fence+1
//	UNKNOWN, CLOSED   → the same, fence+1, no more often than every so long; it is no move and leaves no trail
func Recover(row ledger.Row, recovery ledger.Recovery, now time.Time) (ledger.Row, bool) {
	switch row.State {
	case ledger.Effect, ledger.Unknown, ledger.Closed:
	case ledger.None, ledger.Free, ledger.Claimed, ledger.Done:
		return Read(row, now), false
	}
	switch {
	case lookedAt(&row) && row.Attempt == recovery.Attempt:
		return Read(row, now), true
	case row.State == ledger.Effect && !leased(&row, now):
		return look(row, recovery.Attempt, recovery.Lease, now), true
	case row.State != ledger.Effect && now.Sub(row.MovedAt) >= recovery.Every && now.Sub(row.LookedAt) >= recovery.Every:
		row.Fence++
		row.Attempt, row.LookedAt = recovery.Attempt, now
		return change(row, now), true
	default:
		return Read(row, now), false
	}
}

func look(row ledger.Row, attempt string, lease time.Duration, now time.Time) ledger.Row {
	row.Fence++
	row.Attempt, row.LookedAt = attempt, now
	return move(row, ledger.Effect, now.Add(lease), owner(&row, ""), now)
}

// Redo moves a row back before the boundary, to be executed again under the same operation id.
//
//	EFFECT           → CLAIMED   fence+1, by its owner
//	UNKNOWN, crossed → CLAIMED   fence+1, by whoever looked last
//
// Its own result is CLAIMED under the next fence, while nobody took it over.
func Redo(row ledger.Row, hold ledger.Hold, lease time.Duration, now time.Time) (ledger.Row, bool) {
	switch {
	case redone(&row, hold):
		return Read(row, now), true
	case owned(&row, hold) && (row.State == ledger.Effect || row.State == ledger.Unknown && row.Crossings > 0):
		row.Fence++
		row.Reason, row.Progress = "", nil
		return move(row, ledger.Claimed, now.Add(lease), owner(&row, ""), now), true
	default:
		return Read(row, now), false
	}
}

// redone says that a row is what Redo made of that of a hold. Who takes it over raises the fence as Redo does, and a hold names
// no attempt: only the trail tells a row that was redone from one that was redone before, and taken over from this hold.
func redone(row *ledger.Row, hold ledger.Hold) bool {
	if !sameOperation(row, hold) || row.State != ledger.Claimed || row.Fence != hold.Fence+1 || len(row.Trail) == 0 {
		return false
	}
	last := row.Trail[len(row.Trail)-1]
	return (last.From == ledger.Effect || last.From == ledger.Unknown) && last.Fence == row.Fence
}
