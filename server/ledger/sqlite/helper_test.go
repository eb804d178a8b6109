package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

func claimOf(key string) ledger.Claim {
	return ledger.Claim{
		Key: ledger.Key{Tenant: "acme", Scope: "ada", Tool: "pay", Key: key}, ID: "op_" + key, Attempt: "at_" + key, Lease: time.Minute,
	}
}

// opened is a ledger in a file of its own.
func opened(tb testing.TB, opts ...Option) (l *Ledger, path string) {
	tb.Helper()
	path = filepath.Join(tb.TempDir(), "ledger.db")
	l, err := Open(tb.Context(), path, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	return l, path
}
