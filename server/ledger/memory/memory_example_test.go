package memory_test

import (
	"context"
	"fmt"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// One call executes its operation, and an equal one gets the receipt of the first.
func Example() {
	ctx := context.Background()
	operations := memory.New()
	key := ledger.Key{Tenant: "acme", Scope: "ada", Tool: "cancel_order", Key: "cancel-7"}

	for _, attempt := range []string{"first", "second"} {
		row, mine, err := operations.Claim(ctx, ledger.Claim{Key: key, ID: "op_" + attempt, Attempt: attempt, Lease: 10 * time.Second})
		if err != nil {
			fmt.Println(err)
			return
		}
		if !mine {
			fmt.Println(attempt, "is answered from a row that is", row.State, string(row.Receipt.Output))
			continue
		}
		if row, mine, err = operations.Cross(ctx, row.Hold(), ledger.Crossing{Lease: 40 * time.Second}); err != nil || !mine {
			fmt.Println(attempt, "may not begin", err)
			return
		}
		fmt.Println(attempt, "cancels the order") // the effect, and only here
		row, _, err = operations.Record(ctx, row.Hold(), ledger.Receipt{Output: []byte(`{"canceled":true}`)})
		fmt.Println(attempt, "has the receipt", string(row.Receipt.Output), err)
	}

	// Output:
	// first cancels the order
	// first has the receipt {"canceled":true} <nil>
	// second is answered from a row that is done {"canceled":true}
}
