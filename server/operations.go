package server

import (
	"container/list"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/remedyrpc/remedy/errs"
)

// Bounds of what is kept in memory.
const (
	// DefaultMaxOperations is how many operations are remembered at once.
	DefaultMaxOperations = 10_000

	keepDone    = 24 * time.Hour   // a completed operation is forgotten after this
	keepAtLeast = 10 * time.Minute // and not before this, however many come after it
	roomDelay   = time.Minute      // to wait for room when no operation is complete
	maxOutputs  = 64 << 20         // bytes; above it the oldest outputs are dropped, their receipts stay
	maxWaiting  = 64               // calls that wait for one operation

	// DefaultRecheckInterval is how long an unknown outcome stays unknown before it is looked at again.
	DefaultRecheckInterval = 5 * time.Second
)

// operations is a ledger in memory. Completed operations are forgotten by age, and when there are too many; running and
// unknown ones never are.
type operations struct {
	most         int
	recheckEvery time.Duration

	mu      sync.Mutex
	rows    map[opKey]*operation
	done    *list.List // of *operation, the one that completed first in front
	outputs int        // bytes
	attempt int64
}

type operation struct {
	row

	moved     chan struct{}
	failure   error // shared by free
	waiting   int
	rechecked time.Time
	place     *list.Element
}

var _ ledger = (*operations)(nil)

func newOperations(most int, recheckEvery time.Duration) *operations {
	return &operations{most: most, recheckEvery: recheckEvery, rows: make(map[opKey]*operation), done: list.New()}
}

func (o *operations) look(_ context.Context, k opKey) (row, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if op, ok := o.rows[k]; ok && !o.expired(op) {
		return op.row, nil
	}
	return row{}, nil
}

func (o *operations) wait(ctx context.Context, r row) (failure, err error) {
	o.mu.Lock()
	op, ok := o.rows[r.key]
	if !ok || op.id != r.id || op.state != r.state {
		o.mu.Unlock()
		return nil, nil // it moved already
	}
	if op.waiting == maxWaiting {
		o.mu.Unlock()
		return nil, errCrowded
	}
	op.waiting++
	o.mu.Unlock()
	select {
	case <-r.moved:
	case <-ctx.Done():
		err = ctx.Err()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	op.waiting--
	return op.failure, err
}

func (o *operations) claim(_ context.Context, k opKey, d digest) (attempt, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.forgetExpired()
	if _, ok := o.rows[k]; ok {
		return attempt{}, errTaken
	}
	if len(o.rows) >= o.most && !o.forgetOldest() {
		full := fmt.Errorf("%d operations are remembered, which is the most; %d of them are complete, none for %v yet",
			len(o.rows), o.done.Len(), keepAtLeast)
		return attempt{}, &errs.ServiceError{Code: errs.CodeOverloaded, Subject: k.tool, RetryAfter: o.roomIn(), Cause: full}
	}
	o.attempt++
	a := attempt{key: k, id: "op_" + rand.Text(), number: o.attempt}
	op := &operation{row: row{attempt: a, state: stateClaimed, digest: d}, moved: make(chan struct{})}
	op.row.moved = op.moved
	o.rows[k] = op
	return a, nil
}

func (o *operations) cross(_ context.Context, a attempt) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	op, ok := o.own(a, stateClaimed)
	if !ok {
		return &errs.ServiceError{Code: errs.CodeLedgerUnavailable, Subject: a.key.tool}
	}
	op.move(stateEffect)
	return nil
}

func (o *operations) free(_ context.Context, a attempt, failure error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if op, ok := o.own(a, stateClaimed, stateEffect); ok {
		op.failure = failure
		delete(o.rows, a.key)
		op.move(stateNone)
		return nil
	}
	return errTaken
}

func (o *operations) record(_ context.Context, a attempt, r receipt) (receipt, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	op, ok := o.own(a, stateEffect, stateUnknown)
	if !ok {
		if op, ok := o.own(a, stateDone); ok {
			return op.receipt, nil
		}
		return receipt{}, errTaken
	}
	op.receipt, op.cause = r, nil
	op.place = o.done.PushBack(op)
	op.move(stateDone)
	o.outputs += len(r.output)
	for e := o.done.Front(); e != nil && o.outputs > maxOutputs; e = e.Next() {
		o.dropOutput(e.Value.(*operation)) //nolint:forcetypeassert,errcheck // the list holds nothing else
	}
	return r, nil
}

func (o *operations) park(_ context.Context, a attempt, cause error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if op, ok := o.own(a, stateClaimed, stateEffect, stateUnknown); ok {
		op.cause, op.rechecked = cause, time.Now()
		op.move(stateUnknown)
		return nil
	}
	return errTaken
}

func (o *operations) recheck(_ context.Context, k opKey) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	op, ok := o.rows[k]
	if !ok || op.state != stateUnknown || time.Since(op.rechecked) < o.recheckEvery {
		return false, nil
	}
	op.rechecked = time.Now()
	return true, nil
}

// own returns the operation of an attempt where it is in one of the states.
func (o *operations) own(a attempt, states ...state) (*operation, bool) {
	op, ok := o.rows[a.key]
	return op, ok && op.id == a.id && slices.Contains(states, op.state)
}

// move changes the state and wakes those who wait for that.
func (op *operation) move(to state) {
	close(op.moved)
	op.moved = make(chan struct{})
	op.state, op.row.moved = to, op.moved
}

func (o *operations) expired(op *operation) bool {
	return op.state == stateDone && time.Since(op.receipt.completedAt) > keepDone
}

func (o *operations) forgetExpired() {
	for e := o.done.Front(); e != nil; e = o.done.Front() {
		op := e.Value.(*operation) //nolint:forcetypeassert,errcheck // the list holds nothing else
		if !o.expired(op) {
			return
		}
		o.forget(op)
	}
}

// forgetOldest makes room for one operation, and reports whether it could.
func (o *operations) forgetOldest() bool {
	e := o.done.Front()
	if e == nil {
		return false
	}
	op := e.Value.(*operation) //nolint:forcetypeassert,errcheck // the list holds nothing else
	if time.Since(op.receipt.completedAt) < keepAtLeast {
		return false
	}
	o.forget(op)
	return true
}

// roomIn is when the oldest operation may be forgotten.
func (o *operations) roomIn() time.Duration {
	e := o.done.Front()
	if e == nil {
		return roomDelay
	}
	op := e.Value.(*operation) //nolint:forcetypeassert,errcheck // the list holds nothing else
	return max(keepAtLeast-time.Since(op.receipt.completedAt), time.Second)
}

func (o *operations) forget(op *operation) {
	o.outputs -= len(op.receipt.output)
	o.done.Remove(op.place)
	delete(o.rows, op.key)
}

func (o *operations) dropOutput(op *operation) {
	if len(op.receipt.output) == 0 {
		return
	}
	o.outputs -= len(op.receipt.output)
	op.receipt.output, op.receipt.omitted = nil, true
}
