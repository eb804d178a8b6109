package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/remedyrpc/remedy/server/ledger"
)

// errNotOpen is of every call after Close.
var errNotOpen = fmt.Errorf("%w: it was closed", ledger.ErrUnavailable)

// fault says what an error of the database means, and what to do about it. It wraps [ledger.ErrUnavailable].
func (f file) fault(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s: the database file %s%s: %w", ledger.ErrUnavailable, doing, f, remedy(err), err)
}

// remedy is what is wrong with the file, and what to do about it; empty where the error has to speak for itself.
func remedy(err error) string {
	if e, ok := errors.AsType[*driver.Error](err); ok && e.Code() == codes.SQLITE_IOERR_SHMSIZE { // its index, which is a map of a file
		return " has no room: free space on its disk"
	}
	switch code(err) {
	case codes.SQLITE_FULL:
		return " has no room: free space on its disk"
	case codes.SQLITE_READONLY:
		return " cannot be written: give this user the right to write it and its folder, and mount its disk for writing"
	case codes.SQLITE_CANTOPEN:
		return " cannot be opened: make its folder, and give this user the right to write there"
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		return " is locked by another program: end that, or have it work on a backup"
	case codes.SQLITE_CORRUPT:
		return " is damaged: stop, keep it aside, and restore a backup"
	case codes.SQLITE_NOTADB:
		return " is no database, or is damaged: name another file, or keep it aside and restore a backup"
	case codes.SQLITE_IOERR:
		return " cannot be read or written: look at the disk, then start again"
	default:
		return ""
	}
}

// code is the primary result code of SQLite, zero where there is none.
func code(err error) int {
	if e, ok := errors.AsType[*driver.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}
