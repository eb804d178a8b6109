package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	codes "modernc.org/sqlite/lib"

	"github.com/remedyrpc/remedy/server/ledger/internal/schema"
)

// Backup copies the ledger in a file to another file, as it is at one moment, checks the copy and syncs it. The ledger may be
// open meanwhile, in this process or in another one, and goes on. Nothing is overwritten: where there is something of that name,
// Backup fails. The copy gets its name when it is whole, is read by its owner only, and opens like any other ledger. Errors name
// the file and say what to do; [ErrForeign] is of a file of another program.
func Backup(ctx context.Context, source, dest string) (err error) {
	f, err := existing(source)
	if err != nil {
		return err
	}
	dest, err = filepath.Abs(dest)
	if err != nil {
		return fmt.Errorf("the copy %s: %w", dest, err)
	}
	folder := filepath.Dir(dest)
	if _, err := os.Lstat(dest); !errors.Is(err, os.ErrNotExist) {
		return errors.Join(fmt.Errorf("the copy %s: there is something of that name, and nothing is overwritten: name a new file", dest), err)
	}
	partial, err := os.CreateTemp(folder, "."+filepath.Base(dest)+".*.partial") // SQLite copies into an empty file with the rights it has
	if err != nil {
		return fmt.Errorf("the copy %s: its folder has to be there, and this user has to be allowed to write it: %w", dest, err)
	}
	defer func() { err = errors.Join(err, partial.Close(), os.Remove(partial.Name())) }() // it has its other name by then, or is nothing
	if err := f.vacuum(ctx, file(partial.Name())); err != nil {
		return err
	}
	if err := partial.Sync(); err != nil {
		return fmt.Errorf("the copy %s: syncing it: %w", dest, err)
	}
	if err := os.Link(partial.Name(), dest); err != nil { // unlike a rename, it never replaces
		return fmt.Errorf("the copy %s: naming it: %w", dest, err)
	}
	return syncFolder(folder)
}

// Schema returns the number of the schema of a file, zero where it has none yet. It returns [ErrNewer] where this version
// cannot work with it, [ErrForeign] where it is of another program, and an error that says what to do where it cannot be read.
// It changes nothing.
func Schema(ctx context.Context, path string) (number int, err error) {
	f, err := existing(path)
	if err != nil {
		return 0, err
	}
	c, err := f.reader(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	is, err := c.ours(ctx, f)
	if err != nil || !is {
		return 0, err
	}
	all, err := schema.Load(migrations)
	if err != nil {
		return 0, err
	}
	have, err := c.version(ctx)
	if err != nil {
		return 0, f.fault("reading the schema", err)
	}
	if _, err := schema.Missing(have, all); err != nil {
		return 0, fmt.Errorf("the database file %s: %w", f, err)
	}
	return have.Number, nil
}

// existing is a file that has to be there.
func existing(path string) (file, error) {
	f, err := find(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(string(f)); err != nil {
		return "", fmt.Errorf("the database file %s: there is none: name that of the service: %w", f, err)
	}
	return f, notMounted(f)
}

// reader opens a file that may belong to another process. SQLite itself closes it, so that nothing is lost of the locks that
// this process may have on it.
func (f file) reader(ctx context.Context) (*conn, error) {
	raw, err := f.connect(ctx, &options{}, patience)
	if err != nil {
		return nil, f.fault("opening", err)
	}
	return &conn{raw: raw}, nil
}

// vacuum writes a copy and checks it.
func (f file) vacuum(ctx context.Context, copied file) (err error) {
	c, err := f.reader(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	switch is, err := c.ours(ctx, f); {
	case err != nil:
		return err
	case !is:
		return fmt.Errorf("the database file %s is empty: name that of the service", f)
	}
	if err := c.exec(ctx, "VACUUM INTO '"+strings.ReplaceAll(string(copied), "'", "''")+"'"); err != nil {
		return f.uncopied(ctx, "copying", err)
	}
	target, err := copied.reader(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.close()) }()
	verdict, err := target.text(ctx, "PRAGMA integrity_check(1)")
	switch {
	case err != nil:
		return f.uncopied(ctx, "checking the copy", err)
	case verdict != "ok":
		return fmt.Errorf("the database file %s: its copy is damaged, and so is probably the file: use an older backup: %s", f, verdict)
	default:
		return nil
	}
}

// uncopied says why there is no copy, and what to do about it.
func (f file) uncopied(ctx context.Context, doing string, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the database file %s: %s: %w", f, doing, context.Cause(ctx))
	case code(err) == codes.SQLITE_FULL:
		return fmt.Errorf("the database file %s: %s: the disk of the copy is full: free space there: %w", f, doing, err)
	default:
		return f.fault(doing, err)
	}
}
