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
