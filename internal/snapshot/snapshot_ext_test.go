package snapshot_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/internal/snapshot"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

func claim(key string) ledger.Claim {
	return ledger.Claim{Key: ledger.Key{Tool: "t", Key: key}, ID: "op_" + key, Attempt: "at_" + key, Lease: time.Minute}
}

// TestTake copies a ledger that is open, and opens the copy.
func TestTake(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	source, dest := filepath.Join(folder, "it's.db"), filepath.Join(folder, "copy.db")
	l, err := sqlite.Open(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, ok, err := l.Claim(t.Context(), claim("before")); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if err := snapshot.Take(t.Context(), source, dest); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := l.Claim(t.Context(), claim("after")); err != nil || !ok { // it goes on
		t.Fatal(ok, err)
	}
	if info, err := os.Stat(dest); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info, err)
	}
	if n, err := snapshot.Schema(t.Context(), dest); err != nil || n != 1 {
		t.Errorf("got schema %d, %v", n, err)
	}
	copied, err := sqlite.Open(t.Context(), dest)
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	for key, want := range map[string]ledger.State{"before": ledger.Claimed, "after": ledger.None} {
		if row, err := copied.Get(t.Context(), claim(key).Key); err != nil || row.State != want {
			t.Errorf("%s: got %v, %v", key, row.State, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(folder, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	if err := sqlite.Migrate(t.Context(), path("good.db")); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path("foreign.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE of_somebody_else (x)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	if err := os.WriteFile(path("text"), []byte(strings.Repeat("no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ source, dest, want string }{
		{path("none.db"), path("copy"), "there is no file"},
		{folder, path("copy"), "is no file"},
		{path("text"), path("copy"), "is damaged, or no database"},
		{path("foreign.db"), path("copy"), "belongs to another program"},
		{path("good.db"), path("text"), "exists, and nothing is overwritten"},
		{path("good.db"), path("good.db"), "exists, and nothing is overwritten"},
		{path("good.db"), path("none/copy"), "its folder has to be there"},
	}
	before, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		if err := snapshot.Take(t.Context(), test.source, test.dest); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s to %s: got %v, want %s", test.source, test.dest, err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := snapshot.Take(ctx, path("good.db"), path("copy")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadDir(folder); err != nil || len(after) != len(before) {
		t.Errorf("it left files: %v, %v", after, err)
	}
}
