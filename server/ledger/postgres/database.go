package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/remedyrpc/remedy/server/ledger/internal/statement"
)

// database runs the statements of a ledger on the connections of its pool.
type database struct{ l *Ledger }

var _ statement.DB = database{}

// begin holds off Close until the call ends, and bounds how long a server is waited for that says nothing. A call whose ctx
// ended changes nothing.
func (d database) begin(ctx context.Context) (bounded context.Context, end func(), err error) {
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("the ledger was not asked: %w", context.Cause(ctx))
	}
	if !d.l.calls.TryRLock() {
		return nil, nil, errNotOpen
	}
	bounded, cancel := context.WithTimeout(ctx, d.l.options.timeout+silence)
	return bounded, func() { cancel(); d.l.calls.RUnlock() }, nil
}

// silence is how long after the time of a statement the server may say so.
const silence = time.Second

// Move implements statement.DB.
func (d database) Move(ctx context.Context, do, look *statement.Statement, a *statement.Arguments, _ statement.Rule) (
	moved, found []statement.Seen, err error,
) {
	bounded, end, err := d.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	a.Room = do != d.l.statements.Claim || d.l.hasRoom(bounded)
	err = d.l.pool.AcquireFunc(bounded, func(c *pgxpool.Conn) (err error) {
		var told string
		moved, err = d.query(bounded, c, do, a, &told)
		if err == nil && len(moved) == 0 && look != nil {
			found, err = d.query(bounded, c, look, a)
		}
		return err
	})
	return moved, found, fault(ctx, do.Name, err)
}

// Read implements statement.DB.
func (d database) Read(ctx context.Context, s *statement.Statement, a *statement.Arguments) (seen []statement.Seen, err error) {
	bounded, end, err := d.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	err = d.l.pool.AcquireFunc(bounded, func(c *pgxpool.Conn) (err error) {
		seen, err = d.query(bounded, c, s, a)
		return err
	})
	return seen, fault(ctx, s.Name, err)
}

// Change implements statement.DB.
func (d database) Change(ctx context.Context, do *statement.Statement, a *statement.Arguments) (int, error) {
	bounded, end, err := d.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	d.stamp(a)
	tag, err := d.l.pool.Exec(bounded, do.SQL, do.Values(a)...)
	return int(tag.RowsAffected()), fault(ctx, do.Name, err)
}

// query runs one statement. What moves rows has one column more than a row, of who was told.
func (d database) query(ctx context.Context, c *pgxpool.Conn, s *statement.Statement, a *statement.Arguments, more ...any) (
	[]statement.Seen, error,
) {
	d.stamp(a)
	rows, err := c.Query(ctx, s.SQL, s.Values(a)...)
	if err != nil {
		return nil, err //nolint:wrapcheck // fault says what it means
	}
	defer rows.Close()
	var seen []statement.Seen
	for rows.Next() {
		row, err := statement.Scan(rows.Scan, more...)
		if err != nil {
			return nil, err
		}
		seen = append(seen, row)
	}
	return seen, rows.Err()
}

// stamp sets the time of a test.
func (d database) stamp(a *statement.Arguments) {
	if d.l.options.clock != nil {
		now := d.l.options.clock().UnixMicro()
		a.Now = &now
	}
}
