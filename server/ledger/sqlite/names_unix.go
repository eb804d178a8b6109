//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sqlite

import (
	"fmt"
	"os"
	"syscall"
)

// onlyName refuses a file that has a second name: the lock and the log of SQLite are files beside each name, so that two
// processes could have it open, and not see what the other one writes.
func onlyName(f file, info os.FileInfo) error {
	if at, ok := info.Sys().(*syscall.Stat_t); ok && at.Nlink > 1 {
		return fmt.Errorf("the database file %s has %d names (hard links), and another process could have it open under one of them: "+
			"remove the other names, or give the ledger a copy", f, at.Nlink)
	}
	return nil
}
