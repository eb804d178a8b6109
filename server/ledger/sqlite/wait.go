package sqlite

import (
	"context"
	"sync"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// look is how often those who wait look by themselves.
const look = time.Second

// waiters are those who wait for a row to change.
type waiters struct {
	mu sync.Mutex
	of map[ledger.Key]map[chan struct{}]struct{}
}

// join returns what is told of every change of the row, and what ends that.
func (w *waiters) join(key ledger.Key) (changed <-chan struct{}, leave func()) {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = make(map[ledger.Key]map[chan struct{}]struct{})
	}
	if w.of[key] == nil {
		w.of[key] = make(map[chan struct{}]struct{})
	}
	w.of[key][c] = struct{}{}
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.of[key], c)
		if len(w.of[key]) == 0 {
			delete(w.of, key)
		}
	}
}

// wake tells those who wait for a row.
func (w *waiters) wake(key ledger.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.of[key] {
		select {
		case c <- struct{}{}:
		default: // it knows
		}
	}
}

// Wait implements ledger.Ledger. Every change is made here, and wakes those who wait for it; what expires they find themselves.
func (l *Ledger) Wait(ctx context.Context, key ledger.Key, version int64) error {
	changed, leave := l.waiters.join(key)
	defer leave()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		row, err := l.Get(ctx, key)
		if err != nil || row.Version != version {
			return err
		}
		select {
		case <-changed:
		case <-tick.C:
		case <-l.writer.stop:
			return errNotOpen
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
