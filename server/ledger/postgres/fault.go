package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/remedyrpc/remedy/server/ledger"
)

// errNotOpen is of every call after Close.
var errNotOpen = fmt.Errorf("%w: it was closed", ledger.ErrUnavailable)

// remedies say what to do about an error of the server, by its SQLSTATE.
//
//nolint:gochecknoglobals // a constant that Go cannot write as such
var remedies = map[string]string{
	"25006": "the server is a standby, or read-only: connect to the primary",
	"28000": "make the role of the ledger, or give it the right to log in",
	"28P01": "correct the password of the ledger's role",
	"3D000": "make the database, or name another one",
	"3F000": "the schema is missing: migrate the database",
	"42501": "give the role of the ledger the right to use its schema and tables",
	"42703": "the tables are of another version: migrate the database",
	"42P01": "the tables are missing: migrate the database",
	"53100": "free space on the disk of the database",
	"53300": "raise max_connections of the server, or lower pool_max_conns",
	"55P03": "another transaction held the row too long: look for what else uses the tables",
	"57014": "the server took longer than the time for a statement: look at its load",
}

// fault says what an error means, and what to do about it. It wraps [ledger.ErrUnavailable]: a statement whose answer did not
// come may have been committed.
func fault(ctx context.Context, doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %s: %w", ledger.ErrUnavailable, doing, context.Cause(ctx))
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && remedies[e.Code] != "" {
		return fmt.Errorf("%w: %s: %s: %w", ledger.ErrUnavailable, doing, remedies[e.Code], err)
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
		return fmt.Errorf("%w: %s: look whether the server runs, and whether host and port are right: %w", ledger.ErrUnavailable, doing, err)
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return fmt.Errorf("%w: %s: correct the name of the host: %w", ledger.ErrUnavailable, doing, err)
	}
	return fmt.Errorf("%w: %s: %w", ledger.ErrUnavailable, doing, err)
}
