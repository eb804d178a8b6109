package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/remedyrpc/remedy/server/ledger/internal/statement"
)

// conn is the connection that writes, used by one goroutine. It goes past database/sql, which would put a pool, locks and
// conversions around each statement.
type conn struct {
	raw      driver.Conn
	prepared map[*statement.Statement]prepared
	begin    prepared
	commit   prepared
	values   []driver.NamedValue // of the statement that runs
}

// prepared is a statement that the driver has ready.
type prepared interface {
	io.Closer
	driver.StmtExecContext
	driver.StmtQueryContext
}

func connect(ctx context.Context, f file, o *options) (*conn, error) {
	raw, err := f.connect(ctx, o, append(o.pragmas(), "wal_autocheckpoint(4000)", "journal_size_limit(67108864)", "cache_size(-65536)")...)
	if err != nil {
		return nil, err
	}
	return &conn{raw: raw, prepared: make(map[*statement.Statement]prepared)}, nil
}

// prepare makes the statements ready, once the tables are there.
func (c *conn) prepare(all *statement.Statements) error {
	for _, s := range all.All() {
		ready, err := c.statement(s.SQL)
		if err != nil {
			return fmt.Errorf("preparing %s: %w", s.Name, err)
		}
		c.prepared[s] = ready
	}
	begin, err := c.statement("BEGIN IMMEDIATE")
	if err != nil {
		return err
	}
	commit, err := c.statement("COMMIT")
	if err != nil {
		return err
	}
	c.begin, c.commit = begin, commit
	return nil
}

// close finalizes the statements first: SQLite keeps a connection that has some.
func (c *conn) close() error {
	var errs []error
	for _, s := range c.prepared {
		errs = append(errs, s.Close())
	}
	for _, s := range []prepared{c.begin, c.commit} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(append(errs, c.raw.Close())...)
}

// statement is what the driver prepares.
func (c *conn) statement(text string) (prepared, error) {
	s, err := c.raw.Prepare(text)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says which statement
	}
	both, ok := s.(prepared)
	if !ok {
		return nil, errors.New("the driver has no statements with contexts")
	}
	return both, nil
}

// rollback ends the transaction, where SQLite has not ended it itself.
func (c *conn) rollback() {
	if s, err := c.statement("ROLLBACK"); err == nil {
		_, _ = s.ExecContext(context.Background(), nil)
		_ = s.Close()
	}
}

// exec runs a statement that is not one of the moves.
func (c *conn) exec(ctx context.Context, text string) error {
	execer, ok := c.raw.(driver.ExecerContext)
	if !ok {
		return errors.New("the driver executes nothing")
	}
	_, err := execer.ExecContext(ctx, text, nil)
	return err //nolint:wrapcheck // the caller says what it did
}

// query runs a prepared statement to its end.
func (c *conn) query(s *statement.Statement, a *statement.Arguments) ([]statement.Seen, error) {
	rows, err := c.prepared[s].QueryContext(context.Background(), c.bind(s, a))
	if err != nil {
		return nil, err //nolint:wrapcheck // fault says what it means
	}
	var seen []statement.Seen
	values := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(values); {
		case errors.Is(err, io.EOF):
			return seen, rows.Close() //nolint:wrapcheck // fault says what it means
		case err != nil:
			return nil, errors.Join(err, rows.Close())
		}
		row, err := statement.Scan(func(places ...any) error { return assign(places, values) })
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		seen = append(seen, row)
	}
}

// change runs a prepared statement that returns no rows.
func (c *conn) change(s *statement.Statement, a *statement.Arguments) (int, error) {
	result, err := c.prepared[s].ExecContext(context.Background(), c.bind(s, a))
	if err != nil {
		return 0, err //nolint:wrapcheck // fault says what it means
	}
	n, err := result.RowsAffected()
	return int(n), err
}

func (c *conn) bind(s *statement.Statement, a *statement.Arguments) []driver.NamedValue {
	c.values = c.values[:0]
	for i, value := range s.Values(a) {
		if now, ok := value.(*int64); ok {
			value = *now
		}
		c.values = append(c.values, driver.NamedValue{Ordinal: i + 1, Value: value})
	}
	return c.values
}

// assign stores what SQLite returned.
func assign(places []any, values []driver.Value) error {
	for i, place := range places {
		ok := true
		switch place := place.(type) {
		case *int64:
			*place, ok = values[i].(int64)
		case *string:
			*place, ok = values[i].(string)
		case *[]byte:
			if values[i] != nil {
				*place, ok = values[i].([]byte)
			}
		default:
			ok = false
		}
		if !ok {
			return fmt.Errorf("column %d is a %T, no %T", i, values[i], place)
		}
	}
	return nil
}

func micros(now func() time.Time) *int64 {
	t := now().UnixMicro()
	return &t
}

// number and text return the only value of a query.
func (c *conn) number(ctx context.Context, query string) (int64, error) {
	value, err := c.value(ctx, query)
	n, ok := value.(int64)
	if err == nil && !ok {
		err = fmt.Errorf("%s: %v is no number", query, value)
	}
	return n, err
}

func (c *conn) text(ctx context.Context, query string) (string, error) {
	value, err := c.value(ctx, query)
	s, ok := value.(string)
	if err == nil && !ok {
		err = fmt.Errorf("%s: %v is no text", query, value)
	}
	return s, err
}

func (c *conn) value(ctx context.Context, query string) (driver.Value, error) {
	queryer, ok := c.raw.(driver.QueryerContext)
	if !ok {
		return nil, errors.New("the driver queries nothing")
	}
	rows, err := queryer.QueryContext(ctx, query, nil)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says what it did
	}
	values := make([]driver.Value, len(rows.Columns()))
	if err := rows.Next(values); err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return values[0], rows.Close() //nolint:wrapcheck // the caller says what it did
}
