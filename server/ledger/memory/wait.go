package memory

import (
	"context"

	"github.com/remedyrpc/remedy/server/ledger"
)

// Wait returns when the row of a key has another version.
func (l *Ledger) Wait(ctx context.Context, key ledger.Key, version int64) error {
	for {
		moved, err := l.watch(ctx, key, version)
		if err != nil || moved == nil {
			return err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		case <-l.closed:
			return errClosed()
		}
	}
}

// watch returns what the next change of a row closes, or nil where it has another version already.
func (l *Ledger) watch(ctx context.Context, key ledger.Key, version int64) (<-chan struct{}, error) {
	unlock, err := l.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if l.shelf.get(key).Version != version {
		return nil, nil //nolint:nilnil // there is nothing to wait for
	}
	moved := l.moved[key]
	if moved == nil {
		moved = make(chan struct{})
		l.moved[key] = moved
	}
	return moved, nil
}

// wake ends the waits for a row.
func (l *Ledger) wake(key ledger.Key) {
	if moved := l.moved[key]; moved != nil {
		close(moved)
		delete(l.moved, key)
	}
}
