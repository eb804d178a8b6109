package ledger

import (
	"context"
	"errors"
	"time"
)

// Ledger is a store of operations. It is safe for concurrent use, by several processes where the store can be shared.
//
// A move returns the row as it is afterwards, and whether it is what the move makes of it. A move that finds the row in
// another state changes nothing, and returns the row and false. Every move may be asked for again, with the same
// arguments, when its answer was lost: it finds its own result, changes nothing and returns true. But for the errors that a
// method names, an error means that it is not known whether the move was made, and wraps [ErrUnavailable]. A call whose ctx
// ended before it began changes nothing: its error is that of ctx alone. After Close every call is unavailable.
//
// Time is that of the store, one clock for all processes, in UTC; durations count from the time of the move. The caller owns
// what it gave and what it got: a store keeps no slice of either. In codes, reasons and the names of persons, what is not
// UTF-8 and zero bytes become U+FFFD.
type Ledger interface { //nolint:interfacebloat // every move is one; a store has them all
	// Get returns the row of a key. Where there is none, its state is None, and all else but the key is zero.
	Get(ctx context.Context, key Key) (Row, error)
	// Find returns the row whose operation has an id, within a tenant; a zero one where there is none.
	Find(ctx context.Context, tenant, id string) (Row, error)
	// List returns rows of a tenant, the newest operation first, and the token of the next page, empty after the last one. It
	// returns [ErrToken] for a token that is none.
	List(ctx context.Context, filter Filter) ([]Row, string, error)
	// Wait returns when the row of a key has another version than this; no row has version zero. A lease that runs out is no
	// change: who waits for that, too, bounds ctx. Each store looks by itself at least once a second.
	Wait(ctx context.Context, key Key, version int64) error

	// Claim makes an attempt the owner of a new operation, or of one whose owner let its lease run out before it crossed, and
	// that was claimed with an equal digest of the input as it was sent: a receipt is never that of another intent.
	// An operation that was freed is not claimed again under its own id. Claim returns [ErrFull] where the store keeps as many
	// operations as it may, and [ErrName] for a name that it could not keep; neither changes anything.
	Claim(ctx context.Context, claim Claim) (Row, bool, error)
	// Cross moves a claimed row past the boundary. No effect may begin before it has returned true. Asked again when the lease
	// of the crossing is out, it returns false: it is too late to begin. So it does where the lease of the claim is out and the
	// operation crossed before: whatever makes one effect of both may have forgotten the first.
	Cross(ctx context.Context, hold Hold, crossing Crossing) (Row, bool, error)
	// Free forgets an operation that provably had no effect: not crossed, or crossed once and stated by its only owner not to
	// have been applied. One that crossed before, or is being recovered, becomes UNKNOWN instead, and Free returns false.
	Free(ctx context.Context, hold Hold, failure Failure) (Row, bool, error)
	// Record completes an operation past the boundary, for its owner, or one that is UNKNOWN or CLOSED, for any attempt at it.
	// The first receipt stays: where there is one already, it is returned with true.
	Record(ctx context.Context, hold Hold, receipt Receipt) (Row, bool, error)
	// Judge stores what verification said of a receipt, for any attempt at the operation. An ok is never overwritten.
	Judge(ctx context.Context, hold Hold, verdict Verdict, reason string) (Row, bool, error)
	// Progress keeps what the owner of a row says of how far it is, at most [MaxProgress] bytes, in place of what was said before:
	// CLAIMED, or past the boundary. It is no move, but it is seen by those who wait for the row.
	Progress(ctx context.Context, hold Hold, progress []byte) (Row, bool, error)
	// Park notes that nobody knows what became of an operation.
	Park(ctx context.Context, hold Hold, reason string) (Row, bool, error)

	// Recover makes an attempt the one that looks what became of an operation, under a new fence: of one past the boundary whose
	// lease is out, or, without a move, of one that is UNKNOWN or CLOSED and was not looked at for so long.
	Recover(ctx context.Context, recovery Recovery) (Row, bool, error)
	// Redo moves a row past the boundary back before it, for its owner, to be executed again under the same operation id, and so
	// an UNKNOWN one that crossed, for the attempt that looked at it last: only for a tool whose upstream makes one effect of all
	// of one id, and while it still remembers that. The fence is a new one: the owner goes on with the hold of the
	// row that is returned, and shows the one of before only to ask again.
	Redo(ctx context.Context, hold Hold, lease time.Duration) (Row, bool, error)
	// Resolve ends a doubt by the word of a person. It returns [ErrTooEarly] for one who says that an operation was not applied
	// while an attempt could still act. Where the same was said before, or there is a receipt of what was applied, it changes
	// nothing and returns true. The row is a zero one where there is none.
	Resolve(ctx context.Context, resolution Resolution) (Row, bool, error)

	// Sweep moves rows whose lease is out, at most so many, those first whose lease ended first: what never crossed becomes FREE,
	// what else is claimed UNKNOWN, and what is past the boundary, which it returns, belongs to the attempt of the sweep, to be
	// recovered. Several processes that sweep get different rows. What a lost answer named is swept again after its lease.
	Sweep(ctx context.Context, sweep Sweep) ([]Row, error)
	// Expire forgets rows that were kept long enough, drops outputs of others, at most so many of each and the oldest first, and
	// returns how many.
	Expire(ctx context.Context, retention Retention) (Expired, error)
	// Purge drops input, journal, output, reasons and notes of an operation that is DONE, CLOSED or FREE, and keeps its key. The
	// row is a zero one where there is none.
	Purge(ctx context.Context, tenant, id string) (Row, bool, error)

	// Close releases what the ledger holds. Calls that are under way end first, those that wait at once.
	Close() error
}

// Errors of a ledger.
var (
	// ErrUnavailable says that the store did not answer, and that a move may have been made or not.
	ErrUnavailable = errors.New("the ledger is unavailable")
	// ErrFull says that there is no room for another operation.
	ErrFull = errors.New("the ledger is full")
	// ErrTooEarly says that an attempt at the operation could still act.
	ErrTooEarly = errors.New("an attempt could still act")
	// ErrName says that a name of a claim is not UTF-8, or holds a zero byte.
	ErrName = errors.New("a name of the operation is not UTF-8, or holds a zero byte")
	// ErrToken says that a page token is not one that List returned.
	ErrToken = errors.New("no such page token")
)

// Key is what an operation key means: the same one of another caller, or of another tool, is another operation.
type Key struct {
	Tenant string
	// Scope is the principal, or empty for a tool whose keys all principals of a tenant share.
	Scope string
	Tool  string
	Key   string
}

// Hold is what an owner shows: one attempt at one operation.
type Hold struct {
	Key
	// ID is the operation.
	ID string
	// Fence is the number under which the attempt got the row.
	Fence int64
}

// Claim asks for a row. Attempt and ID are new names, of at most 36 characters; ID is used where the operation is new.
type Claim struct {
	Key
	ID      string
	Attempt string
	// Sent is the digest of the input as it was sent, Prepared that of the input that would be executed, with its tool and
	// version. Both are of the first claim of an operation.
	Sent, Prepared Digest
	// Version is the version of the tool, Principal who calls, RunID the agent run; each may be empty.
	Version, Principal, RunID string
	// Input is the prepared input, for whoever recovers the operation when nobody calls again; nil where nobody could. It is
	// of the first claim of an operation, and dropped when that is freed, done or purged.
	Input []byte
	// Lease is how long nobody else may take the row over. An immediate claim has that of its crossing instead.
	Lease time.Duration
	// Immediate crosses in the same step; nil does not.
	Immediate *Crossing
}

// Crossing is what is stored when a row moves past the boundary.
type Crossing struct {
	// Lease is the time of the effect and a margin.
	Lease time.Duration
	// Journal is given to whoever recovers the operation, at most [MaxJournal] bytes.
	Journal []byte
}

// MaxJournal is the largest journal, in bytes.
const MaxJournal = 4 << 10

// MaxProgress is the longest word of progress, in bytes.
const MaxProgress = 512

// Failure is why an operation was freed: its code, and the bytes of the google.rpc.Status that its callers get, which may be
// empty.
type Failure struct {
	Code   string
	Status []byte
}

// LeaseOut is the note, and the reason, of what Sweep made of a row whose owner did not come back.
const LeaseOut = "lease_out"

// Recovery asks to look what became of an operation. Attempt is a new name.
type Recovery struct {
	Key
	Attempt string
	// Lease is how long nobody else may look at a row past the boundary.
	Lease time.Duration
	// Every is how long an UNKNOWN or CLOSED row stays as it is after it moved or was looked at, which whoever parked it may have
	// done; zero allows a look at any time.
	Every time.Duration
}

// Sweep asks for rows whose lease is out. Attempt is a new name.
type Sweep struct {
	Attempt string
	Lease   time.Duration // of the recovery of each returned row
	Limit   int           // from 1
}

// Resolution is what a person says about an UNKNOWN operation.
type Resolution struct {
	Tenant, ID string
	// Applied says that it took effect, with Output as its output, which may be empty; else the key is closed.
	Applied bool
	Output  []byte
	// Actor is who says so, Reason why.
	Actor, Reason string
}

// Retention says how long things are kept after an operation became DONE or FREE. UNKNOWN rows are kept until they are
// resolved, CLOSED ones for ever.
type Retention struct {
	// Outputs is how long outputs are kept, Keys how long rows are; zero is for ever.
	Outputs, Keys time.Duration
	Limit         int // from 1
}

// Expired is what [Ledger.Expire] did.
type Expired struct{ Outputs, Rows int }

// Filter chooses rows for [Ledger.List].
type Filter struct {
	Tenant string
	// Scope, Principal, Tool, Key and RunID have to be equal where they are not empty. Principal is who began the operation,
	// whoever shares its key.
	Scope, Principal, Tool, Key, RunID string
	// States are those asked for; none means all but FREE.
	States []State
	// Limit is the size of a page, from 1; Token is that of the page, empty for the first.
	Limit int
	Token string
}
