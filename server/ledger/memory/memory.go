package memory

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/rules"
)

// Ledger keeps operations in memory. It is made by [New].
type Ledger struct {
	maxRows    int
	maxOutputs int
	clock      func() time.Time

	mu     sync.Mutex
	shelf  shelf
	moved  map[ledger.Key]chan struct{} // of those somebody waits for; closed by the next change
	closed chan struct{}
}

var _ ledger.Ledger = (*Ledger)(nil)

// New makes an empty ledger.
func New(options ...Option) *Ledger {
	l := &Ledger{
		maxRows: DefaultMaxOperations, maxOutputs: DefaultMaxOutputs, clock: time.Now,
		shelf: newShelf(), moved: make(map[ledger.Key]chan struct{}), closed: make(chan struct{}),
	}
	for _, option := range options {
		option(l)
	}
	return l
}

// Get returns the row of a key.
func (l *Ledger) Get(ctx context.Context, key ledger.Key) (ledger.Row, error) {
	row, _, err := l.move(ctx, key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		return rules.Read(row, now), true
	})
	return row, err
}

// Find returns the row whose operation has an id.
func (l *Ledger) Find(ctx context.Context, tenant, id string) (ledger.Row, error) {
	row, _, err := l.moveByID(ctx, tenant, id, func(row ledger.Row, now time.Time) (ledger.Row, bool, error) {
		return rules.Read(row, now), true, nil
	})
	return row, err
}

// Claim makes an attempt the owner of an operation.
func (l *Ledger) Claim(ctx context.Context, claim ledger.Claim) (ledger.Row, bool, error) {
	if err := rules.CheckNames(claim); err != nil {
		return ledger.Row{}, false, err
	}
	unlock, err := l.lock(ctx)
	if err != nil {
		return ledger.Row{}, false, err
	}
	defer unlock()
	if !l.shelf.has(claim.Key) && !l.makeRoom() {
		return ledger.Row{Key: claim.Key}, false, fmt.Errorf("%w: it keeps %d operations", ledger.ErrFull, l.maxRows)
	}
	row, ok := l.apply(claim.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		return rules.Claim(row, claim, now)
	})
	return row, ok, nil
}

// Cross moves a claimed row past the boundary.
func (l *Ledger) Cross(ctx context.Context, hold ledger.Hold, crossing ledger.Crossing) (ledger.Row, bool, error) {
	return l.move(ctx, hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		return rules.Cross(row, hold, crossing, now)
	})
}

// Free forgets an operation that provably had no effect.
func (l *Ledger) Free(ctx context.Context, hold ledger.Hold, failure ledger.Failure) (ledger.Row, bool, error) {
	return l.move(ctx, hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		return rules.Free(row, hold, failure, now)
	})
}

// Record completes an operation.
func (l *Ledger) Record(ctx context.Context, hold ledger.Hold, receipt ledger.Receipt) (ledger.Row, bool, error) {
	return l.move(ctx, hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		return rules.Record(row, hold, receipt, now)
	})
}

// Judge stores what verification said of a receipt.
func (l *Ledger) Judge(ctx context.Context, hold ledger.Hold, verdict ledger.Verdict, reason string) (ledger.Row, bool, error) {
	return l.move(ctx, hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		return rules.Judge(row, hold, verdict, reason, now)
	})
}

// Progress keeps what the owner of a row says of how far it is.
func (l *Ledger) Progress(ctx context.Context, hold ledger.Hold, progress []byte) (ledger.Row, bool, error) {
	return l.move(ctx, hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		return rules.Progress(row, hold, progress, now)
	})
}

// Park notes that nobody knows what became of an operation.
func (l *Ledger) Park(ctx context.Context, hold ledger.Hold, reason string) (ledger.Row, bool, error) {
	return l.move(ctx, hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		return rules.Park(row, hold, reason, now)
	})
}

// Recover makes an attempt the one that looks what became of an operation.
func (l *Ledger) Recover(ctx context.Context, recovery ledger.Recovery) (ledger.Row, bool, error) {
	return l.move(ctx, recovery.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		return rules.Recover(row, recovery, now)
	})
}

// Redo moves a row back before the boundary, under a new fence.
func (l *Ledger) Redo(ctx context.Context, hold ledger.Hold, lease time.Duration) (ledger.Row, bool, error) {
	return l.move(ctx, hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		return rules.Redo(row, hold, lease, now)
	})
}

// Resolve ends a doubt by the word of a person.
func (l *Ledger) Resolve(ctx context.Context, resolution ledger.Resolution) (ledger.Row, bool, error) {
	return l.moveByID(ctx, resolution.Tenant, resolution.ID, func(row ledger.Row, now time.Time) (ledger.Row, bool, error) {
		return rules.Resolve(row, resolution, now)
	})
}

// Purge drops what an operation holds of its caller.
func (l *Ledger) Purge(ctx context.Context, tenant, id string) (ledger.Row, bool, error) {
	return l.moveByID(ctx, tenant, id, func(row ledger.Row, now time.Time) (ledger.Row, bool, error) {
		row, ok := rules.Purge(row, now)
		return row, ok, nil
	})
}

// Close ends the waits. Every later call finds the ledger unavailable.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isClosed() {
		close(l.closed)
	}
	return nil
}

func (l *Ledger) isClosed() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}

// lock begins a step, unless there is nobody to take it for.
func (l *Ledger) lock(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	if l.isClosed() {
		l.mu.Unlock()
		return nil, errClosed()
	}
	return l.mu.Unlock, nil
}

func errClosed() error { return fmt.Errorf("%w: it is closed", ledger.ErrUnavailable) }

func (l *Ledger) now() time.Time { return l.clock().UTC() }

// move applies a rule to the row of a key.
func (l *Ledger) move(ctx context.Context, key ledger.Key, rule func(ledger.Row, time.Time) (ledger.Row, bool)) (ledger.Row, bool, error) {
	unlock, err := l.lock(ctx)
	if err != nil {
		return ledger.Row{}, false, err
	}
	defer unlock()
	row, ok := l.apply(key, rule)
	return row, ok, nil
}

// moveByID applies a rule to the row of an operation.
func (l *Ledger) moveByID(
	ctx context.Context, tenant, id string, rule func(ledger.Row, time.Time) (ledger.Row, bool, error),
) (ledger.Row, bool, error) {
	unlock, err := l.lock(ctx)
	if err != nil {
		return ledger.Row{}, false, err
	}
	defer unlock()
	key, ok := l.shelf.keyOf(tenant, id)
	if !ok {
		return ledger.Row{}, false, nil
	}
	var ruled error
	row, ok := l.apply(key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		var ok bool
		row, ok, ruled = rule(row, now)
		return row, ok
	})
	return row, ok, ruled
}

// apply is one step, under the lock.
func (l *Ledger) apply(key ledger.Key, rule func(ledger.Row, time.Time) (ledger.Row, bool)) (ledger.Row, bool) {
	row := l.shelf.get(key)
	next, ok := rule(row, l.now())
	if next.Version != row.Version {
		l.put(next)
		next = rules.Read(l.shelf.get(key), l.now()) // its output may have been one too many
	}
	return clone(next), ok
}

func (l *Ledger) put(row ledger.Row) {
	l.shelf.put(clone(row))
	l.wake(row.Key)
	for l.shelf.outputs > l.maxOutputs {
		oldest := l.shelf.oldestOutput()
		l.shelf.put(rules.DropOutput(oldest, l.now()))
		l.wake(oldest.Key)
	}
}

func (l *Ledger) drop(key ledger.Key) {
	l.shelf.drop(key)
	l.wake(key)
}

// makeRoom says whether there is room for another row, and lets go of one that holds nothing where there is none.
func (l *Ledger) makeRoom() bool {
	if l.shelf.len() < l.maxRows {
		return true
	}
	oldest, ok := l.shelf.oldestFree()
	if ok {
		l.drop(oldest)
	}
	return ok
}
