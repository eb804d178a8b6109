package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/internal/benchtest"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

func newPath(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), "ledger.db")
}

// open opens a ledger that the test closes.
func open(tb testing.TB, path string, opts ...sqlite.Option) *sqlite.Ledger {
	tb.Helper()
	l, err := sqlite.Open(tb.Context(), path, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	return l
}

// execute runs a script on the file as another program would.
func execute(tb testing.TB, path, script string) {
	tb.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(tb.Context(), script); err != nil {
		tb.Fatal(err)
	}
}

// made is the path of a closed ledger with one operation.
func made(tb testing.TB) string {
	tb.Helper()
	path := newPath(tb)
	l := open(tb, path)
	if err := benchtest.Operation(tb.Context(), l, "one", false); err != nil {
		tb.Fatal(err)
	}
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		path func(t *testing.T) string
		want string // what the error says to do
		is   error
	}{
		{name: "missing folder", want: "make it", path: func(t *testing.T) string {
			t.Helper()
			return filepath.Join(t.TempDir(), "missing", "ledger.db")
		}},
		{name: "file as folder", want: "what should be its folder is a file", path: func(t *testing.T) string {
			t.Helper()
			return filepath.Join(made(t), "ledger.db")
		}},
		{name: "folder", want: "name a file in that folder", path: func(t *testing.T) string {
			t.Helper()
			return t.TempDir()
		}},
		{name: "no database", want: "name another file", path: func(t *testing.T) string {
			t.Helper()
			path := newPath(t)
			write(t, path, []byte(strings.Repeat("no database ", 1000)))
			return path
		}},
		{name: "another program's", want: "name another file", is: sqlite.ErrForeign, path: func(t *testing.T) string {
			t.Helper()
			path := newPath(t)
			execute(t, path, "CREATE TABLE bookmarks (url text)")
			return path
		}},
		{name: "newer", want: "run that version", is: sqlite.ErrNewer, path: func(t *testing.T) string {
			t.Helper()
			path := made(t)
			execute(t, path, "UPDATE remedy_schema SET version = 99, oldest = 98")
			return path
		}},
		{name: "damaged", want: "restore a backup", path: func(t *testing.T) string {
			t.Helper()
			path := made(t)
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := 4096; i < len(content); i += 4096 { // the head of each page but the first
				copy(content[i:], "damaged!")
			}
			write(t, path, content)
			return path
		}},
		{name: "link to nothing", want: "what it leads to is not there", path: func(t *testing.T) string {
			t.Helper()
			link := newPath(t)
			if err := os.Symlink(newPath(t), link); err != nil {
				t.Skip(err)
			}
			return link
		}},
		{name: "in use", want: "in use by another process", is: sqlite.ErrInUse, path: func(t *testing.T) string {
			t.Helper()
			path := newPath(t)
			open(t, path)
			return path
		}},
		{name: "of two names", want: "has 2 names (hard links)", path: func(t *testing.T) string {
			t.Helper()
			path := newPath(t)
			open(t, path)
			link := filepath.Join(filepath.Dir(path), "link.db")
			if err := os.Link(path, link); err != nil {
				t.Skip(err)
			}
			return link
		}},
		{name: "in use under another name", want: "in use by another process", is: sqlite.ErrInUse, path: func(t *testing.T) string {
			t.Helper()
			path := newPath(t)
			open(t, path)
			link := filepath.Join(t.TempDir(), "link.db")
			if err := os.Symlink(path, link); err != nil {
				t.Skip(err)
			}
			return link
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l, err := sqlite.Open(t.Context(), test.path(t))
			if err == nil {
				l.Close()
				t.Fatal("it opened")
			}
			if !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "database file") {
				t.Errorf("Open() = %v; want it to name the database file, and %q", err, test.want)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("Open() = %v; want %v", err, test.is)
			}
		})
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestForeignFileStaysAsItIs(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	execute(t, path, "CREATE TABLE bookmarks (url text)")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), path); !errors.Is(err, sqlite.ErrForeign) {
		t.Fatalf("Open() = %v; want ErrForeign", err)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file of another program was changed (%v)", err)
	}
}

// A version that another one can work beside opens: replicas, and a step back, are of the minor version before.
func TestOpenBesideTheNextVersion(t *testing.T) {
	t.Parallel()
	path := made(t)
	execute(t, path, "UPDATE remedy_schema SET version = 2, oldest = 1; ALTER TABLE operations ADD COLUMN later text")
	l := open(t, path)
	if err := benchtest.Operation(t.Context(), l, "two", false); err != nil {
		t.Error(err)
	}
}

func TestFilesAreOfTheirOwner(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	if err := benchtest.Operation(t.Context(), l, "one", false); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := sqlite.Backup(t.Context(), path, backup); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm", path + ".lock", backup} {
		info, err := os.Stat(name)
		if err != nil {
			t.Error(err)
		} else if got := info.Mode().Perm(); got != 0o600 {
			t.Errorf("%s has the rights %o; want 600", filepath.Base(name), got)
		}
	}
}

func TestMigrateAgain(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	for range 2 {
		if err := sqlite.Migrate(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	open(t, path)
}

func TestMaxOperations(t *testing.T) {
	t.Parallel()
	path := made(t)
	l := open(t, path, sqlite.WithMaxOperations(2))
	if err := benchtest.Operation(t.Context(), l, "two", true); err != nil {
		t.Fatal(err)
	}
	if err := benchtest.Operation(t.Context(), l, "three", true); !errors.Is(err, ledger.ErrFull) {
		t.Errorf("a third operation of two: %v; want ErrFull", err)
	}
	if err := benchtest.Operation(t.Context(), l, "two", true); errors.Is(err, ledger.ErrFull) {
		t.Errorf("an operation that is there: %v", err)
	}
	if _, err := l.Expire(t.Context(), ledger.Retention{Keys: 1, Limit: 1}); err != nil {
		t.Fatal(err)
	}
	if err := benchtest.Operation(t.Context(), l, "three", true); err != nil {
		t.Errorf("after one expired: %v", err)
	}
}

// TestEmpty has files in which there is no operation: one that is made, one of no bytes, and one whose operations are gone.
func TestEmpty(t *testing.T) {
	t.Parallel()
	none, forgotten := newPath(t), made(t)
	write(t, none, nil)
	execute(t, forgotten, "DELETE FROM operations")
	for path, want := range map[string]bool{newPath(t): true, none: true, forgotten: true, made(t): false} {
		if got, err := open(t, path).Empty(t.Context()); err != nil || got != want {
			t.Errorf("Empty() = %v, %v; want %v", got, err, want)
		}
	}
}

// TestMovedAway has the file be taken away under a ledger, which goes on with it, and says so when it sweeps.
func TestMovedAway(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	sweep := ledger.Sweep{Attempt: "at_1", Lease: time.Second, Limit: 1}
	swept := func(want string) {
		t.Helper()
		switch _, err := l.Sweep(t.Context(), sweep); {
		case want == "" && err != nil:
			t.Errorf("Sweep() = %v", err)
		case want != "" && (!errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), want)):
			t.Errorf("Sweep() = %v; want %s", err, want)
		}
	}
	rename := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	swept("")
	rename(path, path+".moved")
	swept("was moved or removed while it is in use: put it back")
	write(t, path, nil)
	swept("was moved or removed")
	rename(path+".moved", path)
	swept("")
}
