package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/remedyrpc/remedy/server/ledger/internal/schema"
)

//go:embed migration/*.sql
var migrations embed.FS

var (
	// ErrNewer says that the tables are of a newer version, which this one cannot work beside.
	ErrNewer = schema.ErrNewer
	// ErrOlder says that the tables are missing, or of an older version, and were not to be migrated.
	ErrOlder = errors.New("the tables of the ledger are missing or of an older version: migrate the database")
)

// Migrate brings the tables to the schema of this version, and makes them where there are none. [Open] does so, too, unless it
// is told not to. Several processes may do it at once: one migrates, the others wait for it.
func Migrate(ctx context.Context, dsn string, opts ...Option) error {
	o := optionsOf(opts)
	config, err := configure(dsn, &o)
	if err != nil {
		return err
	}
	config.ConnConfig.RuntimeParams["statement_timeout"] = "0" // an index of many rows takes its time
	config.ConnConfig.RuntimeParams["lock_timeout"] = "0"
	c, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return fault(ctx, "connecting to migrate", err)
	}
	err = migrate(ctx, c, &o)
	return errors.Join(err, c.Close(context.WithoutCancel(ctx)))
}

func migrate(ctx context.Context, c *pgx.Conn, o *options) error {
	// Who has nothing to do needs no right to change tables.
	if _, missing, err := look(ctx, c, o); err != nil || len(missing) == 0 {
		return err
	}
	err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error { return apply(ctx, tx, o) })
	if errors.Is(err, ErrNewer) {
		return fmt.Errorf("migrating the tables: %w", err)
	}
	return fault(ctx, "migrating the tables", err)
}

func apply(ctx context.Context, tx pgx.Tx, o *options) error {
	quoted := pgx.Identifier{o.schema}.Sanitize()
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('remedy migrate ' || $1, 0))", o.schema); err != nil {
		return fmt.Errorf("waiting for others who migrate: %w", err)
	}
	have, missing, err := look(ctx, tx, o) // others may have been faster
	if err != nil || len(missing) == 0 {
		return err
	}
	var script strings.Builder
	if have.Number == 0 {
		fmt.Fprintf(&script, "CREATE SCHEMA IF NOT EXISTS %s;\n", quoted)
		fmt.Fprintf(&script, "CREATE TABLE %s.remedy_schema (version bigint NOT NULL, oldest bigint NOT NULL);\n", quoted)
	}
	for _, m := range missing {
		script.WriteString(strings.ReplaceAll(m.SQL, "{{schema}}", quoted))
		fmt.Fprintf(&script, "\nDELETE FROM %[1]s.remedy_schema;\nINSERT INTO %[1]s.remedy_schema VALUES (%[2]d, %[3]d);\n",
			quoted, m.Number, m.Oldest)
	}
	if _, err := tx.Exec(ctx, script.String()); err != nil {
		return fmt.Errorf("to schema %d: %w", missing[len(missing)-1].Number, err)
	}
	return nil
}

// current refuses tables that this version cannot work with as they are.
func current(ctx context.Context, c *pgx.Conn, o *options) error {
	have, missing, err := look(ctx, c, o)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%w (schema %s has version %d, this needs %d)", ErrOlder, o.schema, have.Number, have.Number+len(missing))
	}
	return err
}

// queryer is a connection or a transaction.
type queryer interface {
	QueryRow(ctx context.Context, text string, arguments ...any) pgx.Row
}

// look returns the version of the tables, and the migrations that they need.
func look(ctx context.Context, db queryer, o *options) (schema.Version, []schema.Migration, error) {
	all, err := schema.Load(migrations)
	if err != nil {
		return schema.Version{}, nil, err
	}
	have, err := version(ctx, db, o)
	if err != nil {
		return schema.Version{}, nil, fault(ctx, "reading the version of the tables", err)
	}
	missing, err := schema.Missing(have, all)
	return have, missing, err
}

// version is what the database says of the tables.
func version(ctx context.Context, db queryer, o *options) (schema.Version, error) {
	name := pgx.Identifier{o.schema, "remedy_schema"}.Sanitize()
	var exists bool
	// Not to_regclass, which may answer from before another process made the table.
	const exist = "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'remedy_schema')"
	err := db.QueryRow(ctx, exist, o.schema).Scan(&exists)
	if err != nil || !exists {
		return schema.Version{}, err //nolint:wrapcheck // the caller says what it did
	}
	var v schema.Version
	err = db.QueryRow(ctx, "SELECT coalesce(max(version), 0), coalesce(max(oldest), 0) FROM "+name).Scan(&v.Number, &v.Oldest)
	return v, err //nolint:wrapcheck // the caller says what it did
}
