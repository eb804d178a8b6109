package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Backup copies the ledger to another file, as it is at one moment, while it is in use. It overwrites nothing: where there is a
// file of that name, it returns an error. The copy gets its name when it is whole and synced; until then it is called
// path.partial. The copy is read by its owner only, and opens like any other ledger.
func (l *Ledger) Backup(ctx context.Context, path string) error {
	if !l.backups.TryRLock() {
		return errNotOpen
	}
	defer l.backups.RUnlock()
	if err := l.backup(ctx, path); err != nil {
		return fmt.Errorf("backup of the ledger to %s: %w", path, err)
	}
	return nil
}

func (l *Ledger) backup(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return errors.Join(errors.New("name a file that does not exist yet"), err)
	}
	partial := path + ".partial"
	// SQLite writes into an empty file that is there, with the rights that has.
	made, err := os.OpenFile(partial, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) //nolint:gosec // the path is of whoever runs the server
	if err != nil {
		return fmt.Errorf("its folder has to be there, and %s may not be: %w", partial, err)
	}
	defer os.Remove(partial) //nolint:errcheck // after the link it is only the second name
	if err := l.copyInto(ctx, partial); err != nil {
		return errors.Join(err, made.Close())
	}
	if err := errors.Join(made.Sync(), made.Close()); err != nil {
		return fmt.Errorf("syncing it: %w", err)
	}
	if err := os.Link(partial, path); err != nil { // unlike a rename, it never replaces
		return fmt.Errorf("naming it: %w", err)
	}
	return syncFolder(filepath.Dir(path))
}

func (l *Ledger) copyInto(ctx context.Context, path string) (err error) {
	c, err := l.file.connect(ctx, &l.options, patience)
	if err != nil {
		return l.file.fault("opening", err)
	}
	reader := conn{raw: c}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := reader.exec(ctx, "VACUUM INTO '"+quote(path)+"'"); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("copying: %w", context.Cause(ctx))
		}
		return fmt.Errorf("copying: %w", err)
	}
	return nil
}

func quote(text string) string { return strings.ReplaceAll(text, "'", "''") }
