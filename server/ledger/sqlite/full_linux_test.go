package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// disk200K is the folder of a disk of its own, which is small.
func disk200K(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=200k"); err != nil {
		t.Skipf("only root can mount a disk: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(folder, 0); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// TestFullDisk has a disk without room for the log, and one that is read only.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	folder := disk200K(t)
	path, source := filepath.Join(folder, "ledger.db"), filepath.Join(t.TempDir(), "source.db")
	for _, p := range []string{path, source} {
		if err := Migrate(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	fill, err := os.Create(filepath.Join(folder, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = fill.Write(make([]byte, 4096))
	}
	if err := fill.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "has no room: free space on its disk") {
		t.Errorf("Open() = %v", err)
	}
	copied := filepath.Join(folder, "copy.db")
	if err := Backup(t.Context(), source, copied); err == nil || !strings.Contains(err.Error(), "the disk of the copy is full") {
		t.Errorf("Backup() = %v", err)
	}
	if err := unix.Mount("", folder, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "mount its disk for writing") {
		t.Errorf("Open() of a disk that is read only = %v", err)
	}
}
