package rules_test

import (
	"fmt"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/rules"
)

// The world of the exhaustive check: one key, three callers that each call once, an upstream in which effects land, a
// sweeper and an operator. Everything in it is small and comparable, so that a world can be the key of a map. Time is only
// what has run out: now is always the same moment, and a lease ends in an hour, or has ended.

// intent is what a caller wants to happen: the first two want the same, the third something else under the same key.
type intent int8

const (
	nothing intent = iota
	intentA
	intentB
)

var intents = [3]intent{intentA, intentA, intentB}

// world is one state of everything.
type world struct {
	row     rowState
	callers [3]caller
	effects [2]effect // in the order in which they landed
	landed  int8

	late      late
	lostLeft  int8 // answers of the ledger that may still get lost
	crashLeft int8
	ops       int8 // operations that were begun
	resolved  bool // the operator spoke
}

// effect is something that happened upstream.
type effect struct {
	op     int8
	intent intent
}

func (w *world) applied(op int8) bool {
	for _, e := range w.effects[:w.landed] {
		if e.op == op && op != 0 {
			return true
		}
	}
	return false
}

// place is where a caller is.
type place int8

const (
	calling   place = iota
	preparing       // it has claimed
	acting          // it has crossed, and the effect may begin any time
	paused          // it has parked its operation, and the effect may still begin any time
	returned        // the effect returned a result
	parked          // as returned, after it was parked
	refused         // the effect says that it was not applied
	failed          // it failed before the boundary
	looking         // it recovers
	found           // and the effect is there
	notFound        // or it is not to be seen
	rereading       // a move found another row
	ended           // it answered
	dead
)

// answer is what a caller was told.
type answer int8

const (
	noAnswer answer = iota
	saysNoEffect
	saysNoEffectWrongly // the effect was there when it was said
	saysDone
	saysDoneA // with the receipt of another attempt
	saysDoneB
	saysUnknown
	saysOther // in flight, conflict, closed: whatever promises nothing
)

func saysDoneWith(i intent) answer { return saysDoneA + answer(i-intentA) }

// caller is one call.
type caller struct {
	at     place
	op     int8
	fence  int8
	acted  bool
	answer answer
}

// late is a statement of a caller that is still under way, after the caller asked again or gave up.
type late struct {
	move  lateMove
	who   int8
	op    int8
	fence int8
}

type lateMove int8

const (
	_ lateMove = iota
	lateCross
	lateRedo
)

// rowState is what of a [ledger.Row] the rules look at.
type rowState struct {
	state        ledger.State
	op           int8
	fence        int8
	crossings    int8
	attempt      int8
	sent         intent
	receipt      intent
	leased       bool
	acts         bool // ActsUntil is still to come
	looked       bool
	redone       bool // its last move was Redo
	contradicted bool
}

// sweeper and operator are whoever moves a row and is no caller.
const (
	sweeper  int8 = 3
	operator int8 = 4
)

var (
	now   = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	key   = ledger.Key{Tenant: "t", Scope: "s", Tool: "pay", Key: "k"}
	names = [...]string{"w0", "w1", "w2", "sweeper", "operator"}
	opIDs = [...]string{"", "op1", "op2", "op3", "op4"}
)

const leaseTime = time.Hour

func digestOf(i intent) (d ledger.Digest) {
	d[0] = byte(i)
	return d
}

// unpack makes the row that a state stands for.
func (r rowState) unpack() ledger.Row {
	row := ledger.Row{Key: key, State: r.state, Fence: int64(r.fence), Crossings: int(r.crossings), Contradicted: r.contradicted}
	if r.state == ledger.None {
		return row
	}
	row.ID, row.Attempt, row.Sent, row.Version = opIDs[r.op], names[r.attempt], digestOf(r.sent), 1
	if r.state == ledger.Claimed || r.state == ledger.Effect {
		row.LeaseUntil = now
	}
	if r.leased {
		row.LeaseUntil = now.Add(leaseTime)
	}
	if r.crossings > 0 {
		row.CrossedAt, row.ActsUntil = now, now
	}
	if r.acts {
		row.ActsUntil = now.Add(leaseTime)
	}
	if r.looked {
		row.LookedAt = now
	}
	last := ledger.Move{From: ledger.Effect, To: r.state, ID: row.ID, Fence: row.Fence}
	if r.state == ledger.Claimed && !r.redone {
		last.From = ledger.Claimed
	}
	row.Trail = []ledger.Move{last}
	if r.receipt != nothing {
		row.Receipt.Output = []byte{byte(r.receipt)}
	}
	return rules.Read(row, now)
}

// pack is the inverse of unpack.
func pack(row ledger.Row) rowState {
	if row.State == ledger.None {
		return rowState{}
	}
	r := rowState{
		state: row.State, op: index(opIDs[:], row.ID), fence: int8(row.Fence), crossings: int8(row.Crossings),
		attempt: index(names[:], row.Attempt), sent: intent(row.Sent[0]),
		leased: now.Before(row.LeaseUntil), acts: now.Before(row.ActsUntil), looked: !row.LookedAt.IsZero(),
		contradicted: row.Contradicted,
	}
	if n := len(row.Trail); n > 0 {
		r.redone = row.Trail[n-1].From != ledger.Claimed && row.Trail[n-1].To == ledger.Claimed && row.Crossings > 0
	}
	if len(row.Receipt.Output) > 0 {
		r.receipt = intent(row.Receipt.Output[0])
	}
	return r
}

func index(all []string, name string) int8 {
	for i, n := range all {
		if n == name {
			return int8(i)
		}
	}
	panic(fmt.Sprintf("%q is not of this world", name))
}

// hold is what a caller shows.
func (c caller) hold() ledger.Hold {
	return ledger.Hold{Key: key, ID: opIDs[c.op], Fence: int64(c.fence)}
}

// ruleSet is the moves by which a row changes in the world. The zero value of a field is the real rule.
type ruleSet struct {
	claim   func(ledger.Row, ledger.Claim, time.Time) (ledger.Row, bool)
	cross   func(ledger.Row, ledger.Hold, ledger.Crossing, time.Time) (ledger.Row, bool)
	free    func(ledger.Row, ledger.Hold, ledger.Failure, time.Time) (ledger.Row, bool)
	record  func(ledger.Row, ledger.Hold, ledger.Receipt, time.Time) (ledger.Row, bool)
	park    func(ledger.Row, ledger.Hold, string, time.Time) (ledger.Row, bool)
	redo    func(ledger.Row, ledger.Hold, time.Duration, time.Time) (ledger.Row, bool)
	recover func(ledger.Row, ledger.Recovery, time.Time) (ledger.Row, bool)
	resolve func(ledger.Row, ledger.Resolution, time.Time) (ledger.Row, bool, error)
	sweep   func(ledger.Row, ledger.Sweep, time.Time) (ledger.Row, bool)
}

func realRules() ruleSet {
	return ruleSet{
		claim: rules.Claim, cross: rules.Cross, free: rules.Free, record: rules.Record, park: rules.Park,
		redo: rules.Redo, recover: rules.Recover, resolve: rules.Resolve, sweep: rules.Sweep,
	}
}
