package memory

import (
	"context"
	"slices"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/rules"
)

// Sweep moves rows whose lease is out, and returns those that are past the boundary.
func (l *Ledger) Sweep(ctx context.Context, sweep ledger.Sweep) ([]ledger.Row, error) {
	unlock, err := l.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	now := l.now()
	due := l.oldest(sweep.Limit,
		func(row *ledger.Row) bool { return !row.LeaseUntil.IsZero() && !now.Before(row.LeaseUntil) },
		func(row *ledger.Row) time.Time { return row.LeaseUntil })
	var taken []ledger.Row
	for _, key := range due {
		row, ok := l.apply(key, func(row ledger.Row, now time.Time) (ledger.Row, bool) { return rules.Sweep(row, sweep, now) })
		if ok && row.State == ledger.Effect {
			taken = append(taken, row)
		}
	}
	return taken, nil
}

// Expire forgets rows, and drops outputs of others, that were kept long enough.
func (l *Ledger) Expire(ctx context.Context, retention ledger.Retention) (ledger.Expired, error) {
	unlock, err := l.lock(ctx)
	if err != nil {
		return ledger.Expired{}, err
	}
	defer unlock()
	now := l.now()
	since := func(row *ledger.Row) time.Time { return row.MovedAt }
	forgotten := l.oldest(retention.Limit, func(row *ledger.Row) bool { return rules.Forget(*row, retention, now) }, since)
	for _, key := range forgotten {
		l.drop(key)
	}
	stale := l.oldest(retention.Limit, func(row *ledger.Row) bool { return rules.Stale(*row, retention, now) }, since)
	for _, key := range stale {
		l.put(rules.DropOutput(l.shelf.get(key), now))
	}
	return ledger.Expired{Outputs: len(stale), Rows: len(forgotten)}, nil
}

// oldest are the keys of at most so many rows that are due, in the order of a time of theirs.
func (l *Ledger) oldest(limit int, due func(*ledger.Row) bool, at func(*ledger.Row) time.Time) []ledger.Key {
	var rows []*ledger.Row
	for _, e := range l.shelf.rows {
		if due(&e.row) {
			rows = append(rows, &e.row)
		}
	}
	slices.SortFunc(rows, func(a, b *ledger.Row) int { return at(a).Compare(at(b)) })
	rows = rows[:min(len(rows), max(limit, 0))]
	keys := make([]ledger.Key, len(rows))
	for i, row := range rows {
		keys[i] = row.Key
	}
	return keys
}
