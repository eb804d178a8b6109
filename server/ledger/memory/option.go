package memory

import "time"

// Defaults of [New].
const (
	// DefaultMaxOperations is how many operations are kept at once.
	DefaultMaxOperations = 10_000
	// DefaultMaxOutputs is how many bytes of outputs are kept at once.
	DefaultMaxOutputs = 64 << 20
)

// Option changes what [New] makes.
type Option func(*Ledger)

// WithMaxOperations bounds how many operations are kept at once; the default is [DefaultMaxOperations], also for zero and
// less. What is FREE gives way first, the oldest before the others; where nothing is, a new operation gets [ledger.ErrFull]
// until [Ledger.Expire] made room. Who waited for what became FREE may then find it gone, without its failure. More operations
// need more memory; with fewer, calls are refused sooner.
func WithMaxOperations(n int) Option {
	return func(l *Ledger) {
		if n > 0 {
			l.maxRows = n
		}
	}
}

// WithMaxOutputs bounds how many bytes of outputs are kept at once; the default is [DefaultMaxOutputs], also for zero and
// less. Above it the oldest outputs are dropped, and their receipts stay.
func WithMaxOutputs(bytes int) Option {
	return func(l *Ledger) {
		if bytes > 0 {
			l.maxOutputs = bytes
		}
	}
}

// WithClock sets the time of the ledger, for tests; the default, also for nil, is the clock of the process. It has to be
// safe for concurrent use.
func WithClock(now func() time.Time) Option {
	return func(l *Ledger) {
		if now != nil {
			l.clock = now
		}
	}
}
