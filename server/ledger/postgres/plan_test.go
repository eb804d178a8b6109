package postgres

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/internal/statement"
)

// opened is a ledger in a schema of its own, which is dropped after the test.
func opened(t *testing.T) *Ledger {
	t.Helper()
	dsn := os.Getenv("REMEDY_TEST_POSTGRES")
	if dsn == "" {
		t.Skip("REMEDY_TEST_POSTGRES names no server: make ledger-postgres starts one")
	}
	l, err := Open(t.Context(), dsn, WithSchema("test "+strings.ToLower(rand.Text()[:10])))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		drop := "DROP SCHEMA " + pgx.Identifier{l.options.schema}.Sanitize() + " CASCADE"
		if _, err := l.pool.Exec(context.WithoutCancel(t.Context()), drop); err != nil {
			t.Error(err)
		}
		l.Close()
	})
	return l
}

// plans are the indexes that each statement may use, so that it takes as long among a million rows as among a thousand. What
// is not here is found by its key, or by the id of its operation.
var plans = map[string]string{
	"claim": "Conflict Arbiter Indexes: operations_pkey", "sweep": "operations_upkeep",
	"drop": "operations_upkeep", "forget": "operations_upkeep",
}

func TestStatementsUseIndexes(t *testing.T) {
	t.Parallel()
	l := opened(t)
	c, err := l.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	table := l.dialect().Table
	// These are many, as far as the planner knows.
	script := strings.ReplaceAll(`INSERT INTO {} (tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared,
  tool_version, principal, run_id, acts_until, lease_until, created_at, crossed_at, moved_at, upkeep, upkeep_since, moves, trail)
SELECT 'acme', 'ada', 'pay', 'key' || i, CASE i % 500 WHEN 0 THEN 3 ELSE 4 END, 1, 'op' || i, 'at', 1, 1, '', '', '', '',
  CASE i % 500 WHEN 0 THEN 'run' ELSE '' END, 0, i, 2 * i, 0, i, CASE i % 500 WHEN 0 THEN 3 ELSE 1 + i % 2 END, i, 1, ''
FROM generate_series(1, 5000) AS i;
ANALYZE {}`, "{}", table)
	check := func(s *statement.Statement, want ...string) {
		t.Helper()
		plan := explain(t, c.Conn(), s)
		found := false
		for _, name := range want {
			found = found || strings.Contains(plan, name)
		}
		sorts := strings.Contains(plan, "Sort") && s.Name != "sweep" // which sorts what is under way, and that is not many
		if !found || strings.Contains(plan, "Seq Scan") || sorts {
			t.Errorf("%s:\n%s\nwant %v, no scan and no sorting", s.Name, plan, want)
		}
	}
	checkAll := func() {
		t.Helper()
		for _, s := range append(l.statements.All(), l.await) {
			if want := plans[s.Name]; want != "" {
				check(s, want)
			} else {
				check(s, "operations_pkey", "operations_id")
			}
		}
	}
	if _, err := c.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan"); err != nil {
		t.Fatal(err)
	}
	checkAll() // a plan of while the table was empty stays, whatever comes
	if _, err := c.Exec(t.Context(), script); err != nil {
		t.Fatal(err)
	}
	checkAll()
	for want, filter := range map[string]ledger.Filter{
		"operations_newest": {Tenant: "acme", Token: "b25l"},
		"operations_run":    {Tenant: "acme", RunID: "run"},
		"operations_pkey":   {Tenant: "acme", Scope: "ada", Tool: "pay", Key: "key1"},
	} {
		list, err := l.statements.List(filter)
		if err != nil {
			t.Fatal(err)
		}
		if plan := explain(t, c.Conn(), list); !strings.Contains(plan, want) || strings.Contains(plan, "Seq Scan") {
			t.Errorf("list %+v:\n%s\nwant %s", filter, plan, want)
		}
	}
}

// explain returns the plan for any parameters.
func explain(t *testing.T, c *pgx.Conn, s *statement.Statement) string {
	t.Helper()
	if _, err := c.Prepare(t.Context(), "explained", s.SQL); err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	parameters := strings.TrimSuffix(strings.Repeat("NULL, ", len(s.Values(statement.Of(ledger.Key{})))), ", ")
	if parameters != "" {
		parameters = "(" + parameters + ")"
	}
	rows, err := c.Query(t.Context(), "EXPLAIN EXECUTE explained"+parameters, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	if err := c.Deallocate(t.Context(), "explained"); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// Nobody is told where nobody waits, and who waits is told.
func TestToldOnlyWhoWaits(t *testing.T) {
	t.Parallel()
	l := opened(t)
	ctx := t.Context()
	c, err := pgx.ConnectConfig(ctx, l.pool.Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(ctx))
	channel := pgx.Identifier{l.channel}.Sanitize()
	if _, err := c.Exec(ctx, "LISTEN "+channel); err != nil {
		t.Fatal(err)
	}
	told := func() (topics []string) { // until now
		t.Helper()
		if _, err := l.pool.Exec(ctx, "NOTIFY "+channel+", 'until now'"); err != nil {
			t.Fatal(err)
		}
		for {
			n, err := c.WaitForNotification(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if n.Payload == "until now" {
				return topics
			}
			topics = append(topics, n.Payload)
		}
	}
	key := ledger.Key{Tenant: "acme", Scope: "ada", Tool: "pay", Key: "1"}
	row, ok, err := l.Claim(ctx, ledger.Claim{Key: key, ID: "op_1", Attempt: "at_1", Lease: 1e12})
	if !ok {
		t.Fatal(err)
	}
	if topics := told(); len(topics) != 0 {
		t.Errorf("nobody waited, and %v was told", topics)
	}
	waits := make(chan error, 1)
	go func() { waits <- l.Wait(ctx, key, row.Version) }()
	for waited := false; !waited; { // until the row says so
		err := l.pool.QueryRow(ctx, "SELECT waited_until > 0 FROM "+l.dialect().Table).Scan(&waited)
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, err := l.Cross(ctx, row.Hold(), ledger.Crossing{Lease: 1e12}); !ok {
		t.Fatal(err)
	}
	if topics := told(); len(topics) != 1 || topics[0] != topic(key) {
		t.Errorf("somebody waited, and %v was told; want %v", topics, topic(key))
	}
	if err := <-waits; err != nil {
		t.Errorf("Wait() = %v", err)
	}
}
