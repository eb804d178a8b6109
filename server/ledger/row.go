package ledger

import (
	"crypto/sha256"
	"time"
)

// State is where an operation is.
type State int8

// The states. Their numbers are stored and never change.
const (
	// None is no row.
	None State = 0
	// Free is a row whose last operation provably had no effect; it keeps the fence.
	Free State = 1
	// Claimed has an owner that prepares, before the boundary.
	Claimed State = 2
	// Effect is past the boundary, with an owner that calls the effect or looks what became of it.
	Effect State = 3
	// Done has a receipt.
	Done State = 4
	// Unknown is past the boundary, and nobody knows.
	Unknown State = 5
	// Closed was unknown, and a person said that it was not applied: the key never executes again.
	Closed State = 6
)

// String returns the state in lower case.
func (s State) String() string {
	switch s {
	case None:
		return "none"
	case Free:
		return "free"
	case Claimed:
		return "claimed"
	case Effect:
		return "effect"
	case Done:
		return "done"
	case Unknown:
		return "unknown"
	case Closed:
		return "closed"
	default:
		return "invalid"
	}
}

// Digest is the SHA-256 of an input.
type Digest [sha256.Size]byte

// Verdict is what verification said of a receipt. The numbers are stored and never change.
type Verdict int8

// The verdicts.
const (
	// Pending has not been said, or never will be.
	Pending Verdict = 0
	// OK means that authoritative state agreed.
	OK Verdict = 1
	// Failed means that it did not, or could not be read.
	Failed Verdict = 2
)

// Row is what is known of a key at one moment, by the clock of the store.
type Row struct {
	Key

	State State
	// Version is 1 for a new row, and one more after every change.
	Version int64
	// ID is the operation; Attempt is the attempt that got the row last, under Fence.
	ID      string
	Attempt string
	Fence   int64
	// Crossings counts how often this operation crossed.
	Crossings int
	// Sent, Prepared, ToolVersion, Principal and RunID are of the claim.
	Sent, Prepared                Digest
	ToolVersion, Principal, RunID string
	// Input is of the first claim of this operation; nil once it is done, and where it was not given.
	Input []byte
	// Journal is of the last crossing.
	Journal []byte
	// Progress is what the owner said last of how far it is. It goes when the operation ends, or is begun anew; nil for nothing.
	Progress []byte
	// Leased says that the lease was not out when the row was read; LeaseUntil is its end. Only CLAIMED and EFFECT have one.
	Leased     bool
	LeaseUntil time.Time
	// ActsUntil is when the time of the effect and its margin are over, of every crossing of this operation: until then an
	// attempt could still act, whoever looks.
	ActsUntil time.Time
	// CreatedAt is the first claim of this operation, CrossedAt its last crossing, MovedAt the last move, LookedAt the last
	// look at what became of that crossing; each is zero where there was none.
	CreatedAt, CrossedAt, MovedAt, LookedAt time.Time

	// Receipt is that of DONE.
	Receipt Receipt
	// Verdict and VerdictReason are of the receipt.
	Verdict       Verdict
	VerdictReason string
	// Reason says why the row is UNKNOWN or CLOSED; Failure why it is FREE, and is zero where Sweep freed it.
	Reason  string
	Failure Failure
	// Contradicted says that a receipt came after the key had been closed.
	Contradicted bool
	// Trail are the moves of the row, the oldest first, at most the last [MaxTrail].
	Trail []Move
}

// Hold is what the owner of the row shows.
func (r Row) Hold() Hold { return Hold{Key: r.Key, ID: r.ID, Fence: r.Fence} }

// Receipt is what is kept of a completed operation.
type Receipt struct {
	// Output is JSON; empty where it was omitted.
	Output []byte
	// Omitted says why there is no output: it never could be kept, or it was dropped after its time, or purged.
	Omitted Omitted
	// Size and Hash are of the output, also where it was omitted; a hash of zero where there never was one.
	Size int64
	Hash Digest
	// CompletedAt is when the receipt was recorded. The store sets it.
	CompletedAt time.Time
}

// Omitted is why a receipt has no output. The numbers are stored and never change.
type Omitted int8

// The reasons.
const (
	// Kept is not omitted.
	Kept Omitted = 0
	// Unfit was too large, or no JSON.
	Unfit Omitted = 1
	// Dropped was kept for its time.
	Dropped Omitted = 2
	// Purged was dropped by a person.
	Purged Omitted = 3
	// Unseen is of an operation of which only its having been applied is known.
	Unseen Omitted = 4
)

// MaxTrail is how many moves a row keeps.
const MaxTrail = 64

// Move is one entry of the audit trail.
type Move struct {
	At time.Time
	// From and To are the states, ID is the operation.
	From, To State
	ID       string
	// Fence and Attempt are those of whoever moved the row. Attempt is empty for a person, and for a receipt that came under an
	// earlier fence than that of the row.
	Fence   int64
	Attempt string
	// Actor is the person; empty for an attempt.
	Actor string
	// Note is a code or a reason.
	Note string
}
