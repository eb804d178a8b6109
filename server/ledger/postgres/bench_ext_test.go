package postgres_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/internal/benchtest"
	"github.com/remedyrpc/remedy/server/ledger/postgres"
)

func BenchmarkLedger(b *testing.B) {
	dsn := server(b)
	benchtest.Run(b, func(b *testing.B) ledger.Ledger {
		b.Helper()
		l := open(b, dsn+"&pool_max_conns=32", postgres.WithSchema(newSchema(b, dsn)))
		b.Cleanup(func() { l.Close() })
		return l
	})
}

// BenchmarkBare is what the same server does without a ledger: a row is inserted and updated, each with a commit of its own.
func BenchmarkBare(b *testing.B) {
	dsn := server(b)
	for _, callers := range benchtest.Callers() {
		b.Run(fmt.Sprintf("insert;update/callers=%d", callers), func(b *testing.B) {
			schema := newSchema(b, dsn)
			table := pgx.Identifier{schema, "bare"}.Sanitize()
			execute(b, dsn, "CREATE SCHEMA "+pgx.Identifier{schema}.Sanitize())
			execute(b, dsn, "CREATE TABLE "+table+" (key text PRIMARY KEY, state bigint, output text)")
			pool, err := pgxpool.New(b.Context(), dsn+"&pool_max_conns=32")
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(pool.Close)
			benchtest.Parallel(b, callers, func(ctx context.Context, n int64) error {
				key := fmt.Sprintf("%x", sha256.Sum256([]byte(strconv.FormatInt(n, 10))))
				if _, err := pool.Exec(ctx, "INSERT INTO "+table+" VALUES ($1, 3, NULL)", key); err != nil {
					return err
				}
				_, err := pool.Exec(ctx, "UPDATE "+table+" SET state = 4, output = $2 WHERE key = $1 AND state = 3", key, `{"ok":true}`)
				return err
			})
		})
	}
}

// BenchmarkRows is whether an operation takes longer among many others.
func BenchmarkRows(b *testing.B) {
	dsn := server(b)
	for _, rows := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			schema := newSchema(b, dsn)
			l := open(b, dsn+"&pool_max_conns=32", postgres.WithSchema(schema))
			b.Cleanup(func() { l.Close() })
			if err := benchtest.Operation(b.Context(), l, "the one", false); err != nil {
				b.Fatal(err)
			}
			table := pgx.Identifier{schema, "operations"}.Sanitize()
			execute(b, dsn, fmt.Sprintf(`INSERT INTO %[1]s (%[2]s, key, id, created_at, moved_at, upkeep_since)
SELECT %[2]s, md5(i::text), 'op_' || md5(i::text), created_at - i, moved_at - i, moved_at - i FROM %[1]s, generate_series(1, %[3]d) AS i`,
				table, copied, rows-1))
			execute(b, dsn, "VACUUM ANALYZE "+table)
			benchtest.Parallel(b, 32, func(ctx context.Context, n int64) error {
				return benchtest.Operation(ctx, l, strconv.FormatInt(n, 10), true)
			})
		})
	}
}

const copied = `tenant, scope, tool, state, version, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id,
  lease_until, acts_until, crossed_at, completed_at, omitted, size, hash, upkeep, moves, trail, output`
