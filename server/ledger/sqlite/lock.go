package sqlite

import (
	"errors"
	"fmt"
	"os"
)

// ErrInUse says that another process has the file open.
var ErrInUse = errors.New("the database file is in use by another process; stop that, or give this one a file of its own")

// lock keeps other processes away from the file. It is held on a file beside it, because to close a second descriptor of the
// database itself would drop the locks of SQLite. The file stays when it is released: to remove it would let two hold it.
func lock(f file) (*os.File, error) {
	name := string(f) + ".lock"
	l, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the path is of whoever runs the server
	if err != nil {
		return nil, fmt.Errorf("the lock of the database file: give this user the right to write in its folder: %w", err)
	}
	if err := lockFile(l); err != nil {
		return nil, errors.Join(fmt.Errorf("%w (%s)", err, name), l.Close())
	}
	return l, nil
}
