package postgres_test

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/remedyrpc/remedy/server/ledger/postgres"
)

// server is the DSN of a server to test with. Without one the test is skipped, unless it has to run.
func server(tb testing.TB) string {
	tb.Helper()
	dsn := os.Getenv("REMEDY_TEST_POSTGRES")
	switch {
	case dsn != "":
	case os.Getenv("REMEDY_REQUIRE_POSTGRES") != "":
		tb.Fatal("REMEDY_TEST_POSTGRES has to name a server: run make ledger-postgres")
	default:
		tb.Skip("REMEDY_TEST_POSTGRES names no server: make ledger-postgres starts one")
	}
	return dsn
}

// newSchema is the name of a schema that is dropped after the test.
func newSchema(tb testing.TB, dsn string) string {
	tb.Helper()
	name := "test " + strings.ToLower(rand.Text()[:10]) // a name that has to be quoted
	tb.Cleanup(func() { execute(tb, dsn, "DROP SCHEMA IF EXISTS "+pgx.Identifier{name}.Sanitize()+" CASCADE") })
	return name
}

// execute runs a script on a connection of its own.
func execute(tb testing.TB, dsn, script string) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, script); err != nil {
		tb.Fatal(err)
	}
}

func open(tb testing.TB, dsn string, opts ...postgres.Option) *postgres.Ledger {
	tb.Helper()
	l, err := postgres.Open(tb.Context(), dsn, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}
