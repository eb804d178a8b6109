package remedyd_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/remedyrpc/remedy/internal/tcptest"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
	"github.com/remedyrpc/remedy/server/remedyd"
)

// change runs a statement on a file.
func change(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// TestDatabaseRefused names databases that cannot be used. Each answer is one line that names the flag and says what to do.
func TestDatabaseRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"newer.db", "used.db"} {
		if err := sqlite.Migrate(t.Context(), path(name)); err != nil {
			t.Fatal(err)
		}
	}
	change(t, path("newer.db"), "UPDATE remedy_schema SET version = 1000, oldest = 999")
	change(t, path("foreign.db"), "CREATE TABLE of_somebody_else (x)")
	used, err := sqlite.Open(t.Context(), path("used.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	if err := os.WriteFile(path("damaged.db"), []byte(strings.Repeat("no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ db, want string }{
		{path("used.db"), "in use by another process; stop that, or give this one a file of its own"},
		{path("newer.db"), "of a newer version of remedy; run that version, or a backup of before (it has schema 1000, for schema 999"},
		{path("foreign.db"), "belongs to another program; name another file"},
		{path("damaged.db"), "is no database, or is damaged: name another file, or keep it aside and restore a backup"},
		{folder, "is no file: name a file in that folder"},
		{path("none/x.db"), "its folder does not exist; make it"},
		{"postgres://me:secret@" + tcptest.Refused(t) + "/ops?sslmode=disable", "connection refused"},
	}
	for _, test := range tests {
		for _, args := range [][]string{{"--listen", "127.0.0.1:0"}, {"migrate"}} {
			code, out, log := once(t, append(args, "--db", test.db)...)
			if code != remedyd.ExitDatabase || out != "" || !strings.HasPrefix(log, "remedyd: --db") || !strings.Contains(log, test.want) ||
				strings.Count(log, "\n") != 1 || strings.Contains(log, "secret") {
				t.Errorf("%v --db %s: exit code %d, %s%s", args, test.db, code, out, log)
			}
		}
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may write everything")
	}
	path := filepath.Join(t.TempDir(), "x.db")
	if err := sqlite.Migrate(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	code, _, log := once(t, "--listen", "127.0.0.1:0", "--db", path)
	if code != remedyd.ExitDatabase || !strings.Contains(log, "give this user the right to write") || strings.Count(log, "\n") != 1 {
		t.Errorf("exit code %d, %s", code, log)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	step := func(want string, args ...string) {
		t.Helper()
		code, out, log := once(t, append(args, "--db", path)...)
		if code != remedyd.ExitOK || log != "" || out != "remedyd: "+path+": "+want+"\n" {
			t.Errorf("%v: exit code %d, %s%s", args, code, out, log)
		}
	}
	step("there is no such file; it would be made", "migrate", "--dry-run")
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a dry run made the file: %v", err)
	}
	step("it has the schema of this version", "migrate")
	step("it has schema 1; nothing to do", "migrate", "--dry-run")
	start(t, nil, "--db", path)
	step("it has schema 1; nothing to do", "migrate", "--dry-run") // while it is in use
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".migrate-*")); err != nil || len(left) > 0 {
		t.Errorf("copies were left: %v, %v", left, err)
	}
}

// TestDefaultDatabase starts a daemon that is told nothing.
func TestDefaultDatabase(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("STATE_DIRECTORY", "")
	t.Setenv("XDG_STATE_HOME", folder)
	d := start(t, nil)
	path := filepath.Join(folder, "remedyd", "operations.db")
	if want := "remedyd: operations are kept in " + path + "\n"; !strings.HasPrefix(d.out, want) {
		t.Errorf("got %q, want %q first", d.out, want)
	}
	info, err := os.Stat(filepath.Dir(path))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its folder: %v, %v", info, err)
	}
	d.stop()
	if code := d.code(); code != remedyd.ExitOK || !strings.Contains(d.log.String(), "there is no operation in the database") {
		t.Errorf("exit code %d, %s", code, d.log)
	}
	again := start(t, nil)
	again.stop()
	if code := again.code(); code != remedyd.ExitOK {
		t.Errorf("exit code %d, %s", code, again.log)
	}
}

// TestEmptyDatabase has files that hold nothing, which may be the wrong ones: it is said until there is an operation.
func TestEmptyDatabase(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	nothing, migrated := filepath.Join(folder, "nothing.db"), filepath.Join(folder, "migrated.db")
	if err := os.WriteFile(nothing, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Migrate(t.Context(), migrated); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(folder, "none.db"), nothing, migrated} {
		for _, want := range []int{1, 0} {
			d := start(t, newDoors().tools(), "--db", path)
			if _, err := d.call(t.Context(), "open_door", "k", front); err != nil {
				t.Error(err)
			}
			d.stop()
			code, log := d.code(), d.log.String()
			if got := strings.Count(log, "level=WARN msg=\"there is no operation in the database"); code != remedyd.ExitOK || got != want {
				t.Errorf("%s: exit code %d, said %d times, want %d: %s", path, code, got, want, log)
			}
		}
	}
}

// TestDryRun refuses what migrating would refuse, and names the database that was meant.
func TestDryRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	if err := sqlite.Migrate(t.Context(), path("newer.db")); err != nil {
		t.Fatal(err)
	}
	change(t, path("newer.db"), "UPDATE remedy_schema SET version = 1000, oldest = 999")
	change(t, path("foreign.db"), "CREATE TABLE of_somebody_else (x)")
	if err := os.WriteFile(path("nothing.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		db   string
		code int
		want string
	}{
		{path("newer.db"), remedyd.ExitDatabase, "the database is of a newer version of remedy; run that version"},
		{path("foreign.db"), remedyd.ExitDatabase, "it belongs to another program; name another file"},
		{path("none/x.db"), remedyd.ExitDatabase, "its folder does not exist; make it"},
		{path("nothing.db"), remedyd.ExitOK, "it is empty; its tables would be made"},
	}
	for _, test := range tests {
		code, out, log := once(t, "migrate", "--dry-run", "--db", test.db)
		if said := out + log; code != test.code || !strings.Contains(said, test.db) || !strings.Contains(said, test.want) ||
			strings.Contains(said, ".migrate-") || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: exit code %d, %s", test.db, code, said)
		}
	}
}
