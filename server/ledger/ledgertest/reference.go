package ledgertest

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/rules"
)

// reference is the pure rules over a map: what every store is compared with. It has no locks and keeps what it is given.
type reference struct {
	ledger.Ledger // what is not below

	clock *Clock
	rows  map[ledger.Key]ledger.Row
}

func newReference(clock *Clock) *reference {
	return &reference{clock: clock, rows: make(map[ledger.Key]ledger.Row)}
}

func (r *reference) move(key ledger.Key, rule func(ledger.Row, time.Time) (ledger.Row, bool)) (ledger.Row, bool, error) {
	row, known := r.rows[key]
	if !known {
		row = ledger.Row{Key: key}
	}
	next, ok := rule(row, r.clock.Now())
	if next.Version != row.Version {
		r.rows[key] = next
	}
	return next, ok, nil
}

func (r *reference) keyOf(tenant, id string) (ledger.Key, bool) {
	for key := range r.rows {
		if key.Tenant == tenant && r.rows[key].ID == id {
			return key, true
		}
	}
	return ledger.Key{}, false
}

func (r *reference) Get(_ context.Context, key ledger.Key) (ledger.Row, error) {
	row, _, err := r.move(key, func(row ledger.Row, now time.Time) (ledger.Row, bool) { return rules.Read(row, now), true })
	return row, err
}

func (r *reference) Find(ctx context.Context, tenant, id string) (ledger.Row, error) {
	if key, ok := r.keyOf(tenant, id); ok {
		return r.Get(ctx, key)
	}
	return ledger.Row{}, nil
}

func (r *reference) Claim(_ context.Context, claim ledger.Claim) (ledger.Row, bool, error) {
	return r.move(claim.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) { return rules.Claim(row, claim, now) })
}

func (r *reference) Cross(_ context.Context, hold ledger.Hold, crossing ledger.Crossing) (ledger.Row, bool, error) {
	return r.move(hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) { return rules.Cross(row, hold, crossing, now) })
}

func (r *reference) Free(_ context.Context, hold ledger.Hold, failure ledger.Failure) (ledger.Row, bool, error) {
	return r.move(hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) { return rules.Free(row, hold, failure, now) })
}

func (r *reference) Record(_ context.Context, hold ledger.Hold, receipt ledger.Receipt) (ledger.Row, bool, error) {
	return r.move(hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) { return rules.Record(row, hold, receipt, now) })
}

func (r *reference) Judge(_ context.Context, hold ledger.Hold, verdict ledger.Verdict, reason string) (ledger.Row, bool, error) {
	return r.move(hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		return rules.Judge(row, hold, verdict, reason, now)
	})
}

func (r *reference) Progress(_ context.Context, hold ledger.Hold, progress []byte) (ledger.Row, bool, error) {
	return r.move(hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		return rules.Progress(row, hold, progress, now)
	})
}

func (r *reference) Park(_ context.Context, hold ledger.Hold, reason string) (ledger.Row, bool, error) {
	return r.move(hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) { return rules.Park(row, hold, reason, now) })
}

func (r *reference) Recover(_ context.Context, recovery ledger.Recovery) (ledger.Row, bool, error) {
	return r.move(recovery.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) { return rules.Recover(row, recovery, now) })
}

func (r *reference) Redo(_ context.Context, hold ledger.Hold, lease time.Duration) (ledger.Row, bool, error) {
	return r.move(hold.Key, func(row ledger.Row, now time.Time) (ledger.Row, bool) { return rules.Redo(row, hold, lease, now) })
}

func (r *reference) Resolve(_ context.Context, resolution ledger.Resolution) (ledger.Row, bool, error) {
	key, ok := r.keyOf(resolution.Tenant, resolution.ID)
	if !ok {
		return ledger.Row{}, false, nil
	}
	var ruled error
	row, ok, _ := r.move(key, func(row ledger.Row, now time.Time) (ledger.Row, bool) {
		var ok bool
		row, ok, ruled = rules.Resolve(row, resolution, now)
		return row, ok
	})
	return row, ok, ruled
}

func (r *reference) Purge(_ context.Context, tenant, id string) (ledger.Row, bool, error) {
	key, ok := r.keyOf(tenant, id)
	if !ok {
		return ledger.Row{}, false, nil
	}
	return r.move(key, rules.Purge)
}

func (r *reference) Sweep(_ context.Context, sweep ledger.Sweep) ([]ledger.Row, error) {
	var taken []ledger.Row
	moved := 0
	for _, key := range r.oldest(func(row ledger.Row) time.Time { return row.LeaseUntil }) {
		next, ok := rules.Sweep(r.rows[key], sweep, r.clock.Now())
		if !ok || moved == sweep.Limit {
			continue
		}
		moved++
		r.rows[next.Key] = next
		if next.State == ledger.Effect {
			taken = append(taken, next)
		}
	}
	return taken, nil
}

func (r *reference) Expire(_ context.Context, retention ledger.Retention) (ledger.Expired, error) {
	var done ledger.Expired
	for _, key := range r.oldest(func(row ledger.Row) time.Time { return row.MovedAt }) {
		row, now := r.rows[key], r.clock.Now()
		switch {
		case rules.Forget(row, retention, now) && done.Rows < retention.Limit:
			delete(r.rows, key)
			done.Rows++
		case rules.Stale(row, retention, now) && done.Outputs < retention.Limit:
			r.rows[key] = rules.DropOutput(row, now)
			done.Outputs++
		}
	}
	return done, nil
}

// oldest are the keys of all rows, in the order of a time of theirs.
func (r *reference) oldest(at func(ledger.Row) time.Time) []ledger.Key {
	return slices.SortedFunc(maps.Keys(r.rows), func(a, b ledger.Key) int { return at(r.rows[a]).Compare(at(r.rows[b])) })
}
