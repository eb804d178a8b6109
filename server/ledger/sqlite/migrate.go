package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/remedyrpc/remedy/server/ledger/internal/schema"
)

//go:embed migration/*.sql
var migrations embed.FS

// application is written into the head of the file, so that it is told from files of other programs.
const application = 0x52656d64 // "Remd"

var (
	// ErrForeign says that the file belongs to another program.
	ErrForeign = errors.New("it belongs to another program; name another file")
	// ErrNewer says that the file is of a newer version, which this one cannot work beside.
	ErrNewer = schema.ErrNewer
)

// ours refuses the file of another program, before anything is set in it.
func (f file) ours(ctx context.Context, o *options) (err error) {
	raw, err := f.connect(ctx, o, patience)
	if err != nil {
		return f.fault("opening", err)
	}
	c := conn{raw: raw}
	defer func() { err = errors.Join(err, c.close()) }()
	_, err = c.ours(ctx, f)
	return err
}

// ours reports whether a file is a ledger. It is false for one that is empty, and an error for that of another program.
func (c *conn) ours(ctx context.Context, f file) (bool, error) {
	program, err := c.number(ctx, "PRAGMA application_id")
	if err != nil {
		return false, f.fault("opening", err)
	}
	tables, err := c.number(ctx, "SELECT count(*) FROM sqlite_schema")
	switch {
	case err != nil:
		return false, f.fault("opening", err)
	case program == application:
		return true, nil
	case program != 0 || tables != 0:
		return false, fmt.Errorf("the database file %s: %w", f, ErrForeign)
	default:
		return false, nil
	}
}

// check looks whether the file is set as it has to be, and whole.
func (f file) check(ctx context.Context, c *conn, o *options) error {
	mode, err := c.text(ctx, "PRAGMA journal_mode")
	if err != nil {
		return f.fault("opening", err)
	}
	if mode != "wal" {
		return fmt.Errorf("the database file %s: its journal is %s, no write-ahead log: put it on a local disk, which can lock and map files",
			f, mode)
	}
	synchronous, err := c.number(ctx, "PRAGMA synchronous")
	if err != nil {
		return f.fault("opening", err)
	}
	if o.durability == PowerCut && synchronous < 2 {
		return fmt.Errorf("the database file %s: commits are not synced (synchronous is %d)", f, synchronous)
	}
	if !o.checked {
		return nil
	}
	verdict, err := c.text(ctx, "PRAGMA quick_check(1)")
	switch {
	case err != nil:
		return f.fault("checking", err)
	case verdict != "ok":
		return fmt.Errorf("the database file %s is damaged: stop, keep it aside, and restore a backup: %s", f, strings.TrimSpace(verdict))
	default:
		return nil
	}
}

// migrate brings the file to the schema of this version, in one transaction. The lock lets nobody else do it meanwhile.
func (f file) migrate(ctx context.Context, c *conn) (err error) {
	all, err := schema.Load(migrations)
	if err != nil {
		return err
	}
	if err := c.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return f.fault("migrating", err)
	}
	defer func() { //nolint:contextcheck // also when ctx ended
		if err != nil {
			c.rollback()
		}
	}()
	const table = "CREATE TABLE IF NOT EXISTS remedy_schema (version integer NOT NULL, oldest integer NOT NULL) STRICT"
	if err := c.exec(ctx, table); err != nil {
		return f.fault("migrating", err)
	}
	have, err := c.version(ctx)
	if err != nil {
		return f.fault("migrating", err)
	}
	missing, err := schema.Missing(have, all)
	if err != nil {
		return fmt.Errorf("the database file %s: %w", f, err)
	}
	for _, m := range missing {
		text := fmt.Sprintf("%s;\nPRAGMA application_id = %d;\nDELETE FROM remedy_schema;\nINSERT INTO remedy_schema VALUES (%d, %d)",
			m.SQL, application, m.Number, m.Oldest)
		if err := c.exec(ctx, text); err != nil {
			return f.fault(fmt.Sprintf("migrating to schema %d", m.Number), err)
		}
	}
	return f.fault("migrating", c.exec(ctx, "COMMIT"))
}

// version is what the file says of its schema.
func (c *conn) version(ctx context.Context) (schema.Version, error) {
	number, err := c.number(ctx, "SELECT coalesce(max(version), 0) FROM remedy_schema")
	if err != nil {
		return schema.Version{}, err
	}
	oldest, err := c.number(ctx, "SELECT coalesce(max(oldest), 0) FROM remedy_schema")
	return schema.Version{Number: int(number), Oldest: int(oldest)}, err
}

// Migrate brings a file to the schema of this version, and makes it where there is none. [Open] does so, too.
func Migrate(ctx context.Context, path string) error {
	l, err := Open(ctx, path)
	if err != nil {
		return err
	}
	return l.Close()
}
