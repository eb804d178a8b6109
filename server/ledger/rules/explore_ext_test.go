package rules_test

import (
	"slices"
	"strings"

	"github.com/remedyrpc/remedy/server/ledger"
)

// What may never be.
const (
	doubleEffect    = "two effects"
	doubleResolved  = "two effects, after the operator spoke"
	otherReceipt    = "a row with the receipt of another intent"
	otherAnswer     = "an answer with the receipt of another intent"
	wrongNoEffect   = "no effect was said, and it was there"
	ownEffectDenied = "no effect was said to the one who had it"
	receiptLost     = "done was said, and there is no receipt"
	restsWrongly    = "at rest the row says that there was no effect, and there was"
	stuck           = "at rest the row is past the boundary, and nobody moves it"
	backAgain       = "an effect is under way, and its own row is before the boundary"
	approvalLost    = "an approval was used up, and nothing ever executed"
)

// outcome is what an exploration found.
type outcome struct {
	states  int
	unknown int // worlds at rest in doubt about an effect that is not there: the price of not knowing
	broken  map[string]string
}

// explore visits every world that can follow from the first one, or stops at the first that breaks a rule that is looked for.
func explore(s setting, until string) outcome {
	first := world{lostLeft: s.lost, crashLeft: s.crashes}
	nodes := []next{{world: first}}
	before := []int32{-1}
	seen := map[world]struct{}{first: {}}
	out := outcome{broken: make(map[string]string)}
	for at := 0; at < len(nodes); at++ {
		w := nodes[at].world
		if s.atRest(&w) && w.row.state == ledger.Unknown && w.landed == 0 {
			out.unknown++
		}
		broken, over := s.broken(&w)
		for _, b := range broken {
			if _, known := out.broken[b]; !known {
				out.broken[b] = path(nodes, before, at)
			}
		}
		if until != "" && out.broken[until] != "" {
			break
		}
		if over {
			continue
		}
		for _, n := range s.after(&w) {
			if _, known := seen[n.world]; !known {
				seen[n.world] = struct{}{}
				nodes, before = append(nodes, n), append(before, int32(at))
			}
		}
	}
	out.states = len(nodes)
	return out
}

// path tells how a world came about.
func path(nodes []next, before []int32, at int) string {
	var told []string
	for ; before[at] >= 0; at = int(before[at]) {
		told = append(told, names[nodes[at].who]+" "+nodes[at].what)
	}
	slices.Reverse(told)
	return strings.Join(told, " > ")
}

// after are the worlds that may follow.
func (s *setting) after(w *world) []next {
	steps := &steps{setting: s, from: *w, row: w.row.unpack()}
	if pack(steps.row) != w.row {
		panic("a row is not what was made of it")
	}
	s.passTime(steps)
	s.operate(steps)
	s.sweep(steps)
	steps.arrive()
	for who := range w.callers {
		steps.caller(int8(who))
	}
	return steps.next
}

// passTime lets the lease run out, and the time of the effect.
func (s *setting) passTime(steps *steps) {
	w := steps.from
	if !w.row.leased && !w.row.acts {
		return
	}
	if s.punctual && w.row.acts && slices.ContainsFunc(w.callers[:], func(c caller) bool { return c.at == acting || c.at == paused }) {
		return
	}
	steps.add(operator, "sees time pass", func(w *world) { w.row.leased, w.row.acts = false, false })
}

// operate has the operator look upstream, and say what they do not see.
func (s *setting) operate(steps *steps) {
	if !s.resolver || steps.row.State != ledger.Unknown || steps.from.applied(steps.from.row.op) {
		return
	}
	row, ok, err := s.rules.resolve(steps.row, ledger.Resolution{ID: steps.row.ID, Actor: "olga", Reason: "not there"}, now)
	if ok && err == nil {
		steps.add(operator, "looks upstream, finds nothing, says not applied", func(w *world) {
			w.row, w.resolved = pack(row), true
		})
	}
}

// sweep recovers what nobody comes back for, and looks again at what is closed. That time passes between a look and what
// comes of it is explored with callers that recover.
func (s *setting) sweep(steps *steps) {
	applied := !s.blind && steps.from.applied(steps.from.row.op)
	settle := func(row ledger.Row) {
		hold := row.Hold()
		if applied {
			row, _ = s.rules.record(row, hold, ledger.Receipt{Output: []byte{byte(steps.from.effects[0].intent)}}, now)
		} else {
			row, _ = s.rules.park(row, hold, "nothing found", now)
		}
		steps.add(sweeper, "recovers", func(w *world) { w.row = pack(row) })
	}
	if !s.noSweep {
		row, ok := s.rules.sweep(steps.row, ledger.Sweep{Attempt: names[sweeper], Lease: leaseTime}, now)
		switch {
		case ok && row.State == ledger.Effect:
			settle(row)
		case ok:
			steps.add(sweeper, "ends a claim", func(w *world) { w.row = pack(row) })
		}
	}
	if steps.row.State == ledger.Closed && !s.noSecond && applied {
		if row, ok := s.rules.recover(steps.row, ledger.Recovery{Key: key, Attempt: names[sweeper], Lease: leaseTime}, now); ok {
			settle(row)
		}
	}
}

// atRest says that every call has ended.
func (*setting) atRest(w *world) bool {
	return !slices.ContainsFunc(w.callers[:], func(c caller) bool { return c.at != ended && c.at != dead })
}

// broken are the rules that a world breaks, and whether nothing that follows is worth a look.
func (s *setting) broken(w *world) (broken []string, over bool) {
	add := func(when bool, what string) {
		if when {
			broken = append(broken, what)
		}
	}
	state := w.row.state
	add(w.landed > 1 && !w.resolved, doubleEffect)
	add(w.landed > 1 && w.resolved, doubleResolved)
	add(w.row.receipt != nothing && w.row.receipt != w.row.sent, otherReceipt)
	over = len(broken) > 0
	for who, c := range w.callers {
		add(state == ledger.Claimed && c.crossed() && c.op == w.row.op && c.fence == w.row.fence, backAgain)
		add(c.answer == saysNoEffect && c.acted, ownEffectDenied)
		add(c.answer == saysNoEffectWrongly, wrongNoEffect)
		add(c.answer == saysDone && state != ledger.Done, receiptLost)
		add((c.answer == saysDoneA || c.answer == saysDoneB) && c.answer != saysDoneWith(intents[who]), otherAnswer)
	}
	if s.approvalSpent && w.landed == 0 && w.ops > 0 && s.spent(w) {
		broken = append(broken, approvalLost)
	}
	if !s.atRest(w) {
		return broken, over
	}
	secondLook := state == ledger.Closed && !s.noSecond && !s.blind
	says := state == ledger.None || state == ledger.Free || state == ledger.Closed
	add(says && w.landed > 0 && !secondLook, restsWrongly)
	add(s.noSweep && state == ledger.Effect, stuck)
	return broken, over
}

// spent says that a claim nobody works on any more cannot be taken over, because its approval was used up.
func (s *setting) spent(w *world) bool {
	working := slices.ContainsFunc(w.callers[:], func(c caller) bool { return c.at != ended && c.at != dead && c.at != calling })
	return w.row.state == ledger.Claimed && !w.row.leased && !working
}
