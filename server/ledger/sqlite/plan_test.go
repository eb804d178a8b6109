package sqlite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/internal/statement"
)

// plans are the indexes that each statement may use, so that it takes as long among a million rows as among a thousand.
var plans = map[string][]string{
	"sweep":  {"operations_upkeep (upkeep=?)"},
	"drop":   {"operations_upkeep (upkeep=? AND upkeep_since<?)"},
	"forget": {"operations_upkeep (upkeep=? AND upkeep_since<?)"},
	"find":   {"operations_id"}, "applied": {"operations_id"}, "close": {"operations_id"}, "purge": {"operations_id"},
}

func TestStatementsUseIndexes(t *testing.T) {
	t.Parallel()
	l, _ := opened(t)
	for _, s := range l.statements.All() {
		plan := explain(t, l, s.SQL, len(s.Values(statement.Of(ledger.Key{}))))
		indexes := plans[s.Name]
		if indexes == nil {
			indexes = []string{"sqlite_autoindex_operations_1", "operations_id"} // the key, or the id of its operation
		}
		for _, line := range plan {
			switch {
			case !strings.Contains(line, "operations") && !strings.HasPrefix(line, "SCAN"), strings.Contains(line, "INTEGER PRIMARY KEY"):
			case strings.HasPrefix(line, "SCAN CONSTANT ROW"):
			case !strings.HasPrefix(line, "SEARCH") || !slices.ContainsFunc(indexes, func(name string) bool { return strings.Contains(line, name) }):
				t.Errorf("%s: %s; want a search of %v", s.Name, line, indexes)
			}
		}
	}
	for want, filter := range map[string]ledger.Filter{
		"operations_newest (tenant=? AND (created_at,id)<(?,?))":      {Tenant: "a", Token: "x"},
		"operations_newest (tenant=?)":                                {Tenant: "a"},
		"operations_run (tenant=? AND run_id=?)":                      {Tenant: "a", RunID: "r"},
		"sqlite_autoindex_operations_1 (key=? AND tool=? AND scope=?": {Tenant: "a", Scope: "s", Tool: "t", Key: "k"},
	} {
		list, err := l.statements.List(filter)
		if err != nil {
			t.Fatal(err)
		}
		plan := explain(t, l, list.SQL, len(list.Values(statement.Of(ledger.Key{}))))
		if !strings.Contains(plan[0], want) || len(plan) > 1 && filter.Key == "" {
			t.Errorf("list: %v; want %s, and no sorting", plan, want)
		}
	}
}

func explain(t *testing.T, l *Ledger, text string, parameters int) []string {
	t.Helper()
	values := make([]any, parameters)
	rows, err := l.readers.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, values...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	if len(plan) == 0 {
		return []string{fmt.Sprintf("no plan: %v", rows.Err())}
	}
	return plan
}
