package sqlite

import (
	"fmt"
	"time"
)

// Durability is what an acknowledged move survives.
type Durability int

const (
	// PowerCut survives a power cut, if the disk keeps what it synced. The default.
	PowerCut Durability = iota
	// Process survives only the end of the process. A power cut, or a crash of the machine, loses moves that were
	// acknowledged, so that an effect may happen twice: for development only.
	Process
)

// String returns the name that flags use.
func (d Durability) String() string {
	switch d {
	case PowerCut:
		return "power-cut"
	case Process:
		return "process"
	default:
		return fmt.Sprintf("Durability(%d)", int(d))
	}
}

func (d Durability) synchronous() string {
	if d == Process {
		return "NORMAL"
	}
	return "FULL"
}

// Option changes how a ledger is opened.
type Option func(*options)

type options struct {
	durability    Durability
	maxOperations int64
	checked       bool
	clock         func() time.Time

	// Of tests: a bound of the file, and the virtual file system of SQLite.
	maxPages int64
	vfs      string
}

// WithDurability says what an acknowledged move survives. The default is [PowerCut]; [Process] is faster and not safe.
func WithDurability(d Durability) Option { return func(o *options) { o.durability = d } }

// WithMaxOperations bounds how many operations are stored; Claim returns ledger.ErrFull above it. The default, and what is not
// above zero, is no bound.
func WithMaxOperations(n int64) Option { return func(o *options) { o.maxOperations = max(n, 0) } }

// WithoutCheck leaves out the check of the file's structure when it is opened, which takes about a second for each 100 MB.
func WithoutCheck() Option { return func(o *options) { o.checked = false } }

// WithClock replaces the clock, for tests. The default is that of the machine; nil is the default.
func WithClock(now func() time.Time) Option {
	return func(o *options) {
		if now != nil {
			o.clock = now
		}
	}
}
