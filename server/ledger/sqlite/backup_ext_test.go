package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

// claim makes an operation of a key.
func claim(ctx context.Context, l *sqlite.Ledger, key string) error {
	_, ok, err := l.Claim(ctx, ledger.Claim{
		Key: ledger.Key{Tenant: "acme", Tool: "pay", Key: key}, ID: "op_" + key, Attempt: "at_" + key, Lease: time.Minute,
	})
	if err == nil && !ok {
		err = errors.New("there is one of that key")
	}
	return err
}

// keys are the operations of a file, which is not open elsewhere.
func keys(t *testing.T, path string) map[string]bool {
	t.Helper()
	l := open(t, path)
	defer l.Close()
	rows, _, err := l.List(t.Context(), ledger.Filter{Tenant: "acme", Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool, len(rows))
	for i := range rows {
		found[rows[i].Key.Key] = true
	}
	return found
}

// TestBackup copies a ledger that is open, and goes on.
func TestBackup(t *testing.T) {
	t.Parallel()
	source, dest := newPath(t), filepath.Join(t.TempDir(), "it's a copy.db")
	l := open(t, source)
	move := func(key string) {
		t.Helper()
		if err := claim(t.Context(), l, key); err != nil {
			t.Fatal(err)
		}
	}
	move("before")
	if err := sqlite.Backup(t.Context(), source, dest); err != nil {
		t.Fatal(err)
	}
	move("after")
	if info, err := os.Stat(dest); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info, err)
	}
	if n, err := sqlite.Schema(t.Context(), dest); err != nil || n != 1 {
		t.Errorf("got schema %d, %v", n, err)
	}
	if got := keys(t, dest); !got["before"] || got["after"] {
		t.Errorf("the copy holds %v", got)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(dest), ".*")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestBackupBeside names files by their place in the working folder.
func TestBackupBeside(t *testing.T) {
	path := made(t)
	t.Chdir(filepath.Dir(path))
	if err := sqlite.Backup(t.Context(), filepath.Base(path), "copy.db"); err != nil {
		t.Fatal(err)
	}
	if empty, err := open(t, "copy.db").Empty(t.Context()); err != nil || empty {
		t.Errorf("got %v, %v", empty, err)
	}
}

// TestBackupWhileWritten copies a ledger that is written all the time: what was acknowledged before a copy began is in it.
func TestBackupWhileWritten(t *testing.T) {
	t.Parallel()
	source, folder := newPath(t), t.TempDir()
	l := open(t, source, sqlite.WithDurability(sqlite.Process))
	written, stop := make(chan int), make(chan struct{})
	go func() {
		defer close(written)
		for n := 0; ; n++ {
			if err := claim(context.WithoutCancel(t.Context()), l, strconv.Itoa(n)); err != nil {
				t.Error(err)
				return
			}
			select {
			case written <- n: // somebody asks
			case <-stop:
				return
			default:
			}
		}
	}()
	acknowledged := make([]int, 3)
	for i := range acknowledged {
		acknowledged[i] = <-written
		if err := sqlite.Backup(t.Context(), source, filepath.Join(folder, strconv.Itoa(i))); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	for range written { // until it has stopped
	}
	for i, last := range acknowledged {
		got := keys(t, filepath.Join(folder, strconv.Itoa(i)))
		for n := range min(last, 900) + 1 {
			if !got[strconv.Itoa(last-n)] {
				t.Errorf("copy %d: operation %d of %d is missing", i, last-n, last)
			}
		}
	}
}

func TestBackupRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	if err := sqlite.Migrate(t.Context(), path("good.db")); err != nil {
		t.Fatal(err)
	}
	execute(t, path("foreign.db"), "CREATE TABLE of_somebody_else (x)")
	write(t, path("text"), bytes.Repeat([]byte("no database\n"), 1000))
	write(t, path("nothing.db"), nil)
	tests := []struct{ source, dest, want string }{
		{path("none.db"), path("copy"), "there is none: name that of the service"},
		{folder, path("copy"), "is no file"},
		{path("text"), path("copy"), "is no database, or is damaged: name another file"},
		{path("foreign.db"), path("copy"), "belongs to another program"},
		{path("nothing.db"), path("copy"), "is empty: name that of the service"},
		{path("good.db"), path("text"), "nothing is overwritten: name a new file"},
		{path("good.db"), path("good.db"), "nothing is overwritten: name a new file"},
		{path("good.db"), path("none/copy"), "its folder has to be there"},
	}
	before, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		if err := sqlite.Backup(t.Context(), test.source, test.dest); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s to %s: got %v, want %s", test.source, test.dest, err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sqlite.Backup(ctx, path("good.db"), path("copy")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadDir(folder); err != nil || len(after) != len(before) {
		t.Errorf("it left files: %v, %v", after, err)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	newer, foreign, none := made(t), newPath(t), newPath(t)
	execute(t, newer, "UPDATE remedy_schema SET version = 99, oldest = 98")
	execute(t, foreign, "CREATE TABLE bookmarks (url text)")
	write(t, none, nil)
	tests := []struct {
		path string
		want int
		is   error
	}{
		{made(t), 1, nil},
		{none, 0, nil},
		{newer, 0, sqlite.ErrNewer},
		{foreign, 0, sqlite.ErrForeign},
		{newPath(t), 0, os.ErrNotExist},
	}
	for _, test := range tests {
		got, err := sqlite.Schema(t.Context(), test.path)
		if got != test.want || !errors.Is(err, test.is) || err != nil && !strings.Contains(err.Error(), test.path) {
			t.Errorf("Schema(%s) = %d, %v; want %d, %v", filepath.Base(test.path), got, err, test.want, test.is)
		}
	}
}
