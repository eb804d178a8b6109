package memory_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestWait has many wait for a row, and sees them wait until it changes, and none longer.
func TestWait(t *testing.T) {
	t.Parallel()
	const many = 64
	synctest.Test(t, func(t *testing.T) {
		l := memory.New()
		ended := make(chan error, many)
		wait := func(ctx context.Context, key ledger.Key, version int64) {
			t.Helper()
			for range many {
				go func() { ended <- l.Wait(ctx, key, version) }()
			}
			synctest.Wait()
			if len(ended) != 0 {
				t.Fatalf("%d of %d did not wait for another version than %d", len(ended), many, version)
			}
		}
		all := func(what string, want error) {
			t.Helper()
			synctest.Wait()
			if len(ended) != many {
				t.Fatalf("%d of %d waits ended with %s; want all", len(ended), many, what)
			}
			for range many {
				if err := <-ended; !errors.Is(err, want) {
					t.Errorf("Wait() ended with %s = %v; want %v", what, err, want)
				}
			}
		}

		wait(t.Context(), ledger.Key{Key: "1"}, 0)
		row, err := claim(t, l, 1)
		if err != nil {
			t.Fatal(err)
		}
		all("a claim", nil)
		wait(t.Context(), row.Key, row.Version)
		if _, err := claim(t, l, 2); err != nil { // another row
			t.Fatal(err)
		}
		synctest.Wait()
		if len(ended) != 0 {
			t.Error("waits for one row ended with a change of another")
		}
		row = must(t)(l.Cross(t.Context(), row.Hold(), ledger.Crossing{Lease: time.Minute}))
		all("a move", nil)
		row = must(t)(l.Record(t.Context(), row.Hold(), ledger.Receipt{}))
		wait(t.Context(), row.Key, row.Version)
		row = must(t)(l.Judge(t.Context(), row.Hold(), ledger.OK, ""))
		all("a verdict", nil)

		ctx, cancel := context.WithCancel(t.Context())
		wait(ctx, row.Key, row.Version)
		cancel()
		all("their context", context.Canceled)
		wait(t.Context(), row.Key, row.Version)
		time.Sleep(time.Hour) // of the bubble: nothing happens
		if _, err := l.Expire(t.Context(), ledger.Retention{Keys: time.Hour, Limit: 1}); err != nil {
			t.Errorf("Expire() = %v", err)
		}
		all("the row", nil)
		wait(t.Context(), row.Key, 0)
		if err := l.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
		all("the ledger", ledger.ErrUnavailable)
	})
}
