package sqlite

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/remedyrpc/remedy/server/ledger"
)

// mounted is a second name of a file, as a container has it that mounts only the file.
func mounted(t *testing.T, path string) string {
	t.Helper()
	second := filepath.Join(t.TempDir(), "mounted.db")
	if err := os.WriteFile(second, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(path, second, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("only root can mount a file: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(second, unix.MNT_DETACH); err != nil { // of what was refused, a descriptor is open still
			t.Error(err)
		}
	})
	return second
}

// TestMountedTwice has one file at two places, each with a lock file of its own.
func TestMountedTwice(t *testing.T) {
	t.Parallel()
	l, path := opened(t)
	second := mounted(t, path)
	for range 2 {
		if _, err := Open(t.Context(), second); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), second) {
			t.Errorf("Open() of the file under another name = %v; want ErrInUse", err)
		}
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := Backup(t.Context(), second, copied); err == nil || !strings.Contains(err.Error(), "mount its folder") {
		t.Errorf("Backup() of a file whose log is elsewhere = %v", err)
	}
	// The ledger has lost none of its locks: another process would get this one.
	if got := lockedByOthers(t, path); !got {
		t.Error("what was refused took the locks of the ledger with it")
	}
	if _, ok, err := l.Claim(t.Context(), claimOf("one")); !ok {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), second); err == nil || !strings.Contains(err.Error(), "is mounted by itself") {
		t.Errorf("Open() of a file that is a mount = %v", err)
	}
	l, err := Open(t.Context(), path)
	if err != nil {
		t.Fatalf("it is free again: %v", err)
	}
	defer l.Close()
	if row, err := l.Get(t.Context(), claimOf("one").Key); err != nil || row.State != ledger.Claimed {
		t.Errorf("got %v, %v", row.State, err)
	}
}

// lockedByOthers reports whether another process would find the lock that SQLite holds on a file that it has open. Locks of an
// open file description (fcntl(2)) see those of the process as those of somebody else.
func lockedByOthers(t *testing.T, path string) bool {
	t.Helper()
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0) // not closed before the ledger: see lockItself
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	const shared, bytes = 0x40000002, 510 // of the file format of SQLite
	asked := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: shared, Len: bytes}
	if err := unix.FcntlFlock(uintptr(fd), unix.F_OFD_GETLK, &asked); err != nil {
		t.Fatal(err)
	}
	return asked.Type != unix.F_UNLCK
}

// TestOneKindOfLocks has the whole file locked by fcntl as a network file system does for who asks for flock.
func TestOneKindOfLocks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	emulated, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer emulated.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(emulated.Fd(), unix.F_OFD_SETLK, &lock); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "put it on a local disk") {
		t.Errorf("Open() = %v", err)
	}
}
