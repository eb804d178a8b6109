package snapshot

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// application is what a ledger has in the head of its file.
const application = 0x52656d64

// Take copies a ledger to another file, as it is at one moment, checks the copy and syncs it. It overwrites nothing: where there
// is something of that name, it fails. The copy gets its name when it is whole, and is read by its owner only. Errors say what to
// do.
func Take(ctx context.Context, source, dest string) (err error) {
	info, err := os.Stat(source)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file %s: name the database file of the service", source)
	case err != nil:
		return fmt.Errorf("the database file: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file: name the database file of the service", source)
	}
	if _, err := os.Lstat(dest); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists, and nothing is overwritten: name a new file", dest)
	}
	folder := filepath.Dir(dest)
	partial, err := os.CreateTemp(folder, "."+filepath.Base(dest)+".*.partial") // SQLite copies into an empty file with the rights it has
	if err != nil {
		return fmt.Errorf("a file beside %s: its folder has to be there, and this user has to be allowed to write it: %w", dest, err)
	}
	defer func() { err = errors.Join(err, partial.Close(), os.Remove(partial.Name())) }() // it has its other name by then, or is nothing
	if err := vacuum(ctx, source, partial.Name()); err != nil {
		return err
	}
	if err := partial.Sync(); err != nil {
		return fmt.Errorf("syncing the copy: %w", err)
	}
	if err := os.Link(partial.Name(), dest); err != nil { // unlike a rename, it never replaces
		return fmt.Errorf("naming the copy: %w", err)
	}
	return syncFolder(folder)
}

// vacuum writes a copy and checks it.
func vacuum(ctx context.Context, source, copied string) (err error) {
	db, err := open(source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := ours(ctx, db, source); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", copied); err != nil {
		return fault(ctx, "copying", source, err)
	}
	target, err := open(copied)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	var verdict string
	if err := target.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return fault(ctx, "checking the copy of", source, err)
	}
	if verdict != "ok" {
		return fmt.Errorf("the copy of %s is damaged, and so is probably the file: %s", source, verdict)
	}
	return nil
}

// ours refuses what is no ledger.
func ours(ctx context.Context, db *sql.DB, source string) error {
	var program int64
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&program); err != nil {
		return fault(ctx, "reading", source, err)
	}
	if program != application {
		return fmt.Errorf("%s belongs to another program: name the database file of the service", source)
	}
	return nil
}

// open opens a file that is there.
func open(path string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("the database file: %w", err)
	}
	slashed := filepath.ToSlash(absolute)
	if slashed[0] != '/' {
		slashed = "/" + slashed
	}
	query := url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(5000)"}}
	connector, err := driver.NewConnector((&url.URL{Scheme: "file", OmitHost: true, Path: slashed, RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("the database file: %w", err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return db, nil
}

// fault says what an error of SQLite means, and what to do about it.
func fault(ctx context.Context, doing, path string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s %s: %w", doing, path, context.Cause(ctx))
	}
	code := 0
	if e, ok := errors.AsType[*driver.Error](err); ok {
		code = e.Code() & 0xff
	}
	switch code {
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		return fmt.Errorf("%s %s: it is damaged, or no database: keep it aside, and use an older backup: %w", doing, path, err)
	case codes.SQLITE_FULL:
		return fmt.Errorf("%s %s: the disk of the copy is full: free space there: %w", doing, path, err)
	case codes.SQLITE_CANTOPEN, codes.SQLITE_READONLY, codes.SQLITE_PERM:
		return fmt.Errorf("%s %s: it cannot be opened: run this as the user of the service: %w", doing, path, err)
	default:
		return fmt.Errorf("%s %s: %w", doing, path, err)
	}
}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	folder, err := os.Open(path) //nolint:gosec // the folder of a file that the user names
	if err != nil {
		return fmt.Errorf("the folder of the copy: %w", err)
	}
	err = folder.Sync()
	if errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}

// Schema returns the number of the schema that a file has.
func Schema(ctx context.Context, path string) (number int, err error) {
	db, err := open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM remedy_schema").Scan(&number); err != nil {
		return 0, fault(ctx, "reading the schema of", path, err)
	}
	return number, nil
}
