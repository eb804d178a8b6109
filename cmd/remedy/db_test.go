package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

// TestBackup copies a file that is in use; the rules of copying are tested where they are.
func TestBackup(t *testing.T) {
	t.Parallel()
	source, dest := filepath.Join(t.TempDir(), "operations.db"), filepath.Join(t.TempDir(), "copy.db")
	l, err := sqlite.Open(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got := command(t, "", "db", "backup", source, dest); got.code != exitOK || unwrapped(got.out) != "wrote "+dest || got.err != "" {
		t.Errorf("got %+v", got)
	}
	if _, err := os.Stat(dest); err != nil {
		t.Error(err)
	}
	tests := []struct {
		source, dest string
		code         int
		want         string
	}{
		{source, dest, exitFailed, "and nothing is overwritten: name a new file"},
		{source + "x", dest + "x", exitFailed, "there is none: name that of the service"},
		{"postgres:/me:secret@host/ops", dest, exitUsage, "db backup copies SQLite files: use pg_dump"},
		{"postgres://me:secret@host/ops", dest, exitUsage, "db backup copies SQLite files: use pg_dump"},
		{"memory", dest, exitUsage, "is in no file"},
	}
	for _, test := range tests {
		got := command(t, "", "db", "backup", test.source, test.dest)
		if text := unwrapped(got.err); got.code != test.code || !strings.Contains(text, test.want) || strings.Contains(text, "secret") {
			t.Errorf("%s to %s: got %+v", test.source, test.dest, got)
		}
	}
}
