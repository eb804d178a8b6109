package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/postgres"
)

// postgresAt measures in schemas of its own, which drop removes.
func postgresAt(ctx context.Context, dsn string) (b *backend, drop func() error, err error) {
	dsn = pooled(dsn)
	admin, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return nil, nil, fmt.Errorf("connecting: %w", err)
	}
	var version string
	if err := admin.QueryRow(ctx, "SHOW server_version").Scan(&version); err != nil {
		admin.Close()
		return nil, nil, fmt.Errorf("connecting: %w", err)
	}
	run := "bench_" + strings.ToLower(rand.Text()[:10]) + "_"
	schemas := make(map[string]bool)
	schema := func(name string) string {
		schemas[run+name] = true
		return run + name
	}
	full := func(name, table string) string { return pgx.Identifier{schema(name), table}.Sanitize() }
	b = &backend{
		title: "PostgreSQL " + version, how: "(bare handlers have a pool of 32 connections, as the ledger has, and its settings)",
		bare: "pool of 32", least: 0.75,
		open: func(ctx context.Context, name string) (ledger.Ledger, error) {
			return postgres.Open(ctx, dsn, postgres.WithSchema(schema(name)))
		},
		floor: func(ctx context.Context, name string, t *table, _ bool) (floor, error) {
			return newPool(ctx, dsn, schema(name), t)
		},
		fill: func(ctx context.Context, name string, rows int) ([]string, error) {
			return fillPostgres(ctx, admin, full(name, "operations"), rows)
		},
		planned: "the search that the moves have in common, prepared once for all values",
		plan: func(ctx context.Context, name string) ([]string, error) {
			return planPostgres(ctx, admin, full(name, "operations"))
		},
	}
	return b, func() error {
		defer admin.Close()
		errs := make([]error, 0, len(schemas))
		for name := range schemas {
			_, err := admin.Exec(context.WithoutCancel(ctx), "DROP SCHEMA IF EXISTS "+pgx.Identifier{name}.Sanitize()+" CASCADE")
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	}, nil
}

// pooled adds how many connections there are.
func pooled(dsn string) string {
	separator := " "
	if strings.Contains(dsn, "://") {
		separator = "?"
		if strings.Contains(dsn, "?") {
			separator = "&"
		}
	}
	return dsn + separator + "pool_max_conns=32"
}

// pool writes each statement in a commit of its own; the server shares syncs.
type pool struct {
	*pgxpool.Pool

	table                   *table
	first, crossing, second string
}

func newPool(ctx context.Context, dsn, schema string, t *table) (*pool, error) {
	if t.create == "" {
		if err := postgres.Migrate(ctx, dsn, postgres.WithSchema(schema)); err != nil {
			return nil, err
		}
	}
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	config.ConnConfig.RuntimeParams["enable_seqscan"] = "off" // as the ledger does
	config.ConnConfig.RuntimeParams["jit"] = "off"
	p, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	dialect := func(statement string) string { return text(statement, pgx.Identifier{schema, t.name}.Sanitize(), "$") }
	if t.create != "" {
		for _, text := range []string{
			"CREATE SCHEMA " + pgx.Identifier{schema}.Sanitize(), strings.ReplaceAll(dialect(t.create), "BYTES", "bytea"),
		} {
			if _, err := p.Exec(ctx, text); err != nil {
				p.Close()
				return nil, fmt.Errorf("making a table: %w", err)
			}
		}
	}
	return &pool{p, t, dialect(t.insert), dialect(t.cross), dialect(t.receive)}, nil
}

func (p *pool) insert(ctx context.Context, key, id string, state int64, sent []byte) error {
	return changed(p.Exec(ctx, p.first, p.table.inserted(key, id, state, sent)...))
}

func (p *pool) cross(ctx context.Context, key string) error {
	return changed(p.Exec(ctx, p.crossing, p.table.crossed(key)...))
}

func (p *pool) receive(ctx context.Context, key, output string) error {
	return changed(p.Exec(ctx, p.second, p.table.received(key, output)...))
}

func changed(tag pgconn.CommandTag, err error) error {
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return check(tag.RowsAffected() == 1)
}

func (p *pool) close() error {
	p.Close()
	return nil
}

func fillPostgres(ctx context.Context, p *pgxpool.Pool, table string, rows int) ([]string, error) {
	for _, text := range []string{
		fmt.Sprintf(`INSERT INTO %[1]s (%[2]s, key, id, created_at, moved_at, upkeep_since)
SELECT %[2]s, md5(i::text), 'op_' || md5(i::text), created_at - i, moved_at - i, moved_at - i FROM %[1]s, generate_series(1, %[3]d) AS i`,
			table, copied, rows-1),
		"VACUUM ANALYZE " + table,
	} {
		if _, err := p.Exec(ctx, text); err != nil {
			return nil, fmt.Errorf("copying: %w", err)
		}
	}
	return pgTexts(ctx, p, fmt.Sprintf(some, table))
}

func pgTexts(ctx context.Context, p *pgxpool.Pool, query string) ([]string, error) {
	rows, err := p.Query(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("asking: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	return all, nil
}

func planPostgres(ctx context.Context, p *pgxpool.Pool, table string) (lines []string, err error) {
	c, err := pgx.ConnectConfig(ctx, p.Config().ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	const where = " WHERE tenant = $1 AND scope = $2 AND tool = $3 AND key = $4"
	for _, text := range []string{
		"SET plan_cache_mode = force_generic_plan",
		"PREPARE get AS SELECT state FROM " + table + where,
		"PREPARE move AS UPDATE " + table + " SET state = 4" + where + " AND id = $5 AND fence = 1",
	} {
		if _, err := c.Exec(ctx, text); err != nil {
			return nil, fmt.Errorf("preparing: %w", err)
		}
	}
	for _, query := range []string{"get ('', '', '', '')", "move ('', '', '', '', '')"} {
		rows, err := c.Query(ctx, "EXPLAIN (COSTS OFF) EXECUTE "+query, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			return nil, fmt.Errorf("asking: %w", err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, fmt.Errorf("reading: %w", err)
		}
		lines = append(lines, plan...)
	}
	return lines, nil
}
