package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockItself locks the database itself: a file that is mounted at two places has a lock file beside each of its names.
//
// On a file system of this machine flock and the fcntl locks of SQLite do not see each other. But to close any descriptor of a
// file drops every fcntl lock that the process has on it, as if SQLite had let go: another program could then remove the log
// from under it. So this one is closed after SQLite has closed the file, and where the lock is refused never, because it may be
// this process that has the file open under another name.
func lockItself(f file) (io.Closer, error) {
	fd, err := unix.Open(string(f), unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, f.unmade("opening it", &os.PathError{Op: "open", Path: string(f), Err: err})
	}
	switch err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return nil, fmt.Errorf("%w (%s, under another name)", ErrInUse, f)
	case err != nil:
		return nil, fmt.Errorf("the database file %s: it cannot be locked: put it on a local disk: %w", f, err)
	}
	if err := twoKinds(fd); err != nil {
		return nil, errors.Join(fmt.Errorf("the database file %s: %w", f, err), unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), string(f)), nil
}

// twoKinds refuses a file system that makes fcntl locks of flock, as those of networks do: SQLite would wait for this process. It
// asks for a byte that SQLite never locks.
func twoKinds(fd int) error {
	asked := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Len: 1}
	if err := unix.FcntlFlock(uintptr(fd), unix.F_GETLK, &asked); err != nil {
		return fmt.Errorf("its locks cannot be read: put it on a local disk: %w", err)
	}
	if asked.Type != unix.F_UNLCK {
		return errors.New("its file system, which seems to be one of a network, cannot lock it as SQLite needs: put it on a local disk")
	}
	return nil
}

// notMounted refuses a file that is a mount by itself, as a container may have it. The log of SQLite is a file beside it, and so
// in the container: what was acknowledged and not yet moved into the database would go with that.
func notMounted(f file) error {
	of, known := mountOf(string(f))
	folder, folderKnown := mountOf(filepath.Dir(string(f)))
	if known && folderKnown && of != folder {
		return fmt.Errorf("the database file %s is mounted by itself, and its log would be lost, which is a file beside it: "+
			"mount its folder", f)
	}
	return nil
}

// mountOf is the mount that a path is in, where the kernel says it (Linux 5.8).
func mountOf(path string) (id uint64, known bool) {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_MNT_ID, &st)
	return st.Mnt_id, err == nil && st.Mask&unix.STATX_MNT_ID != 0
}
