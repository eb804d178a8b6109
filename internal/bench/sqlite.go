package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	lib "modernc.org/sqlite"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

func sqliteIn(folder string) *backend {
	path := func(name string) string { return filepath.Join(folder, name+".db") }
	return &backend{
		title: "SQLite, synchronous=FULL",
		how:   "(bare handlers share a writer of their own, with the ledger's settings and group commit: that of the ledger is not exported)",
		bare:  "one connection, no group commit", least: 0.65, leastAlone: 0.75, leastPerSecond: 5000,
		open: func(ctx context.Context, name string) (ledger.Ledger, error) {
			return sqlite.Open(ctx, path(name), sqlite.WithDurability(sqlite.PowerCut), sqlite.WithoutCheck())
		},
		floor: func(ctx context.Context, name string, t *table, shared bool) (floor, error) {
			return newWriter(ctx, path(name), t, shared)
		},
		fill: func(ctx context.Context, name string, rows int) ([]string, error) {
			return fillSQLite(ctx, path(name), rows)
		},
		planned: "the statements themselves",
		plan:    func(ctx context.Context, name string) ([]string, error) { return planSQLite(ctx, path(name)) },
	}
}

// writer writes to a file with the settings of the ledger, as one goroutine that takes those who wait into one transaction. It
// is made anew here because that of the ledger takes nothing but moves.
type writer struct {
	conn                                   driver.Conn
	table                                  *table
	begin, commit, first, crossing, second statement
	most                                   int // share a commit
	ask                                    chan write
	stopped                                chan struct{}
}

type statement interface {
	driver.Stmt
	driver.StmtExecContext
}

// write is one statement that waits for the writer.
type write struct {
	statement statement
	values    []any
	done      chan error
}

const settingsOfLedger = "?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
	"&_pragma=wal_autocheckpoint(4000)&_pragma=journal_size_limit(67108864)&_pragma=cache_size(-65536)"

func newWriter(ctx context.Context, path string, t *table, shared bool) (*writer, error) {
	if t.create == "" {
		if err := sqlite.Migrate(ctx, path); err != nil {
			return nil, err
		}
	}
	connector, err := lib.NewConnector("file:" + path + settingsOfLedger)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	w := &writer{conn: conn, table: t, most: 1, ask: make(chan write), stopped: make(chan struct{})}
	if shared {
		w.most = 256
	}
	dialect := func(statement string) string { return text(statement, t.name, "?") }
	if t.create != "" {
		create, err := w.prepare(strings.ReplaceAll(dialect(t.create), "BYTES", "blob"))
		if err == nil {
			_, err = create.ExecContext(ctx, nil)
		}
		if err != nil {
			return nil, fmt.Errorf("making a table: %w", err)
		}
		if err := create.Close(); err != nil {
			return nil, fmt.Errorf("making a table: %w", err)
		}
	}
	for _, each := range []struct {
		at   *statement
		text string
	}{
		{&w.begin, "BEGIN IMMEDIATE"},
		{&w.commit, "COMMIT"},
		{&w.first, dialect(t.insert)},
		{&w.crossing, dialect(t.cross)},
		{&w.second, dialect(t.receive)},
	} {
		if *each.at, err = w.prepare(each.text); err != nil {
			return nil, err
		}
	}
	go w.loop() //nolint:contextcheck // until it is closed
	return w, nil
}

func (w *writer) prepare(text string) (statement, error) {
	s, err := w.conn.Prepare(text)
	if err != nil {
		return nil, fmt.Errorf("preparing %s: %w", text, err)
	}
	both, ok := s.(statement)
	if !ok {
		return nil, errors.New("the driver has no statements with contexts")
	}
	return both, nil
}

func (w *writer) loop() {
	defer close(w.stopped)
	var broken error // the run stops
	for first := range w.ask {
		group := []write{first}
		if w.most > 1 && broken == nil {
			broken = execute(w.begin)
		}
		for i := 0; i < len(group) && broken == nil; i++ {
			broken = execute(group[i].statement, group[i].values...)
			if i < len(group)-1 || len(group) >= w.most {
				continue
			}
			select {
			case next, ok := <-w.ask:
				if ok {
					group = append(group, next)
				}
			default:
			}
		}
		if w.most > 1 && broken == nil {
			broken = execute(w.commit)
		}
		for _, one := range group {
			one.done <- broken
		}
	}
}

// execute runs a statement, which has to change a row where it has values.
func execute(s statement, values ...any) error {
	named := make([]driver.NamedValue, len(values))
	for i, value := range values {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: value}
	}
	result, err := s.ExecContext(context.Background(), named)
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if n, err := result.RowsAffected(); len(values) > 0 && n != 1 {
		return fmt.Errorf("%d rows were changed: %w", n, errors.Join(err, errNoMatch))
	}
	return nil
}

func (w *writer) do(s statement, values ...any) error {
	r := write{s, values, make(chan error, 1)}
	w.ask <- r
	return <-r.done
}

func (w *writer) insert(_ context.Context, key, id string, state int64, sent []byte) error {
	return w.do(w.first, w.table.inserted(key, id, state, sent)...)
}

func (w *writer) cross(_ context.Context, key string) error {
	return w.do(w.crossing, w.table.crossed(key)...)
}

func (w *writer) receive(_ context.Context, key, output string) error {
	return w.do(w.second, w.table.received(key, output)...)
}

func (w *writer) close() error {
	close(w.ask)
	<-w.stopped
	return errors.Join(w.begin.Close(), w.commit.Close(), w.first.Close(), w.crossing.Close(), w.second.Close(), w.conn.Close())
}

// copied are the columns that copies of an operation share.
const copied = `tenant, scope, tool, state, version, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id,
  lease_until, acts_until, crossed_at, completed_at, omitted, size, hash, upkeep, moves, trail, output`

// some are keys to look up.
const some = "SELECT key FROM %s ORDER BY random() LIMIT 2000"

func fillSQLite(ctx context.Context, path string, rows int) (keys []string, err error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(OFF)&_pragma=cache_size(-400000)")
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, fmt.Sprintf(`
CREATE TEMP TABLE one AS SELECT %[2]s, created_at, moved_at FROM operations;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d)
INSERT INTO operations (%[2]s, key, id, created_at, moved_at, upkeep_since)
SELECT %[2]s, lower(hex(randomblob(12))), 'op_' || hex(randomblob(13)), created_at - i, moved_at - i, moved_at - i
FROM one, n`, rows-1, copied))
	if err != nil {
		return nil, fmt.Errorf("copying: %w", err)
	}
	return texts(ctx, db, fmt.Sprintf(some, "operations"))
}

// planSQLite explains the statements themselves, which are written down for a test.
func planSQLite(ctx context.Context, path string) (lines []string, err error) {
	golden := filepath.FromSlash("server/ledger/internal/statement/testdata/statements.golden.sql")
	text, err := os.ReadFile(golden) //nolint:gosec // a name of our own
	if err != nil {
		return []string{"left out: run this in the root of the repository, which has " + golden}, nil
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for part := range strings.SplitSeq(string(text), "-- ") {
		name, query, _ := strings.Cut(part, "\n")
		switch name {
		case "claim", "cross", "record", "get":
		default:
			continue
		}
		query = strings.ReplaceAll(strings.TrimSuffix(strings.TrimSpace(query), ";"), "?", "NULL")
		plan, err := texts(ctx, db, "EXPLAIN QUERY PLAN "+query)
		if err != nil {
			return nil, err
		}
		lines = append(lines, name+": "+strings.Join(plan, "; "))
	}
	return lines, nil
}

// texts returns the last column of a query.
func texts(ctx context.Context, db *sql.DB, query string) (all []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("asking: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("asking: %w", err)
	}
	places := make([]any, len(columns))
	for i := range places {
		places[i] = new(any)
	}
	var text string
	places[len(places)-1] = &text
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return nil, fmt.Errorf("reading: %w", err)
		}
		all = append(all, text)
	}
	return all, rows.Err()
}
