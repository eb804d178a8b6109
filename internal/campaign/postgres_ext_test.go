//go:build crashpoint && linux

package campaign_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// postgresVariable is the DSN of a server on which databases may be made.
const postgresVariable = "REMEDY_TEST_POSTGRES"

// postgresRequired says that a campaign that needs a server fails where there is none.
const postgresRequired = "REMEDY_REQUIRE_POSTGRES"

var databases atomic.Int64

// newDatabase makes a database of its own on the server, and returns its URL. It stays: the server is there for the campaign.
func newDatabase(t *testing.T) string {
	t.Helper()
	dsn := os.Getenv(postgresVariable)
	if dsn == "" {
		if os.Getenv(postgresRequired) != "" {
			t.Fatalf("%s is not set", postgresVariable)
		}
		t.Skipf("%s is not set", postgresVariable)
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatalf("%s is no URL", postgresVariable)
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	name := fmt.Sprintf("campaign_%d_%d", os.Getpid(), databases.Add(1))
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}
