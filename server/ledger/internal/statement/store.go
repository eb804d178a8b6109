package statement

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/rules"
)

// DB runs statements. Its errors are those of [ledger.Ledger].
type DB interface {
	// Move runs a statement that moves rows, and returns them when that is as durable as the database makes it. Where it moved
	// none and look is not nil, it returns the row that look finds. The rule is what the statement says of one row, nil for those
	// that move several; see [Statement.Quiet].
	Move(ctx context.Context, do, look *Statement, a *Arguments, rule Rule) (moved, found []Seen, err error)
	// Change runs a statement that returns no rows, and returns how many it changed.
	Change(ctx context.Context, do *Statement, a *Arguments) (int, error)
	// Read runs a statement that changes nothing.
	Read(ctx context.Context, s *Statement, a *Arguments) ([]Seen, error)
}

// Store is the part of a ledger that is the same for all databases: all but Wait and Close.
type Store struct {
	db         DB
	statements *Statements
}

// NewStore returns a store of a database.
func NewStore(db DB, s *Statements) Store { return Store{db: db, statements: s} }

// again is how often a move is asked for anew that found a row which it could have moved: somebody else moved that in between.
const again = 10

// move runs the statement of a move. Where that moves nothing, rule says what the move would make of the row there is: its own
// result of before is true; what it would move now came up in between, and is asked for again.
func (s *Store) move(ctx context.Context, do, look *Statement, a *Arguments, rule Rule) (ledger.Row, bool, error) {
	for range again {
		moved, found, err := s.db.Move(ctx, do, look, a, rule)
		switch {
		case err != nil:
			return ledger.Row{}, false, err
		case len(moved) > 0:
			return moved[0].Row, true, nil
		}
		if len(found) == 0 {
			found = []Seen{{Row: ledger.Row{Key: a.key}}}
		}
		if changes, ok, err := rule.ask(&found[0]); !changes {
			return found[0].Row, ok, err
		}
	}
	return ledger.Row{}, false, fmt.Errorf("%w: the row of the operation moved too often", ledger.ErrUnavailable)
}

// Rule is a move of package rules, of a row at a time.
type Rule func(Seen) (ledger.Row, bool, error)

// ask says whether a move would change a row, and else what it answers. It is apart from what every move runs through, which
// needs the less stack: rows are large, and a stack that grows is copied.
//
//go:noinline
func (rule Rule) ask(seen *Seen) (changes, ok bool, err error) {
	next, ok, err := rule(*seen)
	return err == nil && next.Version != seen.Version, ok, err
}

// always is a rule that has no error.
func always(rule func(Seen) (ledger.Row, bool)) Rule {
	return func(seen Seen) (ledger.Row, bool, error) {
		row, ok := rule(seen)
		return row, ok, nil
	}
}

// Get implements [ledger.Ledger].
func (s *Store) Get(ctx context.Context, key ledger.Key) (ledger.Row, error) {
	a := &Arguments{key: key}
	rows, err := s.db.Read(ctx, s.statements.Get, a)
	if err != nil || len(rows) == 0 {
		return ledger.Row{Key: key}, err
	}
	return rows[0].Row, nil
}

// Find implements [ledger.Ledger].
func (s *Store) Find(ctx context.Context, tenant, id string) (ledger.Row, error) {
	rows, err := s.db.Read(ctx, s.statements.Find, &Arguments{key: ledger.Key{Tenant: tenant}, id: id})
	if err != nil || len(rows) == 0 {
		return ledger.Row{}, err
	}
	return rows[0].Row, nil
}

// Claim implements [ledger.Ledger]. Most keys are new, so that is tried first; it holds up nobody where the key is known.
func (s *Store) Claim(ctx context.Context, c ledger.Claim) (ledger.Row, bool, error) {
	if err := rules.CheckNames(c); err != nil {
		return ledger.Row{}, false, err
	}
	a := &Arguments{
		key: c.Key, id: c.ID, attempt: c.Attempt, sent: c.Sent[:], prepared: c.Prepared[:],
		toolVersion: c.Version, principal: c.Principal, run: c.RunID, input: c.Input,
		to: int64(ledger.Claimed), lease: c.Lease.Microseconds(), note: note("", ""),
	}
	if c.Immediate != nil {
		a.to, a.crossed, a.lease, a.journal = int64(ledger.Effect), 1, c.Immediate.Lease.Microseconds(), c.Immediate.Journal
	}
	known := false // the key, and the row may be claimed
	row, ok, err := s.move(ctx, s.statements.Claim, s.statements.Get, a, func(seen Seen) (ledger.Row, bool, error) {
		row, ok := rules.Claim(seen.Row, c, seen.Now)
		if seen.State == ledger.None && !a.Room {
			return seen.Row, false, ledger.ErrFull
		}
		if known = seen.State != ledger.None && row.Version != seen.Version; known {
			return seen.Row, false, nil // which is no row of this statement
		}
		return row, ok, nil
	})
	if err != nil || !known {
		return row, ok, err
	}
	return s.move(ctx, s.statements.Reclaim, s.statements.Get, a, always(func(seen Seen) (ledger.Row, bool) {
		if seen.State == ledger.None { // it was forgotten meanwhile
			return seen.Row, false
		}
		return rules.Claim(seen.Row, c, seen.Now)
	}))
}

// held are the arguments of a move by who shows a hold.
func held(h ledger.Hold, text string) *Arguments {
	return &Arguments{key: h.Key, id: h.ID, fence: h.Fence, note: note("", text)}
}

// Cross implements [ledger.Ledger].
func (s *Store) Cross(ctx context.Context, h ledger.Hold, c ledger.Crossing) (ledger.Row, bool, error) {
	a := held(h, "")
	a.lease, a.journal = c.Lease.Microseconds(), c.Journal
	return s.move(ctx, s.statements.Cross, s.statements.Get, a, always(func(seen Seen) (ledger.Row, bool) {
		return rules.Cross(seen.Row, h, c, seen.Now)
	}))
}

// Free implements [ledger.Ledger].
func (s *Store) Free(ctx context.Context, h ledger.Hold, f ledger.Failure) (ledger.Row, bool, error) {
	a := held(h, f.Code)
	a.code, a.status = keepable(f.Code), f.Status
	row, ok, err := s.move(ctx, s.statements.Free, s.statements.Get, a, always(func(seen Seen) (ledger.Row, bool) {
		return rules.Free(seen.Row, h, f, seen.Now)
	}))
	return row, ok && row.State == ledger.Free, err
}

// Record implements [ledger.Ledger].
func (s *Store) Record(ctx context.Context, h ledger.Hold, r ledger.Receipt) (ledger.Row, bool, error) {
	a := held(h, "")
	a.receipt(r)
	return s.move(ctx, s.statements.Record, s.statements.Get, a, always(func(seen Seen) (ledger.Row, bool) {
		return rules.Record(seen.Row, h, r, seen.Now)
	}))
}

func (a *Arguments) receipt(r ledger.Receipt) {
	a.output, a.omitted, a.size, a.hash = r.Output, int64(r.Omitted), r.Size, r.Hash[:]
	a.upkeep = 1 + number(len(r.Output) > 0)
}

// Judge implements [ledger.Ledger].
func (s *Store) Judge(ctx context.Context, h ledger.Hold, v ledger.Verdict, reason string) (ledger.Row, bool, error) {
	a := held(h, "")
	a.verdict, a.reason = int64(v), keepable(reason)
	return s.move(ctx, s.statements.Judge, s.statements.Get, a, always(func(seen Seen) (ledger.Row, bool) {
		return rules.Judge(seen.Row, h, v, a.reason, seen.Now)
	}))
}

// Progress implements [ledger.Ledger].
func (s *Store) Progress(ctx context.Context, h ledger.Hold, progress []byte) (ledger.Row, bool, error) {
	a := held(h, "")
	a.progress = filled(progress)
	return s.move(ctx, s.statements.Progress, s.statements.Get, a, always(func(seen Seen) (ledger.Row, bool) {
		return rules.Progress(seen.Row, h, progress, seen.Now)
	}))
}

// Park implements [ledger.Ledger].
func (s *Store) Park(ctx context.Context, h ledger.Hold, reason string) (ledger.Row, bool, error) {
	a := held(h, reason)
	a.reason = keepable(reason)
	return s.move(ctx, s.statements.Park, s.statements.Get, a, always(func(seen Seen) (ledger.Row, bool) {
		return rules.Park(seen.Row, h, reason, seen.Now)
	}))
}

// Recover implements [ledger.Ledger]. Past the boundary it is a move; an UNKNOWN or CLOSED row is looked at.
func (s *Store) Recover(ctx context.Context, r ledger.Recovery) (ledger.Row, bool, error) {
	a := &Arguments{
		key: r.Key, attempt: r.Attempt, lease: r.Lease.Microseconds(), every: r.Every.Microseconds(), note: note("", ""),
	}
	rule := always(func(seen Seen) (ledger.Row, bool) {
		row, ok := rules.Recover(seen.Row, r, seen.Now)
		if seen.State != ledger.Effect {
			row.Version = seen.Version // which is no row of this statement
		}
		return row, ok
	})
	row, ok, err := s.move(ctx, s.statements.Recover, s.statements.Get, a, rule)
	if err != nil || row.State != ledger.Unknown && row.State != ledger.Closed {
		return row, ok, err
	}
	return s.move(ctx, s.statements.Look, s.statements.Get, a, always(func(seen Seen) (ledger.Row, bool) {
		row, ok := rules.Recover(seen.Row, r, seen.Now)
		if seen.State == ledger.Effect {
			row.Version = seen.Version
		}
		return row, ok
	}))
}

// Redo implements [ledger.Ledger].
func (s *Store) Redo(ctx context.Context, h ledger.Hold, lease time.Duration) (ledger.Row, bool, error) {
	a := held(h, "")
	a.lease = lease.Microseconds()
	return s.move(ctx, s.statements.Redo, s.statements.Get, a, always(func(seen Seen) (ledger.Row, bool) {
		return rules.Redo(seen.Row, h, lease, seen.Now)
	}))
}

// Resolve implements [ledger.Ledger].
func (s *Store) Resolve(ctx context.Context, r ledger.Resolution) (ledger.Row, bool, error) {
	a := &Arguments{key: ledger.Key{Tenant: r.Tenant}, id: r.ID, reason: keepable(r.Reason), note: note(r.Actor, r.Reason)}
	do := s.statements.Close
	if r.Applied {
		do = s.statements.Applied
		receipt := ledger.Receipt{Omitted: ledger.Unseen}
		if len(r.Output) > 0 {
			receipt = ledger.Receipt{Output: r.Output, Size: int64(len(r.Output)), Hash: sha256.Sum256(r.Output)}
		}
		a.receipt(receipt)
	}
	row, ok, err := s.move(ctx, do, s.statements.Find, a, func(seen Seen) (ledger.Row, bool, error) {
		return rules.Resolve(seen.Row, r, seen.Now)
	})
	return existing(row), ok, err
}

// existing is a row that was looked for by its operation: a zero one where there is none.
func existing(row ledger.Row) ledger.Row {
	if row.State == ledger.None {
		return ledger.Row{}
	}
	return row
}

// Sweep implements [ledger.Ledger].
func (s *Store) Sweep(ctx context.Context, sweep ledger.Sweep) ([]ledger.Row, error) {
	a := &Arguments{
		attempt: sweep.Attempt, lease: sweep.Lease.Microseconds(), limit: int64(sweep.Limit),
		reason: ledger.LeaseOut, note: note("", ledger.LeaseOut), plain: note("", ""),
	}
	moved, _, err := s.db.Move(ctx, s.statements.Sweep, nil, a, nil)
	var rows []ledger.Row
	for i := range moved {
		if moved[i].State == ledger.Effect {
			rows = append(rows, moved[i].Row)
		}
	}
	return rows, err
}

// Expire implements [ledger.Ledger]. It is no move, and what it did not get to is left for the next time.
func (s *Store) Expire(ctx context.Context, r ledger.Retention) (ledger.Expired, error) {
	var expired ledger.Expired
	for _, upkeep := range []int64{1, 2} {
		if r.Keys <= 0 || expired.Rows >= r.Limit {
			break
		}
		n, err := s.db.Change(ctx, s.statements.Forget,
			&Arguments{upkeep: upkeep, every: r.Keys.Microseconds(), limit: int64(r.Limit - expired.Rows)})
		if err != nil {
			return expired, err
		}
		expired.Rows += n
	}
	if r.Outputs <= 0 || r.Limit <= 0 {
		return expired, nil
	}
	n, err := s.db.Change(ctx, s.statements.Drop, &Arguments{every: r.Outputs.Microseconds(), limit: int64(r.Limit)})
	expired.Outputs = n
	return expired, err
}

// Purge implements [ledger.Ledger]. The notes are taken out of the trail here, and written if the row is still the same.
func (s *Store) Purge(ctx context.Context, tenant, id string) (ledger.Row, bool, error) {
	for range again {
		rows, err := s.db.Read(ctx, s.statements.Find, &Arguments{key: ledger.Key{Tenant: tenant}, id: id})
		if err != nil || len(rows) == 0 {
			return ledger.Row{}, false, err
		}
		next, ok := rules.Purge(rows[0].Row, rows[0].Now)
		if !ok || next.Version == rows[0].Version {
			return rows[0].Row, ok, nil
		}
		a := &Arguments{
			key: next.Key, id: id, version: rows[0].Version, omitted: int64(next.Receipt.Omitted), trail: formatTrail(next.Trail),
		}
		moved, _, err := s.db.Move(ctx, s.statements.Purge, nil, a, nil)
		if err != nil {
			return ledger.Row{}, false, err
		}
		if len(moved) > 0 {
			return moved[0].Row, true, nil
		}
	}
	return ledger.Row{}, false, fmt.Errorf("%w: the row of the operation moved too often", ledger.ErrUnavailable)
}
