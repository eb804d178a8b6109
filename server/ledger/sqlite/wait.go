package sqlite

import (
	"context"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// look is how often those who wait look by themselves.
const look = time.Second

// Wait implements ledger.Ledger. Every change is made here, and wakes those who wait for it; what expires they find themselves.
func (l *Ledger) Wait(ctx context.Context, key ledger.Key, version int64) error {
	changed, leave := l.waiters.Join(key)
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
