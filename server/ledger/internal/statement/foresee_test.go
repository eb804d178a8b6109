package statement

import (
	"testing"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/rules"
)

// What is foreseen is stored in microseconds, and only a move by a right owner is foreseen at all.
func TestForesee(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	micro := now.UnixMicro()
	claimed := ledger.Row{State: ledger.Claimed, Version: 3, ID: "op_1", Attempt: "at_1", Fence: 2}
	crossing := ledger.Crossing{Lease: time.Second + 7*time.Nanosecond}
	cross := func(hold ledger.Hold) Rule {
		return always(func(seen Seen) (ledger.Row, bool) { return rules.Cross(seen.Row, hold, crossing, seen.Now) })
	}
	a := &Arguments{Now: &micro}
	got, ok := a.Foresee(cross(claimed.Hold()), claimed)
	until := now.Add(time.Second)
	if !ok || got.State != ledger.Effect || got.Version != 4 || !got.LeaseUntil.Equal(until) || !got.ActsUntil.Equal(until) {
		t.Errorf("got %v, %+v", ok, got)
	}
	if a.version != 3 || a.entry != "1767323045000006|2|3|2|op_1|at_1|\"\" \"\"\n" {
		t.Errorf("got version %d, entry %q", a.version, a.entry)
	}
	if got, ok := a.Foresee(cross(ledger.Hold{ID: "op_1", Fence: 1}), claimed); ok {
		t.Errorf("under another fence: got %+v", got)
	}
	crossed := got.Row
	if got, ok := a.Foresee(cross(claimed.Hold()), crossed); ok {
		t.Errorf("asked again: got %+v; want that nothing is to be made", got)
	}
}
