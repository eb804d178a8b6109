package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"
)

// ledger is what the stages need of whatever remembers operations. Each method is one guarded step: it looks at the state
// it expects and changes it, or changes nothing.
type ledger interface {
	// look returns what is known of an operation; a row without a state is nothing.
	look(ctx context.Context, k opKey) (row, error)
	// wait waits until the running operation of a row has moved on, or ctx ends. Where it failed without an effect, it
	// returns that failure, to be shared. It returns errCrowded instead where too many wait already.
	wait(ctx context.Context, r row) (failure error, err error)
	// claim makes this call the owner of an operation that does not exist; errTaken where it does.
	claim(ctx context.Context, k opKey, d digest) (attempt, error)
	// cross notes that from now on an effect cannot be excluded.
	cross(ctx context.Context, a attempt) error
	// free forgets an operation that provably had no effect. failure is shared with those who wait; nil shares none.
	free(ctx context.Context, a attempt, failure error) error
	// record completes an operation, also one that was parked. The first receipt stays; it is returned.
	record(ctx context.Context, a attempt, r receipt) (receipt, error)
	// park notes that nobody knows what became of an operation.
	park(ctx context.Context, a attempt, cause error) error
	// recheck allows one look at what became of a parked operation, now and then.
	recheck(ctx context.Context, k opKey) (bool, error)
}

var (
	errTaken   = errors.New("the operation exists")
	errCrowded = errors.New("too many calls wait for the operation")
)

// opKey is what a key means: the same one of another caller, or of another tool, is another operation.
type opKey struct{ tenant, principal, tool, key string }

type digest [sha256.Size]byte

// attempt is one try at an operation.
type attempt struct {
	key    opKey
	id     string // of the operation
	number int64
}

type state int

const (
	stateNone    state = iota
	stateClaimed       // preparing; certainly no effect yet
	stateEffect        // past the boundary
	stateDone          // with a receipt
	stateUnknown       // past the boundary, and nobody knows
)

// row is what is known of an operation at one moment.
type row struct {
	attempt

	state   state
	digest  digest
	receipt receipt
	cause   error           // of stateUnknown; lives as long as the process
	moved   <-chan struct{} // closed when the state changes
}

// receipt is what is kept of a completed operation.
type receipt struct {
	output      json.RawMessage
	omitted     bool
	completedAt time.Time
}
