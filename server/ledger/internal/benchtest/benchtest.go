// Package benchtest measures ledgers in the same way, whatever they store in.
package benchtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// Callers are how many callers are measured at once.
func Callers() []int { return []int{1, 4, 16, 32, 64} }

// Run measures whole operations, for each number of callers, by two ways: three moves, and two with an immediate claim.
func Run(b *testing.B, open func(b *testing.B) ledger.Ledger) {
	b.Helper()
	for _, way := range []string{"claim+cross+record", "immediate"} {
		for _, callers := range Callers() {
			b.Run(fmt.Sprintf("%s/callers=%d", way, callers), func(b *testing.B) {
				l := open(b)
				Parallel(b, callers, func(ctx context.Context, n int64) error {
					return Operation(ctx, l, strconv.FormatInt(n, 10), way == "immediate")
				})
			})
		}
	}
}

// Parallel has so many callers do b.N things, and reports how many a second were done.
func Parallel(b *testing.B, callers int, do func(ctx context.Context, n int64) error) {
	b.Helper()
	b.ReportAllocs()
	var next atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	begin := time.Now()
	for range callers {
		group.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(b.N) {
					return
				}
				if err := do(b.Context(), n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(b.N)/time.Since(begin).Seconds(), "ops/s")
	b.ReportMetric(0, "ns/op")
}

// Operation is one operation from its claim to its receipt.
func Operation(ctx context.Context, l ledger.Ledger, name string, immediate bool) error {
	output := []byte(`{"orderId":"ord_1","state":"cancelled","refund":{"amount":"12.50","currency":"EUR"}}`)
	sum := sha256.Sum256([]byte(name)) // keys have no order
	claim := ledger.Claim{
		Key: ledger.Key{
			Tenant: "acme", Scope: "https://issuer.example/users/ada", Tool: "cancel_order", Key: hex.EncodeToString(sum[:12]),
		},
		ID: fmt.Sprintf("op_%x", sum[8:22]), Attempt: fmt.Sprintf("at_%x", sum[10:24]), Sent: sum, Prepared: sum,
		Version: "v1", Principal: "ada", Lease: 10 * time.Second,
	}
	crossing := ledger.Crossing{Lease: 40 * time.Second}
	if immediate {
		claim.Immediate = &crossing
	}
	row, ok, err := l.Claim(ctx, claim)
	if err == nil && ok && !immediate {
		row, ok, err = l.Cross(ctx, row.Hold(), crossing)
	}
	if err == nil && ok {
		row, ok, err = l.Record(ctx, row.Hold(), ledger.Receipt{Output: output, Size: int64(len(output)), Hash: sha256.Sum256(output)})
	}
	if err == nil && !ok {
		err = fmt.Errorf("the operation is %v", row.State)
	}
	return err
}
