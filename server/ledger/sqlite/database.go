package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/internal/statement"
)

// database runs the statements of a ledger: moves by its writer, what reads by connections of its own.
type database struct{ l *Ledger }

var _ statement.DB = database{}

// Move implements statement.DB.
func (d database) Move(ctx context.Context, do, look *statement.Statement, a *statement.Arguments, rule statement.Rule) (
	moved, found []statement.Seen, err error,
) {
	l, w := d.l, d.l.writer
	var m, f []statement.Seen            // read only when the writer is done with them
	err = w.do(ctx, func() (err error) { //nolint:contextcheck // what was begun ends with the group, whoever leaves
		a.Now = micros(l.options.clock)
		a.Room = l.options.maxOperations == 0 || w.rows < l.options.maxOperations
		m, f = nil, nil
		if m, err = l.run(do, a, rule); err != nil {
			return err
		}
		if len(m) == 0 && look != nil {
			f, err = w.conn.query(look, a)
		}
		if len(m) == 1 && m[0].Version == 1 {
			w.rows++
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range m {
		statement.Apart(&m[i].Row)
		l.recent.put(&m[i].Row)
		l.waiters.Wake(m[i].Key)
	}
	return m, f, nil
}

// run runs the statement of a move. What it makes of a row that is known need not be returned, which takes SQLite longer than to
// make it.
func (l *Ledger) run(do *statement.Statement, a *statement.Arguments, rule statement.Rule) ([]statement.Seen, error) {
	before, known := l.before(do, a)
	if known {
		if next, ok := a.Foresee(rule, before); ok {
			if n, err := l.writer.conn.change(do.Quiet, a); err != nil || n > 0 {
				return []statement.Seen{next}, err
			}
		}
		if before.State == ledger.None {
			return nil, nil // there is a row
		}
	}
	return l.writer.conn.query(do, a)
}

// before is the row that a move may find, where that is known: a new operation finds none.
func (l *Ledger) before(do *statement.Statement, a *statement.Arguments) (row ledger.Row, known bool) {
	switch {
	case do.Quiet == nil:
		return ledger.Row{}, false
	case do == l.statements.Claim:
		return ledger.Row{Key: a.Key()}, true
	default:
		return l.recent.get(a.Key())
	}
}

// Change implements statement.DB.
func (d database) Change(ctx context.Context, do *statement.Statement, a *statement.Arguments) (int, error) {
	l, w := d.l, d.l.writer
	var n int                             // read only when the writer is done with it
	err := w.do(ctx, func() (err error) { //nolint:contextcheck // as in Move
		a.Now = micros(l.options.clock)
		n, err = w.conn.change(do, a)
		if do == l.statements.Forget {
			w.rows -= int64(n)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Read implements statement.DB.
func (d database) Read(ctx context.Context, s *statement.Statement, a *statement.Arguments) ([]statement.Seen, error) {
	select {
	case <-d.l.writer.stop:
		return nil, errNotOpen
	default:
	}
	a.Now = micros(d.l.options.clock)
	seen, err := d.l.read(ctx, s, a)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("reading the ledger: %w", context.Cause(ctx))
	}
	return seen, d.l.file.fault("reading", err)
}

func (l *Ledger) read(ctx context.Context, s *statement.Statement, a *statement.Arguments) (seen []statement.Seen, err error) {
	query := func() (*sql.Rows, error) { return l.readers.QueryContext(ctx, s.SQL, s.Values(a)...) }
	if ready := l.lookups[s]; ready != nil {
		query = func() (*sql.Rows, error) { return ready.QueryContext(ctx, s.Values(a)...) }
	}
	rows, err := query()
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what there is to say
	for rows.Next() {
		row, err := statement.Scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		seen = append(seen, row)
	}
	return seen, rows.Err()
}
