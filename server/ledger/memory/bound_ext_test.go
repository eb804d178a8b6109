package memory_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/ledgertest"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// claim claims the nth key.
func claim(t *testing.T, l *memory.Ledger, n int) (ledger.Row, error) {
	t.Helper()
	name := strconv.Itoa(n)
	row, ok, err := l.Claim(t.Context(), ledger.Claim{Key: ledger.Key{Key: name}, ID: "op" + name, Attempt: "at" + name, Lease: time.Minute})
	if err == nil && !ok {
		t.Fatalf("Claim(%d) = false; want true", n)
	}
	return row, err
}

// must takes what a move returned, which has to have been made.
func must(t *testing.T) func(row ledger.Row, ok bool, err error) ledger.Row {
	t.Helper()
	return func(row ledger.Row, ok bool, err error) ledger.Row {
		t.Helper()
		if err != nil || !ok {
			t.Fatalf("a move returned %v, %v; want true", ok, err)
		}
		return row
	}
}

// complete records an output for the nth key.
func complete(t *testing.T, l *memory.Ledger, n int, output string) ledger.Row {
	t.Helper()
	row, err := claim(t, l, n)
	if err != nil {
		t.Fatal(err)
	}
	must(t)(l.Cross(t.Context(), row.Hold(), ledger.Crossing{Lease: time.Minute}))
	return must(t)(l.Record(t.Context(), row.Hold(), ledger.Receipt{Output: []byte(output)}))
}

// TestMaxOperations fills a ledger: what is FREE gives way, the oldest first; nothing else does.
func TestMaxOperations(t *testing.T) {
	t.Parallel()
	clock := ledgertest.NewClock()
	l := memory.New(memory.WithClock(clock.Now), memory.WithMaxOperations(3))
	var rows []ledger.Row
	for n := range 3 {
		row, err := claim(t, l, n)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if _, err := claim(t, l, 3); !errors.Is(err, ledger.ErrFull) {
		t.Errorf("Claim() of one more = %v; want %v", err, ledger.ErrFull)
	}
	for _, n := range []int{2, 1} { // freed in this order
		must(t)(l.Free(t.Context(), rows[n].Hold(), ledger.Failure{}))
	}
	if _, err := claim(t, l, 3); err != nil {
		t.Errorf("Claim() while something is free = %v", err)
	}
	for n, want := range map[int]ledger.State{0: ledger.Claimed, 1: ledger.Free, 2: ledger.None, 3: ledger.Claimed} {
		row, err := l.Get(t.Context(), ledger.Key{Key: strconv.Itoa(n)})
		if err != nil || row.State != want {
			t.Errorf("Get(%d) = %v, %v; want %v", n, row.State, err, want)
		}
	}
	// A key that is known needs no room.
	row := must(t)(l.Claim(t.Context(), ledger.Claim{Key: ledger.Key{Key: "1"}, ID: "op5", Attempt: "at5", Lease: time.Minute}))
	if row.Fence != 2 {
		t.Errorf("Claim() of a free key returned fence %d; want 2", row.Fence)
	}
	must(t)(l.Cross(t.Context(), row.Hold(), ledger.Crossing{Lease: time.Minute}))
	must(t)(l.Record(t.Context(), row.Hold(), ledger.Receipt{}))
	if _, err := claim(t, l, 4); !errors.Is(err, ledger.ErrFull) {
		t.Errorf("Claim() of one more = %v; want %v", err, ledger.ErrFull)
	}
	clock.Advance(time.Hour)
	expired, err := l.Expire(t.Context(), ledger.Retention{Keys: time.Hour, Limit: 10})
	if err != nil || expired.Rows != 1 {
		t.Errorf("Expire() = %+v, %v; want 1 row", expired, err)
	}
	if _, err := claim(t, l, 4); err != nil {
		t.Errorf("Claim() after Expire() = %v", err)
	}
}

// TestMaxOutputs keeps the newest outputs, and all receipts.
func TestMaxOutputs(t *testing.T) {
	t.Parallel()
	l := memory.New(memory.WithMaxOutputs(10))
	first := complete(t, l, 0, "12345")
	complete(t, l, 1, "12345")
	must(t)(l.Judge(t.Context(), first.Hold(), ledger.OK, "")) // makes it no younger
	complete(t, l, 2, "1")
	for n, want := range []ledger.Omitted{ledger.Dropped, ledger.Kept, ledger.Kept} {
		row, err := l.Get(t.Context(), ledger.Key{Key: strconv.Itoa(n)})
		if err != nil || row.State != ledger.Done || row.Receipt.Omitted != want {
			t.Errorf("Get(%d) = %v with an output that is omitted: %d, %v; want %d", n, row.State, row.Receipt.Omitted, err, want)
		}
	}
	if row := complete(t, l, 3, "longer than all of it"); row.Receipt.Omitted != ledger.Dropped || row.Receipt.Output != nil {
		t.Errorf("Record() of what is larger than all that is kept returned %+v; want it dropped", row.Receipt)
	}
	if row, err := l.Get(t.Context(), first.Key); err != nil || row.Verdict != ledger.OK {
		t.Errorf("Get() = verdict %d, %v; want it kept with its receipt", row.Verdict, err)
	}
}

// TestDefaults: options of zero and nil are the defaults, and time is that of the process.
func TestDefaults(t *testing.T) {
	t.Parallel()
	l := memory.New(memory.WithMaxOperations(0), memory.WithMaxOutputs(-1), memory.WithClock(nil))
	before := time.Now()
	row := complete(t, l, 0, "{}")
	if at := row.Receipt.CompletedAt; at.Before(before) || at.After(time.Now()) || at.Location() != time.UTC {
		t.Errorf("CompletedAt = %v; want the time of the process, in UTC", at)
	}
}
