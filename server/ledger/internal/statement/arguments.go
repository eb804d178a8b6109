package statement

import (
	"github.com/remedyrpc/remedy/server/ledger"
)

// Arguments are the values of all parameters that a statement may have.
type Arguments struct {
	// Now is the time in microseconds, for a database that has no clock of its own, or a test; nil is the database's own.
	Now *int64
	// Room says that another operation may be stored.
	Room bool

	key                         ledger.Key
	id, attempt                 string
	fence, lease, every         int64
	to, crossed                 int64
	sent, prepared              []byte
	toolVersion, principal, run string
	input, journal, progress    []byte
	output, hash                []byte
	omitted, size, upkeep       int64
	verdict                     int64
	reason, code, note, plain   string
	status                      []byte
	limit, version, created     int64
	trail, entry                string
}

// arguments are the parameters by name.
//
//nolint:gochecknoglobals // a constant that Go cannot write as such
var arguments = map[string]func(*Arguments) any{
	"now":       func(a *Arguments) any { return a.Now },
	"room":      func(a *Arguments) any { return number(a.Room) },
	"tenant":    func(a *Arguments) any { return a.key.Tenant },
	"scope":     func(a *Arguments) any { return a.key.Scope },
	"tool":      func(a *Arguments) any { return a.key.Tool },
	"key":       func(a *Arguments) any { return a.key.Key },
	"id":        func(a *Arguments) any { return a.id },
	"attempt":   func(a *Arguments) any { return a.attempt },
	"fence":     func(a *Arguments) any { return a.fence },
	"lease":     func(a *Arguments) any { return a.lease },
	"every":     func(a *Arguments) any { return a.every },
	"to":        func(a *Arguments) any { return a.to },
	"crossed":   func(a *Arguments) any { return a.crossed },
	"sent":      func(a *Arguments) any { return a.sent },
	"prepared":  func(a *Arguments) any { return a.prepared },
	"toolver":   func(a *Arguments) any { return a.toolVersion },
	"principal": func(a *Arguments) any { return a.principal },
	"run":       func(a *Arguments) any { return a.run },
	"input":     func(a *Arguments) any { return a.input },
	"journal":   func(a *Arguments) any { return a.journal },
	"progress":  func(a *Arguments) any { return a.progress },
	"output":    func(a *Arguments) any { return a.output },
	"hash":      func(a *Arguments) any { return a.hash },
	"omitted":   func(a *Arguments) any { return a.omitted },
	"size":      func(a *Arguments) any { return a.size },
	"upkeep":    func(a *Arguments) any { return a.upkeep },
	"verdict":   func(a *Arguments) any { return a.verdict },
	"reason":    func(a *Arguments) any { return a.reason },
	"code":      func(a *Arguments) any { return a.code },
	"note":      func(a *Arguments) any { return a.note },
	"plain":     func(a *Arguments) any { return a.plain },
	"status":    func(a *Arguments) any { return a.status },
	"limit":     func(a *Arguments) any { return a.limit },
	"version":   func(a *Arguments) any { return a.version },
	"created":   func(a *Arguments) any { return a.created },
	"trail":     func(a *Arguments) any { return a.trail },
	"entry":     func(a *Arguments) any { return a.entry },
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Of returns the arguments of a statement about one key.
func Of(key ledger.Key) *Arguments { return &Arguments{key: key} }

// Key is that of the row.
func (a *Arguments) Key() ledger.Key { return a.key }
