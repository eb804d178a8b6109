package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/remedyrpc/remedy/server/ledger"
)

// testRules makes random sequences of moves on the store and on the pure rules, and compares all rows in all fields. One
// store serves all sequences, because some are slow to make, until one of them found a difference.
func testRules(s *suite) {
	pair := &pair{s: s, rules: newReference(s.clock)}
	rapid.Check(s.T, func(t *rapid.T) {
		if pair.differ {
			s := pair.s.restart()
			s.restart, pair.s, pair.rules, pair.differ = pair.s.restart, s, newReference(s.clock), false
		}
		pair.differ = true // until it is known not to
		(&walk{T: t, pair: pair, ctx: s.Context(), tenant: pair.s.name("tenant")}).run()
		pair.differ = false
	})
}

// pair is a store and the rules, in step.
type pair struct {
	s      *suite
	rules  *reference
	differ bool
}

// walk is one sequence of moves on a few keys of its own.
type walk struct {
	*rapid.T
	pair   *pair
	ctx    context.Context
	tenant string
	holds  []ledger.Hold // ever got
	names  []string      // attempts and ids ever used
}

func (w *walk) run() {
	moves := w.moves()
	for range rapid.IntRange(1, 25).Draw(w.T, "length") {
		name := rapid.SampledFrom(order).Draw(w.T, "move")
		moves[name]()
		w.compareAll()
	}
	// What is left may not move in the sequences to come.
	w.pair.s.clock.Advance(time.Hour)
	taken := w.sweep(1000)
	for i := range taken {
		hold := taken[i].Hold()
		w.both("park", func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Park(w.ctx, hold, "the end") })
	}
	w.compareAll()
}

// order are the names of moves; the frequent ones stand there more than once.
var order = []string{
	"claim", "claim", "claim", "claim", "cross", "cross", "cross", "free", "free", "record", "record", "judge", "park", "progress",
	"recover", "recover", "redo", "redo", "resolve", "sweep", "expire", "purge", "advance", "advance", "advance", "find",
}

func (w *walk) moves() map[string]func() {
	move := func(name string, ask func(hold ledger.Hold) func(ledger.Ledger) (ledger.Row, bool, error)) func() {
		return func() { w.both(name, ask(w.hold())) }
	}
	return map[string]func(){
		"claim": func() {
			claim := w.claim()
			w.both("claim", func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Claim(w.ctx, claim) })
		},
		"cross": move("cross", func(h ledger.Hold) func(ledger.Ledger) (ledger.Row, bool, error) {
			c := ledger.Crossing{Lease: w.lease(), Journal: w.bytes()}
			return func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Cross(w.ctx, h, c) }
		}),
		"free": move("free", func(h ledger.Hold) func(ledger.Ledger) (ledger.Row, bool, error) {
			f := ledger.Failure{Code: w.text(), Status: w.bytes()}
			return func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Free(w.ctx, h, f) }
		}),
		"record": move("record", func(h ledger.Hold) func(ledger.Ledger) (ledger.Row, bool, error) {
			r := w.receipt()
			return func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Record(w.ctx, h, r) }
		}),
		"judge": move("judge", func(h ledger.Hold) func(ledger.Ledger) (ledger.Row, bool, error) {
			v, reason := rapid.SampledFrom([]ledger.Verdict{ledger.Pending, ledger.OK, ledger.Failed}).Draw(w.T, "verdict"), w.text()
			return func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Judge(w.ctx, h, v, reason) }
		}),
		"progress": move("progress", func(h ledger.Hold) func(ledger.Ledger) (ledger.Row, bool, error) {
			progress := w.bytes()
			return func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Progress(w.ctx, h, progress) }
		}),
		"park": move("park", func(h ledger.Hold) func(ledger.Ledger) (ledger.Row, bool, error) {
			reason := w.text()
			return func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Park(w.ctx, h, reason) }
		}),
		"recover": func() {
			r := ledger.Recovery{Key: w.key(), Attempt: w.name("at_"), Lease: w.lease(), Every: w.lease()}
			w.both("recover", func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Recover(w.ctx, r) })
		},
		"redo": move("redo", func(h ledger.Hold) func(ledger.Ledger) (ledger.Row, bool, error) {
			lease := w.lease()
			return func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Redo(w.ctx, h, lease) }
		}),
		"resolve": func() {
			r := ledger.Resolution{
				Tenant: w.tenant, ID: w.hold().ID, Applied: rapid.Bool().Draw(w.T, "applied"), Output: w.bytes(),
				Actor: "olga", Reason: w.text(),
			}
			w.both("resolve", func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Resolve(w.ctx, r) })
		},
		"purge": func() {
			id := w.hold().ID
			w.both("purge", func(l ledger.Ledger) (ledger.Row, bool, error) { return l.Purge(w.ctx, w.tenant, id) })
		},
		"find": func() {
			id := w.hold().ID
			w.both("find", func(l ledger.Ledger) (ledger.Row, bool, error) {
				row, err := l.Find(w.ctx, w.tenant, id)
				return row, true, err
			})
		},
		"sweep":  func() { w.sweep(1000) },
		"expire": w.expire,
		"advance": func() {
			steps := []time.Duration{time.Millisecond, time.Second, 7 * time.Second, 30 * time.Second, time.Minute}
			w.pair.s.clock.Advance(rapid.SampledFrom(steps).Draw(w.T, "time"))
		},
	}
}

// both makes a move on the store and on the rules.
func (w *walk) both(name string, ask func(ledger.Ledger) (ledger.Row, bool, error)) {
	got, ok, err := ask(w.pair.s.Ledger)
	want, wantOK, wantErr := ask(w.pair.rules)
	w.remember(want)
	w.Logf("%s: %v %v of %v at fence %d", name, wantOK, wantErr, want.State, want.Fence)
	if diff := diffRows(got, want); diff != "" || ok != wantOK || !errors.Is(err, wantErr) {
		w.Fatalf("%s = %v, %v; want %v, %v; -got +want\n%s", name, ok, err, wantOK, wantErr, diff)
	}
}

func (w *walk) sweep(limit int) []ledger.Row {
	sweep := ledger.Sweep{Attempt: w.name("at_"), Lease: w.lease(), Limit: limit}
	got, err := w.pair.s.Sweep(w.ctx, sweep)
	if err != nil {
		w.Fatalf("Sweep() = %v", err)
	}
	want, _ := w.pair.rules.Sweep(w.ctx, sweep)
	byID := func(a, b ledger.Row) int { return strings.Compare(a.Tenant+a.ID, b.Tenant+b.ID) }
	slices.SortFunc(got, byID)
	slices.SortFunc(want, byID)
	if diff := diffRows(got, want); diff != "" {
		w.Fatalf("Sweep(): -got +want\n%s", diff)
	}
	for i := range want {
		w.remember(want[i])
	}
	return want
}

func (w *walk) expire() {
	retention := ledger.Retention{Outputs: w.lease(), Keys: 3 * w.lease(), Limit: 1000}
	got, err := w.pair.s.Expire(w.ctx, retention)
	want, _ := w.pair.rules.Expire(w.ctx, retention)
	if err != nil || got != want {
		w.Fatalf("Expire() = %+v, %v; want %+v", got, err, want)
	}
}

// compareAll compares the rows of the keys of this walk.
func (w *walk) compareAll() {
	for _, key := range w.keys() {
		got, err := w.pair.s.Get(w.ctx, key)
		if err != nil {
			w.Fatalf("Get() = %v", err)
		}
		want, _ := w.pair.rules.Get(w.ctx, key)
		if diff := diffRows(got, want); diff != "" {
			w.Fatalf("Get(): -got +want\n%s", diff)
		}
	}
}

func (w *walk) remember(row ledger.Row) {
	if hold := row.Hold(); row.ID != "" && row.Tenant == w.tenant && !slices.Contains(w.holds, hold) {
		w.holds = append(w.holds, hold)
	}
}

func (w *walk) keys() []ledger.Key {
	return []ledger.Key{
		{Tenant: w.tenant, Scope: "ada", Tool: "pay", Key: "1"},
		{Tenant: w.tenant, Scope: "bob", Tool: "pay", Key: "1"},
	}
}

func (w *walk) key() ledger.Key { return rapid.SampledFrom(w.keys()).Draw(w.T, "key") }

// hold is mostly one that somebody got, and mostly the last.
func (w *walk) hold() ledger.Hold {
	if len(w.holds) == 0 {
		return ledger.Hold{Key: w.key(), ID: "op_none", Fence: 1}
	}
	back := rapid.SampledFrom([]int{1, 1, 1, 1, 2, 2, 3, 5}).Draw(w.T, "hold")
	hold := w.holds[max(0, len(w.holds)-back)]
	switch rapid.IntRange(0, 15).Draw(w.T, "wrong") {
	case 0:
		hold.Fence++
	case 1:
		hold.ID = "op_none"
	case 2:
		hold.Key = w.key()
	}
	return hold
}

// name is mostly a new one.
func (w *walk) name(kind string) string {
	if len(w.names) > 0 && rapid.IntRange(0, 4).Draw(w.T, "used name") == 0 {
		return rapid.SampledFrom(w.names).Draw(w.T, "name")
	}
	name := fmt.Sprintf("%s%s%d", kind, w.tenant, len(w.names))
	w.names = append(w.names, name)
	return name
}

func (w *walk) claim() ledger.Claim {
	claim := ledger.Claim{
		// An id belongs to one key: that is for callers to keep.
		Key: w.key(), Attempt: w.name("at_"), Prepared: digest(w.text()),
		Sent:    digest(rapid.SampledFrom([]string{"a", "a", "a", "b"}).Draw(w.T, "sent")),
		Version: w.text(), Principal: w.text(), RunID: w.text(), Input: w.bytes(), Lease: w.lease(),
	}
	claim.ID = claim.Scope + w.name("op_")
	if rapid.IntRange(0, 3).Draw(w.T, "immediate") == 0 {
		claim.Immediate = &ledger.Crossing{Lease: w.lease(), Journal: w.bytes()}
	}
	return claim
}

func (w *walk) receipt() ledger.Receipt {
	r := ledger.Receipt{Output: w.bytes(), Size: rapid.Int64Range(0, 1<<40).Draw(w.T, "size"), Hash: digest(w.text())}
	if len(r.Output) == 0 {
		r.Omitted = ledger.Unfit
	}
	return r
}

func (w *walk) lease() time.Duration {
	return rapid.SampledFrom([]time.Duration{0, 5 * time.Second, 10 * time.Second, time.Minute}).Draw(w.T, "duration")
}

func (w *walk) text() string {
	return rapid.SampledFrom([]string{"", "x", "slot_stale", "it's ü"}).Draw(w.T, "text")
}

func (w *walk) bytes() []byte {
	return []byte(rapid.SampledFrom([]string{"", `{}`, `{"a":"ü"}`, "\x00\xff"}).Draw(w.T, "bytes"))
}
