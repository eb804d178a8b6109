package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	lib "modernc.org/sqlite"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/internal/statement"
)

// Ledger is a ledger in one file. It is safe for concurrent use.
type Ledger struct {
	statement.Store

	file    file
	options options
	lock    *os.File
	writer  *writer
	readers *sql.DB
	waiters waiters
	closing func() error
}

var _ ledger.Ledger = (*Ledger)(nil)

// Open opens a file, makes it where there is none, and migrates it. It returns [ErrInUse] where another process has it,
// [ErrForeign] where it belongs to another program, and an error that says what to do where it is damaged, of a newer version,
// or cannot be used. It checks the structure of the whole file first; see [WithoutCheck].
func Open(ctx context.Context, path string, opts ...Option) (*Ledger, error) {
	o := options{checked: true, clock: time.Now}
	for _, option := range opts {
		option(&o)
	}
	f, err := prepare(path)
	if err != nil {
		return nil, err
	}
	held, err := lock(f)
	if err != nil {
		return nil, err
	}
	l, err := open(ctx, f, o)
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	l.lock = held
	return l, nil
}

func open(ctx context.Context, f file, o options) (*Ledger, error) {
	_ = syncData() //nolint:errcheck // fsync, which is as durable, is what there is instead
	c, err := connect(f, &o)
	if err != nil {
		return nil, f.fault("opening", err)
	}
	l := &Ledger{file: f, options: o}
	rows, err := l.prepare(ctx, c)
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	readers, err := lib.NewConnector(f.dsn(&o, "query_only(1)"))
	if err != nil {
		return nil, errors.Join(f.fault("opening", err), c.close())
	}
	l.readers = sql.OpenDB(readers)
	l.readers.SetMaxOpenConns(max(4, runtime.GOMAXPROCS(0)))
	l.readers.SetMaxIdleConns(max(4, runtime.GOMAXPROCS(0)))
	l.writer = newWriter(f, c, rows)
	l.closing = sync.OnceValue(l.close)
	return l, nil
}

// syncData has SQLite sync with fdatasync, as its own builds do: what it leaves out is the time of the last change.
//
//nolint:gochecknoglobals // the library has one switch for the process
var syncData = sync.OnceValue(func() error {
	_, err := lib.Fdatasync(true)
	return err //nolint:wrapcheck // nobody reads it
})

// prepare checks and migrates the file, and makes the statements ready. It returns how many operations there are.
func (l *Ledger) prepare(ctx context.Context, c *conn) (int64, error) {
	if err := l.file.check(ctx, c, &l.options); err != nil {
		return 0, err
	}
	if err := l.file.migrate(ctx, c); err != nil {
		return 0, err
	}
	// What SQLite made and removed beside the file is as durable as the file from here on.
	if err := syncFolder(filepath.Dir(string(l.file))); err != nil {
		return 0, err
	}
	statements, err := statement.New(&statement.Dialect{
		Table: "operations", Now: "@now", Find: "instr", Newline: "char(10)", Parameter: "?", Among: "rowid IN (%s)", Place: "rowid",
	})
	if err != nil {
		return 0, err
	}
	if err := c.prepare(statements); err != nil {
		return 0, l.file.fault("opening", err)
	}
	l.Store = statement.NewStore(l, statements)
	if l.options.maxOperations == 0 {
		return 0, nil
	}
	n, err := c.number(ctx, "SELECT count(*) FROM operations")
	return n, l.file.fault("counting operations", err)
}

// Move implements statement.DB.
func (l *Ledger) Move(ctx context.Context, do, look *statement.Statement, a *statement.Arguments) (moved, found []statement.Seen, err error) {
	w := l.writer
	var m, f []statement.Seen // read only when the writer is done with them
	err = w.do(ctx, func() (err error) {
		a.Now = micros(l.options.clock)
		a.Room = l.options.maxOperations == 0 || w.rows < l.options.maxOperations
		m, f = nil, nil
		if m, err = w.conn.query(do, a); err != nil || len(m) > 0 || look == nil {
			if len(m) == 1 && m[0].Version == 1 {
				w.rows++
			}
			return err
		}
		f, err = w.conn.query(look, a)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range m {
		l.waiters.wake(m[i].Key)
	}
	return m, f, nil
}

// Change implements statement.DB.
func (l *Ledger) Change(ctx context.Context, do *statement.Statement, a *statement.Arguments) (int, error) {
	w := l.writer
	var n int // read only when the writer is done with it
	err := w.do(ctx, func() (err error) {
		a.Now = micros(l.options.clock)
		n, err = w.conn.change(do, a)
		if do == l.Forget {
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
func (l *Ledger) Read(ctx context.Context, s *statement.Statement, a *statement.Arguments) ([]statement.Seen, error) {
	select {
	case <-l.writer.stop:
		return nil, errNotOpen
	default:
	}
	a.Now = micros(l.options.clock)
	rows, err := l.readers.QueryContext(ctx, s.SQL, s.Values(a)...)
	if err != nil {
		return nil, l.failed(ctx, err)
	}
	var seen []statement.Seen
	for rows.Next() {
		row, err := statement.Scan(rows.Scan)
		if err != nil {
			return nil, errors.Join(l.failed(ctx, err), rows.Close())
		}
		seen = append(seen, row)
	}
	return seen, l.failed(ctx, errors.Join(rows.Err(), rows.Close()))
}

// failed says why a read failed: because ctx ended, or because of the file.
func (l *Ledger) failed(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("reading the ledger: %w", context.Cause(ctx))
	}
	return l.file.fault("reading", err)
}

// Close implements ledger.Ledger. Closing again does nothing.
func (l *Ledger) Close() error { return l.closing() }

func (l *Ledger) close() error {
	l.writer.close()
	// The last connection to close moves the log into the database.
	err := errors.Join(l.readers.Close(), l.writer.conn.close())
	return errors.Join(l.file.fault("closing", err), l.lock.Close())
}

// connect opens a connection that has the settings it needs.
func (f file) connect(o *options, pragmas ...string) (driver.Conn, error) {
	connector, err := lib.NewConnector(f.dsn(o, pragmas...))
	if err != nil {
		return nil, err //nolint:wrapcheck // fault says what it means
	}
	return connector.Connect(context.Background()) //nolint:wrapcheck // fault says what it means
}

// pragmas are the settings of every connection.
func (o *options) pragmas() []string {
	all := []string{"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(" + o.durability.synchronous() + ")"}
	if o.maxPages > 0 {
		all = append(all, fmt.Sprintf("max_page_count(%d)", o.maxPages))
	}
	return all
}
