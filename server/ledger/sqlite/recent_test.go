package sqlite

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/remedyrpc/remedy/server/ledger"
)

func TestRecentRowsAreUnderWay(t *testing.T) {
	t.Parallel()
	l, _ := opened(t)
	claim := claimOf("1")
	row, ok, err := l.Claim(t.Context(), claim)
	if !ok {
		t.Fatal(err)
	}
	if got, known := l.recent.get(claim.Key); !known || got.Version != 1 {
		t.Errorf("after its claim: got %v of version %d; want it", known, got.Version)
	}
	if row, ok, err = l.Cross(t.Context(), row.Hold(), ledger.Crossing{Lease: time.Minute, Journal: []byte("a")}); !ok {
		t.Fatal(err)
	}
	row.Journal[0], row.Trail[0].ID = 'b', "changed" // it is the caller's
	if got, known := l.recent.get(claim.Key); !known || got.Version != 2 || got.Journal[0] != 'a' || got.Trail[0].ID != claim.ID {
		t.Errorf("after its crossing: got %v, %+v; want it as it is stored", known, got)
	}
	if _, ok, err := l.Record(t.Context(), row.Hold(), ledger.Receipt{}); !ok {
		t.Fatal(err)
	}
	if _, known := l.recent.get(claim.Key); known {
		t.Error("what is done is still under way")
	}
}

// What is remembered may be wrong: who relies on it says which version it is.
func TestRecentRowIsAnotherOneByNow(t *testing.T) {
	t.Parallel()
	l, _ := opened(t)
	row, ok, err := l.Claim(t.Context(), claimOf("1"))
	if !ok {
		t.Fatal(err)
	}
	const script = "UPDATE operations SET version = 7, run_id = 'changed'"
	if err := l.writer.do(t.Context(), func() error { return l.writer.conn.exec(t.Context(), script) }); err != nil {
		t.Fatal(err)
	}
	crossed, ok, err := l.Cross(t.Context(), row.Hold(), ledger.Crossing{Lease: time.Minute})
	if !ok || crossed.Version != 8 || crossed.RunID != "changed" {
		t.Errorf("got %+v, %v, %v; want the row that there is", crossed, ok, err)
	}
	stored, err := l.Get(t.Context(), row.Key)
	if diff := cmp.Diff(crossed, stored); err != nil || diff != "" {
		t.Errorf("Get() = %v; -returned +stored\n%s", err, diff)
	}
}

func TestRecentIsBounded(t *testing.T) {
	t.Parallel()
	var r recent
	for i := range 3 * recentRows {
		r.put(&ledger.Row{Key: ledger.Key{Key: strconv.Itoa(i)}, State: ledger.Effect})
	}
	if len(r.rows) == 0 || len(r.rows) > recentRows {
		t.Errorf("%d rows are remembered; want some, and at most %d", len(r.rows), recentRows)
	}
	large := ledger.Row{Key: ledger.Key{Key: "large"}, State: ledger.Effect, Input: make([]byte, recentInput+1)}
	r.put(&large)
	if _, known := r.get(large.Key); known {
		t.Error("a large input is remembered")
	}
}
