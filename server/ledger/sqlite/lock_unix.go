//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

func lockFile(l *os.File) error {
	err := syscall.Flock(int(l.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrInUse
	case err != nil:
		return fmt.Errorf("locking the database file: %w", err)
	default:
		return nil
	}
}
