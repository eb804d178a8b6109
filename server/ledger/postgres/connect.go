package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNotDurable says that the server acknowledges what a crash can lose.
var ErrNotDurable = errors.New("the server acknowledges commits that a crash can lose")

// configure reads a DSN, and adds what every connection has.
func configure(dsn string, o *options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("the DSN of the ledger: %w", err) // without its password
	}
	milliseconds := strconv.FormatInt(o.timeout.Milliseconds(), 10)
	parameters := config.ConnConfig.RuntimeParams
	parameters["statement_timeout"] = milliseconds
	parameters["lock_timeout"] = milliseconds
	parameters["idle_in_transaction_session_timeout"] = milliseconds
	parameters["default_transaction_isolation"] = "read committed" // a guard is looked at again when its row was locked
	parameters["enable_seqscan"] = "off"                           // a plan that was made while the table was empty is used when it is not
	parameters["jit"] = "off"                                      // which would compile the few plans that have no other way
	if parameters["application_name"] == "" {
		parameters["application_name"] = "remedy"
	}
	if config.ConnConfig.ValidateConnect == nil {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	config.AfterConnect = durable
	return config, nil
}

// durable looks at each new connection, because the server behind an address may become another one.
func durable(ctx context.Context, c *pgx.Conn) error {
	var fsync, commit string
	err := c.QueryRow(ctx, "SELECT current_setting('fsync'), current_setting('synchronous_commit')").Scan(&fsync, &commit)
	switch {
	case err != nil:
		return fmt.Errorf("reading the settings of the server: %w", err)
	case fsync != "on":
		return fmt.Errorf("%w: fsync is %s; set it to on in the server's configuration", ErrNotDurable, fsync)
	case commit != "on" && commit != "remote_apply":
		return fmt.Errorf("%w: synchronous_commit is %s; set it to on for the server, or for the role of the ledger: "+
			"ALTER ROLE … SET synchronous_commit = on", ErrNotDurable, commit)
	default:
		return nil
	}
}
