// Package ledger says what a store of operations has to do, so that equal retries converge on one receipt and at most one
// effect crosses the boundary for each key. The stores are in the packages below; package ledgertest holds all of them to
// the same behaviour.
//
// One row belongs to each key. It moves between states, and every move is one atomic step of the store, guarded by what the
// row has to look like:
//
//	none, FREE          → CLAIMED  Claim: a new operation, fence+1
//	CLAIMED, lease out  → CLAIMED  Claim: a takeover, fence+1, the same operation
//	CLAIMED             → EFFECT   Cross, by its owner: from here on an effect cannot be excluded
//	CLAIMED             → FREE     Free, by its owner; Sweep, when the lease is out and nothing ever crossed
//	EFFECT              → DONE     Record, by its owner
//	EFFECT              → FREE     Free, by the owner of the only crossing of the operation
//	EFFECT, lease out   → EFFECT   Recover: fence+1, somebody else looks what became of it
//	EFFECT              → UNKNOWN  Park, by its owner
//	EFFECT              → CLAIMED  Redo, by its owner: a tool that is called again under the same operation id
//	CLAIMED, crossed    → UNKNOWN  Free, Park and Sweep, of an operation that crossed before
//	UNKNOWN             → DONE     Record, by any attempt at this operation; Resolve
//	UNKNOWN             → CLOSED   Resolve: the key never executes again
//	CLOSED              → DONE     Record, by any attempt at this operation: it was contradicted
//
// The owner of a row is the attempt whose fence it carries. A fence only ever grows, also over FREE, so an owner that lost
// its lease can never move the row of another one.
package ledger
