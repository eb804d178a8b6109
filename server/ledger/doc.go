// Package ledger says what a store of operations has to do, so that equal retries converge on one receipt and at most one
// effect crosses the boundary for each key. The stores are in the packages below; package ledgertest holds all of them to
// the same behaviour.
//
// One row belongs to each key. It moves between states, and every move is one atomic step of the store, guarded by what the
// row has to look like:
//
//	none, FREE          → CLAIMED  Claim: a new operation, fence+1
//	CLAIMED, lease out  → CLAIMED  Claim: a takeover with the same input, fence+1, the same operation
//	none, FREE, CLAIMED → EFFECT   Claim, immediate: either of them, and the crossing in the same step
//	CLAIMED             → EFFECT   Cross, by its owner: from here on an effect cannot be excluded; what crossed before
//	                               only while its lease is not out
//	CLAIMED             → FREE     Free, by its owner; Sweep, when the lease is out and nothing ever crossed
//	EFFECT              → DONE     Record, by its owner
//	EFFECT              → FREE     Free, by the owner of the only crossing of the operation, as long as nobody else looks
//	EFFECT, lease out   → EFFECT   Recover: fence+1, somebody else looks what became of it
//	CLAIMED, EFFECT     → UNKNOWN  Park, by its owner
//	EFFECT              → CLAIMED  Redo, by its owner: fence+1, a tool that is called again under the same operation id
//	UNKNOWN, crossed    → CLAIMED  Redo, by whoever looked at it last: as before
//	CLAIMED, crossed    → UNKNOWN  Free and Sweep, of an operation that crossed before
//	EFFECT              → UNKNOWN  Free, by any other owner
//	UNKNOWN             → DONE     Record, by any attempt at this operation; Resolve
//	UNKNOWN             → CLOSED   Resolve, when no attempt can act any more: the key never executes again
//	CLOSED              → DONE     Record, by any attempt at this operation: it was contradicted
//
// The owner of a row is the attempt whose fence it carries. A fence only ever grows, also over FREE, so an owner that lost
// its lease can never move the row of another one. The fence of a row that was forgotten begins again; there it is the id of
// the operation, which every owner shows as well, that keeps the ones of before away. No row comes back to a state under the
// fence that it had there, so what an owner asked for twice and arrives late, after it was made, finds nothing to move.
// Package rules says all of it as pure functions, and its tests explore every interleaving of them, and what breaks without
// each.
//
// # What callers keep
//
// A store cannot see an effect. That there is at most one for each key rests on these, too:
//
//   - The effect runs after Cross, or an immediate Claim, returned true to this attempt, once for each time it crossed, and not
//     otherwise: not when the answer was lost, and not because the row that came with false looks right.
//   - Nobody runs it on a row got by Recover or Sweep. Who wants to run it again calls Redo and then, with the hold of the row
//     that it returned, Cross, and only for a tool whose effect is one and the same under one operation id.
//   - Free, of a row past the boundary, is called only with the word of the effect itself that it was not applied. An error, the
//     end of a time, or a look that found nothing is not that: those are for Park.
//   - "No effect" is answered only after Free returned true. Where it returned false its row is the answer, and where it
//     returned an error nothing is said of an effect.
//   - Success is answered only after Record returned true, with the receipt of its row, which may be that of another attempt.
//   - A receipt is kept, and recorded again, while Record returns an error or finds the row past the boundary under another
//     fence: whoever looks there may find nothing, and then it is what ends the doubt.
//   - Names are new: an id for every claim that may begin an operation, an attempt for every claim, recovery and sweep. The same
//     one is used only to ask again for the same move. Where a claim that is asked for again finds its operation FREE, somebody
//     swept it, and the next one has new names.
//   - The lease of a crossing is longer than the effect can run, counted from when Cross was asked for first. An attempt that
//     is paused past it cannot be seen, and makes a person who closes the operation wrong until its receipt arrives.
//   - Somebody sweeps, or what an owner left behind that never came back stays where it is.
package ledger
