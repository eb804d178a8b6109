package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	l, err := sqlite.Open(ctx, filepath.Join(dir, "ledger.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()

	key := ledger.Key{Tenant: "acme", Scope: "ada", Tool: "cancel_order", Key: "order 1"}
	row, ok, err := l.Claim(ctx, ledger.Claim{Key: key, ID: "op_1", Attempt: "at_1", Lease: 10 * time.Second})
	fmt.Println(row.State, ok, err)
	row, ok, err = l.Cross(ctx, row.Hold(), ledger.Crossing{Lease: 40 * time.Second})
	fmt.Println(row.State, ok, err) // what costs money is done after this, and only if it is true
	row, ok, err = l.Record(ctx, row.Hold(), ledger.Receipt{Output: []byte(`{"state":"cancelled"}`)})
	fmt.Println(row.State, ok, err)

	// An equal retry finds the receipt.
	row, ok, err = l.Claim(ctx, ledger.Claim{Key: key, ID: "op_2", Attempt: "at_2", Lease: 10 * time.Second})
	fmt.Println(row.State, ok, err, string(row.Receipt.Output))
	// Output:
	// claimed true <nil>
	// effect true <nil>
	// done true <nil>
	// done false <nil> {"state":"cancelled"}
}
