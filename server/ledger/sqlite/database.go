package sqlite

import (
	"context"
	"fmt"

	"github.com/remedyrpc/remedy/server/ledger/internal/statement"
)

// database runs the statements of a ledger: moves by its writer, what reads by connections of its own.
type database struct{ l *Ledger }

var _ statement.DB = database{}

// Move implements statement.DB.
func (d database) Move(ctx context.Context, do, look *statement.Statement, a *statement.Arguments) (
	moved, found []statement.Seen, err error,
) {
	l, w := d.l, d.l.writer
	var m, f []statement.Seen            // read only when the writer is done with them
	err = w.do(ctx, func() (err error) { //nolint:contextcheck // what was begun ends with the group, whoever leaves
		a.Now = micros(l.options.clock)
		a.Room = l.options.maxOperations == 0 || w.rows < l.options.maxOperations
		m, f = nil, nil
		if m, err = w.conn.query(do, a); err != nil {
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
		l.waiters.Wake(m[i].Key)
	}
	return m, f, nil
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
	seen, err := d.l.read(ctx, s.SQL, s.Values(a))
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("reading the ledger: %w", context.Cause(ctx))
	}
	return seen, d.l.file.fault("reading", err)
}

func (l *Ledger) read(ctx context.Context, text string, values []any) (seen []statement.Seen, err error) {
	rows, err := l.readers.QueryContext(ctx, text, values...)
	if err != nil {
		return nil, err //nolint:wrapcheck // fault says what it means
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
