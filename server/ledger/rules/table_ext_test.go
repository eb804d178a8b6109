package rules_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/rules"
)

// TestTable makes every move of every row that moves can make, and compares what happens with the table in the comment of
// package ledger.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[rowState]bool{{}: true}
	queue := []rowState{{}}
	found := make(map[string]bool)
	for len(queue) > 0 {
		before := queue[0]
		queue = queue[1:]
		row := before.unpack()
		for _, m := range everyMove(&row) {
			next, ok := m.make(row)
			checkMove(t, m, row, next, ok)
			if moved, ok := lastMove(row, next); ok {
				found[moved.From.String()+" → "+moved.To.String()] = true
			}
			if next.Fence > 4 || next.Crossings > 2 {
				continue
			}
			after := pack(next)
			for _, s := range []rowState{after, passed(after)} {
				if !seen[s] {
					seen[s] = true
					queue = append(queue, s)
				}
			}
		}
	}
	t.Logf("%d rows, %d moves", len(seen), len(found))
	if diff := cmp.Diff(slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(documented(t)))); diff != "" {
		t.Errorf("the moves of %d rows, and those of the table: -got +want\n%s", len(seen), diff)
	}
}

// lastMove is the one by which a row became the next; a change need not be one.
func lastMove(row, next ledger.Row) (ledger.Move, bool) {
	if len(next.Trail) == len(row.Trail) {
		return ledger.Move{}, false
	}
	return next.Trail[len(next.Trail)-1], true
}

// course is the order in which a row comes to states under one fence.
var course = []ledger.State{
	ledger.None, ledger.Claimed, ledger.Effect, ledger.Unknown, ledger.Closed, ledger.Done, ledger.Free,
}

func passed(r rowState) rowState {
	r.leased, r.acts = false, false
	return r
}

// checkMove holds what is so of every move.
func checkMove(t *testing.T, m oneMove, row, next ledger.Row, ok bool) {
	t.Helper()
	fail := func(what string) {
		t.Helper()
		t.Errorf("%s of %+v: %s: %+v", m.name, pack(row), what, pack(next))
	}
	changed := next.Version != row.Version
	if changed == reflect.DeepEqual(next, row) {
		fail("the version does not tell whether the row changed")
	}
	if changed && next.Version != row.Version+1 {
		fail("the version is not the next one")
	}
	if next.Fence < row.Fence || next.Fence > row.Fence+1 {
		fail("the fence is not the same or the next one")
	}
	if again, okAgain := m.make(next); ok && (!okAgain || !reflect.DeepEqual(again, next)) {
		fail("asked again, it does not find its own result")
	}
	if next.ID != row.ID && row.State != ledger.None && row.State != ledger.Free {
		fail("another operation took the place of one that is not free")
	}
	if held := next.State == ledger.Claimed || next.State == ledger.Effect; held == next.LeaseUntil.IsZero() {
		fail("a lease without an owner, or an owner without a lease")
	}
	if moved, ok := lastMove(row, next); ok && (moved.To != next.State || moved.From != row.State || moved.ID != next.ID) {
		fail("the trail tells another move")
	}
	if next.Fence == row.Fence && slices.Index(course, next.State) < slices.Index(course, row.State) {
		fail("a row comes back to a state under one fence, and what was asked for before could be made again")
	}
	if changed && next.State == ledger.Claimed && next.Crossings > 0 && pack(next).redone != (m.name == "Redo") {
		fail("it cannot be told whether Redo led to it")
	}
	if m.name == "Redo" && ok && !changed && !pack(row).redone {
		fail("it takes what another move made for its own")
	}
}

type oneMove struct {
	name string
	make func(ledger.Row) (ledger.Row, bool)
}

// everyMove is everything that can be asked of a row, by three attempts and three fences.
func everyMove(row *ledger.Row) []oneMove {
	var all []oneMove
	add := func(name string, how func(ledger.Row) (ledger.Row, bool)) { all = append(all, oneMove{name, how}) }
	crossing := ledger.Crossing{Lease: leaseTime}
	for n := range 3 {
		claim := ledger.Claim{Key: key, ID: opIDs[n+1], Attempt: names[n], Sent: digestOf(intents[n]), Lease: leaseTime}
		add("Claim", func(r ledger.Row) (ledger.Row, bool) { return rules.Claim(r, claim, now) })
		immediate := claim
		immediate.Immediate = &crossing
		add("Claim, immediate", func(r ledger.Row) (ledger.Row, bool) { return rules.Claim(r, immediate, now) })
		recovery := ledger.Recovery{Key: key, Attempt: names[n], Lease: leaseTime}
		add("Recover", func(r ledger.Row) (ledger.Row, bool) { return rules.Recover(r, recovery, now) })
		hold := row.Hold()
		hold.Fence += int64(n) - 1
		add("Cross", func(r ledger.Row) (ledger.Row, bool) { return rules.Cross(r, hold, crossing, now) })
		add("Free", func(r ledger.Row) (ledger.Row, bool) { return rules.Free(r, hold, ledger.Failure{}, now) })
		add("Record", func(r ledger.Row) (ledger.Row, bool) { return rules.Record(r, hold, ledger.Receipt{}, now) })
		add("Judge", func(r ledger.Row) (ledger.Row, bool) { return rules.Judge(r, hold, ledger.Verdict(n), "", now) })
		add("Park", func(r ledger.Row) (ledger.Row, bool) { return rules.Park(r, hold, "", now) })
		add("Redo", func(r ledger.Row) (ledger.Row, bool) { return rules.Redo(r, hold, leaseTime, now) })
	}
	for _, applied := range []bool{true, false} {
		add("Resolve", func(r ledger.Row) (ledger.Row, bool) {
			r, ok, err := rules.Resolve(r, ledger.Resolution{ID: r.ID, Applied: applied}, now)
			return r, ok && err == nil
		})
	}
	add("Purge", func(r ledger.Row) (ledger.Row, bool) { return rules.Purge(r, now) })
	// A sweep of the same row again is another sweep, so it is not asked for again.
	add("Sweep", func(r ledger.Row) (ledger.Row, bool) {
		r, _ = rules.Sweep(r, ledger.Sweep{Attempt: names[sweeper], Lease: leaseTime}, now)
		return r, false
	})
	return all
}

// documented are the moves of the table.
func documented(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	moves := make(map[string]bool)
	for _, line := range regexp.MustCompile(`(?m)^//\t(.*) → (\w+) {2}`).FindAllStringSubmatch(string(text), -1) {
		for _, from := range regexp.MustCompile(`none|[A-Z]+`).FindAllString(line[1], -1) {
			moves[fmt.Sprintf("%s → %s", strings.ToLower(from), strings.ToLower(line[2]))] = true
		}
	}
	return moves
}
