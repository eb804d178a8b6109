package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	lib "modernc.org/sqlite"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/internal/statement"
	"github.com/remedyrpc/remedy/server/ledger/internal/waiting"
)

// Ledger is a ledger in one file. It is safe for concurrent use.
type Ledger struct {
	store

	file       file
	options    options
	statements *statement.Statements
	owned      *owned
	writer     *writer
	readers    *sql.DB
	lookups    map[*statement.Statement]*sql.Stmt // of readers, prepared
	recent     recent
	opened     fs.FileInfo // the file, as it was found under its name
	waiters    waiting.Room[ledger.Key]
	closing    func() error
}

var _ ledger.Ledger = (*Ledger)(nil)

// store is what ledgers of all databases have in common.
type store = statement.Store

// Open opens a file, makes it where there is none, and migrates it. It returns [ErrInUse] where another process has it,
// [ErrForeign] where it belongs to another program, and an error that says what to do where it is damaged, of a newer version,
// or cannot be used. It checks the structure of the whole file first; see [WithoutCheck].
func Open(ctx context.Context, path string, opts ...Option) (*Ledger, error) {
	o := options{checked: true, clock: time.Now}
	for _, option := range opts {
		option(&o)
	}
	f, err := find(path)
	if err != nil {
		return nil, err
	}
	held, err := take(f)
	if err != nil {
		return nil, err
	}
	l, err := open(ctx, f, o)
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	l.owned = held
	if l.opened, err = os.Stat(string(f)); err != nil {
		return nil, errors.Join(f.fault("opening", err), l.Close())
	}
	return l, nil
}

// Sweep implements ledger.Ledger. It fails, too, when the file is not there any more under its name: what is done then is kept
// where nobody finds it after a restart.
func (l *Ledger) Sweep(ctx context.Context, sweep ledger.Sweep) ([]ledger.Row, error) {
	if info, err := os.Stat(string(l.file)); err != nil || !os.SameFile(info, l.opened) {
		return nil, fmt.Errorf("%w: the database file %s was moved or removed while it is in use: put it back", ledger.ErrUnavailable, l.file)
	}
	return l.store.Sweep(ctx, sweep)
}

func open(ctx context.Context, f file, o options) (*Ledger, error) {
	_ = syncData() // fsync, which is as durable, is what there is instead
	if err := f.ours(ctx, &o); err != nil {
		return nil, err
	}
	c, err := connect(ctx, f, &o)
	if err != nil {
		return nil, f.fault("opening", err)
	}
	l := &Ledger{file: f, options: o, lookups: make(map[*statement.Statement]*sql.Stmt)}
	rows, err := l.prepare(ctx, c)
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	readers, err := lib.NewConnector(f.dsn(&o, append(o.pragmas(), "query_only(1)")...))
	if err != nil {
		return nil, errors.Join(f.fault("opening", err), c.close())
	}
	l.readers = sql.OpenDB(readers)
	l.readers.SetMaxOpenConns(max(4, runtime.GOMAXPROCS(0)))
	l.readers.SetMaxIdleConns(max(4, runtime.GOMAXPROCS(0)))
	for _, s := range []*statement.Statement{l.statements.Get, l.statements.Find} {
		if l.lookups[s], err = l.readers.PrepareContext(ctx, s.SQL); err != nil { //nolint:sqlclosecheck // the readers close it
			return nil, errors.Join(f.fault("opening", err), l.readers.Close(), c.close())
		}
	}
	l.writer = newWriter(f, c, rows) //nolint:contextcheck // it lives until Close
	l.closing = sync.OnceValue(l.close)
	return l, nil
}

// syncData has SQLite sync with fdatasync, as its own builds do: what it leaves out is the time of the last change.
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
	var err error
	l.statements, err = statement.New(dialect())
	if err != nil {
		return 0, err
	}
	if err := c.prepare(l.statements); err != nil {
		return 0, l.file.fault("opening", err)
	}
	l.store = statement.NewStore(database{l}, l.statements)
	if l.options.maxOperations == 0 {
		return 0, nil
	}
	n, err := c.number(ctx, "SELECT count(*) FROM operations")
	return n, l.file.fault("counting operations", err)
}

// dialect is how SQLite says it. Its clock is that of this process, given to each statement as it begins.
func dialect() *statement.Dialect {
	return &statement.Dialect{
		Table: "operations", Now: "@now", Find: "instr", Newline: "char(10)", Parameter: "?", Unnumbered: true,
		Among: "rowid IN (%s)", Place: "rowid", Quiet: true,
	}
}

// Close implements ledger.Ledger. Closing again does nothing.
func (l *Ledger) Close() error { return l.closing() }

func (l *Ledger) close() error {
	l.writer.close()
	// The last connection to close moves the log into the database.
	err := errors.Join(l.readers.Close(), l.writer.conn.close())
	return errors.Join(l.file.fault("closing", err), l.owned.Close())
}

// connect opens a connection with some settings.
func (f file) connect(ctx context.Context, o *options, pragmas ...string) (driver.Conn, error) {
	connector, err := lib.NewConnector(f.dsn(o, pragmas...))
	if err != nil {
		return nil, err //nolint:wrapcheck // fault says what it means
	}
	return connector.Connect(ctx) //nolint:wrapcheck // fault says what it means
}

// patience is how long a connection waits for a lock of another program.
const patience = "busy_timeout(5000)"

// pragmas are the settings of every connection to a file that is ours.
func (o *options) pragmas() []string {
	all := []string{patience, "journal_mode(WAL)", "synchronous(" + o.durability.synchronous() + ")"}
	if o.maxPages > 0 {
		all = append(all, fmt.Sprintf("max_page_count(%d)", o.maxPages))
	}
	return all
}
