package postgres_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/internal/benchtest"
	"github.com/remedyrpc/remedy/server/ledger/postgres"
)

// with adds a parameter to a DSN.
func with(t *testing.T, dsn, name, value string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dsn := server(t)
	newer := newSchema(t, dsn)
	if err := postgres.Migrate(t.Context(), dsn, postgres.WithSchema(newer)); err != nil {
		t.Fatal(err)
	}
	execute(t, dsn, "UPDATE "+pgx.Identifier{newer, "remedy_schema"}.Sanitize()+" SET version = 99, oldest = 98")
	tests := []struct {
		name, dsn, want string
		is              error
		opts            []postgres.Option
	}{
		{name: "commits before they are synced", dsn: with(t, dsn, "synchronous_commit", "off"), want: "ALTER ROLE", is: postgres.ErrNotDurable},
		{name: "commits of one server", dsn: with(t, dsn, "synchronous_commit", "local"), want: "set it to on", is: postgres.ErrNotDurable},
		{name: "read-only", dsn: with(t, dsn, "default_transaction_read_only", "on"), want: "read only", is: ledger.ErrUnavailable},
		{name: "newer", dsn: dsn, want: "run that version", is: postgres.ErrNewer, opts: []postgres.Option{postgres.WithSchema(newer)}},
		{
			name: "not migrated", dsn: dsn, want: "migrate the database", is: postgres.ErrOlder,
			opts: []postgres.Option{postgres.WithSchema("no such schema"), postgres.WithoutMigration()},
		},
		{name: "missing database", dsn: strings.Replace(dsn, "/postgres?", "/missing?", 1), want: "make the database", is: ledger.ErrUnavailable},
		{name: "nobody listens", dsn: "postgres://remedy@127.0.0.1:1/postgres", want: "look whether the server runs", is: ledger.ErrUnavailable},
		{name: "no DSN", dsn: "postgres://remedy:secret@:x/", want: "DSN of the ledger"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l, err := postgres.Open(t.Context(), test.dsn, test.opts...)
			if err == nil {
				l.Close()
				t.Fatal("it opened")
			}
			if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("Open() = %v; want %q, and no password", err, test.want)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("Open() = %v; want %v", err, test.is)
			}
		})
	}
}

func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	dsn := server(t)
	schema := newSchema(t, dsn)
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			if err := postgres.Migrate(t.Context(), dsn, postgres.WithSchema(schema)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	l := open(t, dsn, postgres.WithSchema(schema), postgres.WithoutMigration())
	defer l.Close()
	if err := benchtest.Operation(t.Context(), l, "one", false); err != nil {
		t.Error(err)
	}
}

// A version that another one can work beside opens: replicas are replaced one after another.
func TestOpenBesideTheNextVersion(t *testing.T) {
	t.Parallel()
	dsn := server(t)
	schema := newSchema(t, dsn)
	older := open(t, dsn, postgres.WithSchema(schema))
	defer older.Close()
	if err := benchtest.Operation(t.Context(), older, "before", false); err != nil {
		t.Fatal(err)
	}
	execute(t, dsn, strings.ReplaceAll("UPDATE {}.remedy_schema SET version = 2, oldest = 1; ALTER TABLE {}.operations ADD COLUMN later text",
		"{}", pgx.Identifier{schema}.Sanitize()))
	newer := open(t, dsn, postgres.WithSchema(schema))
	defer newer.Close()
	for name, l := range map[string]*postgres.Ledger{"older": older, "newer": newer} {
		if err := benchtest.Operation(t.Context(), l, name, false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMaxOperations(t *testing.T) {
	t.Parallel()
	dsn := server(t)
	schema := newSchema(t, dsn)
	l := open(t, dsn, postgres.WithSchema(schema))
	defer l.Close()
	if err := benchtest.Operation(t.Context(), l, "one", true); err != nil {
		t.Fatal(err)
	}
	full := open(t, dsn, postgres.WithSchema(schema), postgres.WithMaxOperations(1))
	defer full.Close()
	if err := benchtest.Operation(t.Context(), full, "two", true); !errors.Is(err, ledger.ErrFull) {
		t.Errorf("a second operation of one: %v; want ErrFull", err)
	}
	if err := benchtest.Operation(t.Context(), full, "one", true); err == nil || errors.Is(err, ledger.ErrFull) {
		t.Errorf("an operation that is there: %v; want that it is done", err)
	}
}

// TestTimeout has a statement wait for the lock of another program: it is given up after its time, nothing is made of it, and
// the same move can be asked for again.
func TestTimeout(t *testing.T) {
	t.Parallel()
	dsn := server(t)
	schema := newSchema(t, dsn)
	l := open(t, dsn, postgres.WithSchema(schema), postgres.WithTimeout(50*time.Millisecond))
	defer l.Close()
	other, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.WithoutCancel(t.Context()))
	tx, err := other.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE "+pgx.Identifier{schema, "operations"}.Sanitize()+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	claim := ledger.Claim{Key: ledger.Key{Tool: "t", Key: "k"}, ID: "op_1", Attempt: "at_1", Lease: time.Minute}
	if _, ok, err := l.Claim(t.Context(), claim); ok || !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("behind a lock: got %v, %v", ok, err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	row, err := l.Get(t.Context(), claim.Key)
	if err != nil || row.State != ledger.None {
		t.Errorf("made after all: got %v, %v", row.State, err)
	}
	if _, ok, err := l.Claim(t.Context(), claim); !ok || err != nil {
		t.Errorf("again: got %v, %v", ok, err)
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	dsn := server(t)
	l := open(t, dsn, postgres.WithSchema(newSchema(t, dsn)))
	for _, want := range []bool{true, false} {
		if got, err := l.Empty(t.Context()); err != nil || got != want {
			t.Errorf("Empty() = %v, %v; want %v", got, err, want)
		}
		if want {
			if err := benchtest.Operation(t.Context(), l, "one", false); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Empty(t.Context()); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("after Close: %v; want ErrUnavailable", err)
	}
}
