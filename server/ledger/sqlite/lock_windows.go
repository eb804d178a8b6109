package sqlite

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

func lockFile(l *os.File) error {
	err := windows.LockFileEx(windows.Handle(l.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
		new(windows.Overlapped))
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return ErrInUse
	case err != nil:
		return fmt.Errorf("locking the database file: %w", err)
	default:
		return nil
	}
}
