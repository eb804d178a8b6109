package remedyd_test

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/remedyrpc/remedy/server/remedyd"
)

// newDatabase is the URL of a database that is dropped after the test, and the same without its password.
func newDatabase(t *testing.T) (whole, shown string) {
	t.Helper()
	admin := os.Getenv("REMEDY_TEST_POSTGRES")
	switch {
	case admin != "":
	case os.Getenv("REMEDY_REQUIRE_POSTGRES") != "":
		t.Fatal("REMEDY_TEST_POSTGRES has to name a server: server/ledger/postgres/with-server starts one")
	default:
		t.Skip("REMEDY_TEST_POSTGRES names no server: server/ledger/postgres/with-server starts one")
	}
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatal(err)
	}
	name := "remedyd_" + strings.ToLower(rand.Text()[:10])
	execute(t, admin, "CREATE DATABASE "+name)
	t.Cleanup(func() { execute(t, admin, "DROP DATABASE "+name+" WITH (FORCE)") })
	user := u.User.Username()
	u.Path, u.User = "/"+name, url.UserPassword(user, "secret")
	return u.String(), "postgres://" + user + "@" + u.Host + u.Path
}

func execute(t *testing.T, dsn, statement string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, statement); err != nil {
		t.Fatal(err)
	}
}

// TestReplicas has two daemons that share a database: what one did the other one knows.
func TestReplicas(t *testing.T) {
	t.Parallel()
	dsn, shown := newDatabase(t)
	migrate := func(code int, want string, args ...string) {
		t.Helper()
		got, out, log := once(t, append([]string{"migrate", "--db", dsn}, args...)...)
		if got != code || !strings.HasPrefix(out+log, "remedyd: ") || !strings.Contains(out+log, want) ||
			!strings.Contains(out+log, shown) || strings.Contains(out+log, "secret") || strings.Count(out+log, "\n") != 1 {
			t.Errorf("%v: exit code %d, want %d\ngot  %s%s\nwant %s", args, got, code, out, log, want)
		}
	}
	migrate(remedyd.ExitOK, "it would be migrated: ", "--dry-run")
	migrate(remedyd.ExitOK, "it would be migrated: ", "--dry-run") // it changed nothing
	doors := newDoors()
	first, second := start(t, doors.tools(), "--db", dsn), start(t, doors.tools(), "--db", dsn)
	if want := "remedyd: operations are kept in " + shown + "\n"; !strings.HasPrefix(first.out, want) {
		t.Errorf("got %q, want %q first", first.out, want)
	}
	for i, d := range []*daemon{first, second} {
		result, err := d.call(t.Context(), "open_door", "k", front)
		if err != nil || result.GetReplayed() != (i > 0) {
			t.Errorf("replica %d: got %v, %v", i, result, err)
		}
	}
	if n := doors.opened.Load(); n != 1 {
		t.Errorf("%d effects", n)
	}
	for _, d := range []*daemon{first, second} {
		d.stop()
		if code := d.code(); code != remedyd.ExitOK || strings.Contains(d.log.String(), "secret") {
			t.Errorf("exit code %d, %s", code, d.log)
		}
	}
	const empty = "there is no operation in the database"
	third := start(t, nil, "--db", dsn)
	if !strings.Contains(first.log.String(), empty) || strings.Contains(third.log.String(), empty) {
		t.Errorf("%q is said at first, and not afterwards: %s%s", empty, first.log, third.log)
	}
	third.stop()
	third.code()
	migrate(remedyd.ExitOK, "it has the schema of this version")
	migrate(remedyd.ExitOK, "it has a schema that this version works with; nothing to do", "--dry-run")
	execute(t, dsn, "UPDATE remedy.remedy_schema SET version = 1000, oldest = 999")
	migrate(remedyd.ExitDatabase, "of a newer version of remedy")
	migrate(remedyd.ExitDatabase, "of a newer version of remedy", "--dry-run")
	if code, _, log := once(t, "--listen", "127.0.0.1:0", "--db", dsn); code != remedyd.ExitDatabase || !strings.Contains(log, "newer") {
		t.Errorf("exit code %d, %s", code, log)
	}
}
