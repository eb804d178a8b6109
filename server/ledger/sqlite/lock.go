package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// ErrInUse says that another process has the file open.
var ErrInUse = errors.New("the database file is in use by another process; stop that, or give this one a file of its own")

// owned is the file while it belongs to this process.
type owned struct {
	beside *os.File  // the lock file
	itself io.Closer // the database
}

// take keeps other processes away from a file, and makes it where there is none. It locks a file beside it first: who finds that
// locked has not touched the database, and lockItself says why that matters.
func take(f file) (*owned, error) {
	beside, err := lockBeside(f)
	if err != nil {
		return nil, err
	}
	if err := f.make(); err != nil {
		return nil, errors.Join(err, beside.Close())
	}
	itself, err := lockItself(f)
	if err != nil {
		return nil, errors.Join(err, beside.Close())
	}
	h := &owned{beside: beside, itself: itself}
	if err := notMounted(f); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// Close gives the file up. SQLite has to have closed it before.
func (h *owned) Close() error { return errors.Join(h.itself.Close(), h.beside.Close()) }

// lockBeside locks a file beside the database. It stays when it is released: to remove it would let two hold it.
func lockBeside(f file) (*os.File, error) {
	name := string(f) + ".lock"
	l, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the path is of whoever runs the server
	if err != nil {
		return nil, f.unmade("its lock file", err)
	}
	if err := lockFile(l); err != nil {
		return nil, errors.Join(fmt.Errorf("%w (%s)", err, f), l.Close())
	}
	return l, nil
}

// make makes an empty file that only its owner may read, where there is none; SQLite gives its log the same rights.
func (f file) make() error {
	made, err := os.OpenFile(string(f), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, os.ErrExist):
		return nil
	case err != nil:
		return f.unmade("making it", err)
	}
	if err := errors.Join(made.Close(), syncFolder(filepath.Dir(string(f)))); err != nil {
		return fmt.Errorf("the database file %s: making it: %w", f, err)
	}
	return nil
}

// unmade says why a file is not to be had, and what to do about it.
func (f file) unmade(doing string, err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("the database file %s: its folder does not exist; make it: %w", f, err)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("the database file %s: give this user the right to write it and its folder: %w", f, err)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("the database file %s: what should be its folder is a file; name another one: %w", f, err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("the database file %s: mount its disk for writing: %w", f, err)
	default:
		return fmt.Errorf("the database file %s: %s: %w", f, doing, err)
	}
}
