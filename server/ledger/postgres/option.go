package postgres

import "time"

// Defaults of [Open].
const (
	// DefaultSchema is the schema of the tables.
	DefaultSchema = "remedy"
	// DefaultTimeout is how long the server works at one statement.
	DefaultTimeout = 5 * time.Second
)

// Option changes how a ledger is opened.
type Option func(*options)

type options struct {
	schema        string
	timeout       time.Duration
	maxOperations int64
	migrated      bool
	clock         func() time.Time
}

// WithSchema names the schema of the tables. The default, also for an empty name, is [DefaultSchema].
func WithSchema(name string) Option {
	return func(o *options) {
		if name != "" {
			o.schema = name
		}
	}
}

// WithTimeout bounds how long the server works at one statement, and so how late a move may be made whose connection was lost.
// The default, also for zero and less, is [DefaultTimeout]. It has to be shorter than the margin of the leases.
func WithTimeout(d time.Duration) Option {
	return func(o *options) {
		if d > 0 {
			o.timeout = d
		}
	}
}

// WithMaxOperations bounds how many operations are stored; Claim returns ledger.ErrFull above it. The default, and what is not
// above zero, is no bound. They are counted every few seconds, so replicas may exceed it by what they claim in between.
func WithMaxOperations(n int64) Option { return func(o *options) { o.maxOperations = max(n, 0) } }

// WithoutMigration leaves the tables as they are, for a role that may not change them: run [Migrate] with another one before.
func WithoutMigration() Option { return func(o *options) { o.migrated = true } }

// WithClock replaces the clock of the database, for tests. The default, also for nil, is that of the database.
func WithClock(now func() time.Time) Option { return func(o *options) { o.clock = now } }
