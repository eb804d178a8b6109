package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/internal/statement"
	"github.com/remedyrpc/remedy/server/ledger/internal/waiting"
)

// Ledger is a ledger in a schema of a PostgreSQL database. It is safe for concurrent use.
type Ledger struct {
	store

	options    options
	statements *statement.Statements
	await      *statement.Statement
	pool       *pgxpool.Pool
	channel    string
	room       room
	waiters    waiting.Room[string] // by topic

	open       context.Context // until Close
	close      func()
	listening  sync.Once
	background sync.WaitGroup
	calls      sync.RWMutex // held by each call, and by Close
}

var _ ledger.Ledger = (*Ledger)(nil)

// store is what ledgers of all databases have in common.
type store = statement.Store

// Open connects to a database by its DSN or URL, and migrates its tables. It returns [ErrNotDurable] where the server
// acknowledges what a crash can lose, [ErrNewer] where the tables are of a newer version, and an error that says what to do
// where it cannot connect. pool_max_conns in the DSN is how many connections there are at most.
func Open(ctx context.Context, dsn string, opts ...Option) (*Ledger, error) {
	o := optionsOf(opts)
	config, err := configure(dsn, &o)
	if err != nil {
		return nil, err
	}
	if !o.migrated {
		if err := Migrate(ctx, dsn, opts...); err != nil {
			return nil, err
		}
	}
	l := &Ledger{options: o, channel: channel(o.schema)}
	dialect := l.dialect()
	if l.statements, err = statement.New(dialect); err != nil {
		return nil, err
	}
	if l.await, err = dialect.Statement("await", awaitText); err != nil {
		return nil, err
	}
	if l.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fault(ctx, "connecting", err)
	}
	if err := l.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error { return current(ctx, c.Conn(), &o) }); err != nil {
		l.pool.Close()
		if errors.Is(err, ledger.ErrUnavailable) || errors.Is(err, ErrNewer) || errors.Is(err, ErrOlder) || errors.Is(err, ErrNotDurable) {
			return nil, err //nolint:wrapcheck // it says what to do
		}
		return nil, fault(ctx, "connecting", err)
	}
	l.store = statement.NewStore(database{l}, l.statements)
	var closing context.CancelFunc
	l.open, closing = context.WithCancel(context.WithoutCancel(ctx))
	l.close = sync.OnceFunc(func() {
		closing()
		l.calls.Lock() // for ever: no call begins any more
		l.background.Wait()
		l.pool.Close()
	})
	return l, nil
}

func optionsOf(opts []Option) options {
	o := options{schema: DefaultSchema, timeout: DefaultTimeout}
	for _, option := range opts {
		option(&o)
	}
	return o
}

// awaited is how long a row remembers that somebody waits for it.
const awaited = 10 * time.Second

// awaitText says in a row that somebody waits for it, at most once in half of that time, whoever waits. What is FREE or DONE
// rests: who waits for that looks by itself, and holds up neither claims nor what expires rows.
const awaitText = `
UPDATE {{table}} SET waited_until = {{now}} + 10000000
WHERE tenant = @tenant AND scope = @scope AND tool = @tool AND key = @key AND state NOT IN (1, 4)
  AND waited_until < {{now}} + 5000000`

// dialect is how PostgreSQL says it. The clock is read at each place, not once for a statement: what a statement sets is
// computed anew when it had to wait for its row.
func (l *Ledger) dialect() *statement.Dialect {
	now := "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)"
	if l.options.clock != nil {
		now = "CAST(@now AS bigint)"
	}
	return &statement.Dialect{
		Table: pgx.Identifier{l.options.schema, "operations"}.Sanitize(),
		Now:   now, Find: "strpos", Newline: "chr(10)", Parameter: "$",
		Among: "ctid = ANY(ARRAY(%s))", Place: "ctid", Lock: "FOR UPDATE SKIP LOCKED",
		Returning: fmt.Sprintf(", CASE WHEN waited_until > %s THEN CAST(pg_notify('%s', %s) AS text) ELSE '' END", now,
			strings.ReplaceAll(l.channel, "'", "''"),
			"encode(sha256(convert_to(tenant || '|' || scope || '|' || tool || '|' || key, 'UTF8')), 'hex')"),
	}
}

// channel is what replicas of one schema listen to; its name is at most 63 bytes.
func channel(schema string) string {
	if len(schema) > 40 {
		schema = schema[:40]
	}
	return "remedy:" + strings.ToValidUTF8(schema, "")
}

// Close implements ledger.Ledger. Closing again does nothing.
func (l *Ledger) Close() error {
	l.close()
	return nil
}
