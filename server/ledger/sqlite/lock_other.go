//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package sqlite

import (
	"errors"
	"os"
)

func lockFile(*os.File) error {
	return errors.New("no way to lock the database file on this system; use another ledger")
}
