package sqlite_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/internal/benchtest"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

func BenchmarkLedger(b *testing.B) {
	benchtest.Run(b, func(b *testing.B) ledger.Ledger {
		b.Helper()
		l, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "ledger.db"))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { l.Close() })
		return l
	})
}

// BenchmarkBare is what the same file does without a ledger: a row is inserted and updated, each with a commit of its own.
func BenchmarkBare(b *testing.B) {
	for _, callers := range benchtest.Callers() {
		b.Run(fmt.Sprintf("insert;update/callers=%d", callers), func(b *testing.B) {
			dsn := "file:" + filepath.Join(b.TempDir(), "bare.db") +
				"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
			db, err := sql.Open("sqlite", dsn)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { db.Close() })
			db.SetMaxOpenConns(1)
			if _, err := db.ExecContext(b.Context(), "CREATE TABLE bare (key text PRIMARY KEY, state integer, output text)"); err != nil {
				b.Fatal(err)
			}
			benchtest.Parallel(b, callers, func(ctx context.Context, n int64) error {
				key := fmt.Sprintf("%x", sha256.Sum256([]byte(strconv.FormatInt(n, 10))))
				if _, err := db.ExecContext(ctx, "INSERT INTO bare VALUES (?, 3, NULL)", key); err != nil {
					return err
				}
				_, err := db.ExecContext(ctx, "UPDATE bare SET state = 4, output = ? WHERE key = ? AND state = 3", `{"ok":true}`, key)
				return err
			})
		})
	}
}

// BenchmarkRows is whether an operation takes longer among many others.
func BenchmarkRows(b *testing.B) {
	for _, rows := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "ledger.db")
			fill(b, path, rows)
			l, err := sqlite.Open(b.Context(), path, sqlite.WithoutCheck())
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { l.Close() })
			benchtest.Parallel(b, 32, func(ctx context.Context, n int64) error {
				return benchtest.Operation(ctx, l, strconv.FormatInt(n, 10), true)
			})
		})
	}
}

// fill makes a ledger of so many operations: copies of one that is done, with names and times of their own.
func fill(tb testing.TB, path string, rows int) {
	tb.Helper()
	l, err := sqlite.Open(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := benchtest.Operation(tb.Context(), l, "the one", false); err != nil {
		tb.Fatal(err)
	}
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(OFF)&_pragma=cache_size(-400000)")
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	script := fmt.Sprintf(`
CREATE TEMP TABLE one AS SELECT %[2]s, created_at, moved_at FROM operations;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d)
INSERT INTO operations (%[2]s, key, id, created_at, moved_at, upkeep_since)
SELECT %[2]s, hex(randomblob(12)), 'op_' || hex(randomblob(14)), created_at - i, moved_at - i, moved_at - i FROM one, n`, rows-1, copied)
	if _, err := db.ExecContext(tb.Context(), script); err != nil {
		tb.Fatal(err)
	}
}

const copied = `tenant, scope, tool, state, version, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id,
  lease_until, acts_until, crossed_at, completed_at, omitted, size, hash, upkeep, moves, trail, output`
