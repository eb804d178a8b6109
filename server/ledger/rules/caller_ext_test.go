package rules_test

import (
	"github.com/remedyrpc/remedy/server/ledger"
)

// setting is a world to explore: its rules, what callers do, and what may go wrong.
type setting struct {
	rules ruleSet

	lost, crashes int8 // how many answers of the ledger get lost, and how many callers crash

	dedupes  bool // the upstream makes one effect of all with one operation id
	blind    bool // the tool has no Recover
	noSweep  bool
	noSecond bool // nobody looks again at what is CLOSED
	resolver bool // there is an operator
	// persistent callers ask again also for a claim.
	persistent bool
	// immediate tools cross as they claim.
	immediate bool
	// impatient callers park an operation whose effect did not return yet.
	impatient bool
	// late has statements whose answer is lost arrive any time later.
	late bool
	// punctual callers begin no effect after its time.
	punctual bool

	// What callers do wrong, for settings that have to break.
	lostCross     string // "" asks again; "run" has the effect; "fail" says that there was none
	lostRecord    string // "" says unknown; "ok" says done
	missedFree    string // "" reads the row; "fail" says that there was none
	afterNothing  string // "" parks, or executes again where the upstream dedupes; "free"; "cross"
	approvalSpent bool   // an approval is used up by the claim
}

// next is a world that may follow, by whom and why.
type next struct {
	world world
	who   int8
	what  string
}

// steps collects what may follow a world.
type steps struct {
	setting *setting
	from    world
	row     ledger.Row // of from
	next    []next
}

func (s *steps) add(who int8, what string, change func(w *world)) {
	w := s.from
	change(&w)
	s.next = append(s.next, next{world: w, who: who, what: what})
}

// call adds a step of a caller that moves the row, or leaves it where row is nil.
func (s *steps) call(who int8, what string, row *ledger.Row, change func(w *world, c *caller)) {
	s.add(who, what, func(w *world) {
		if row != nil {
			w.row = pack(*row)
		}
		change(w, &w.callers[who])
	})
}

func end(a answer) func(*world, *caller) {
	return func(_ *world, c *caller) { c.at, c.answer = ended, a }
}

func goTo(p place) func(*world, *caller) {
	return func(_ *world, c *caller) { c.at = p }
}

// losing is a change in which an answer of the ledger gets lost, too.
func losing(change func(*world, *caller)) func(*world, *caller) {
	return func(w *world, c *caller) {
		w.lostLeft--
		change(w, c)
	}
}

// crossed says that a caller crossed, and did not say yet what came of it.
func (c caller) crossed() bool {
	switch c.at {
	case acting, paused, returned, parked, refused:
		return true
	default:
		return false
	}
}

// underWay is a change in which an answer gets lost, and what was asked for is not made yet.
func underWay(who int8, move lateMove, change func(*world, *caller)) func(*world, *caller) {
	return losing(func(w *world, c *caller) {
		w.late = late{move: move, who: who, op: c.op, fence: c.fence}
		change(w, c)
	})
}

// mayBeLate says that a statement may be under way for longer than its caller waits; one at a time is enough.
func (s *steps) mayBeLate() bool {
	return s.setting.late && s.from.lostLeft > 0 && s.from.late == late{}
}

// arrive has the statement that is under way arrive.
func (s *steps) arrive() {
	l := s.from.late
	hold := caller{op: l.op, fence: l.fence}.hold()
	var row ledger.Row
	switch l.move {
	case lateCross:
		row, _ = s.setting.rules.cross(s.row, hold, ledger.Crossing{Lease: leaseTime}, now)
	case lateRedo:
		row, _ = s.setting.rules.redo(s.row, hold, leaseTime, now)
	default:
		return
	}
	s.add(l.who, "has a statement of before arrive", func(w *world) { w.row, w.late = pack(row), late{} })
}

func (s *steps) noEffect() answer {
	if s.from.applied(s.from.row.op) {
		return saysNoEffectWrongly
	}
	return saysNoEffect
}

// caller adds what one caller may do.
func (s *steps) caller(who int8) {
	c := s.from.callers[who]
	switch c.at {
	case ended, dead:
		return
	case calling:
		s.claim(who)
		return
	case preparing:
		s.prepare(who, c)
	case acting, paused:
		s.act(who, c)
	case returned, parked:
		s.record(who, c)
	case refused, failed:
		s.free(who, c)
	case looking:
		at := notFound
		if !s.setting.blind && s.from.applied(c.op) {
			at = found
		}
		s.call(who, "looks", nil, goTo(at))
	case found, notFound:
		s.settle(who, c)
	case rereading:
		s.call(who, "answers from the row", nil, end(s.fromRow(who)))
	}
	if s.from.crashLeft > 0 {
		s.call(who, "crashes", nil, func(w *world, c *caller) {
			w.crashLeft--
			c.at = dead
		})
	}
}

// claim begins a call: it claims, recovers, or is answered from the row.
func (s *steps) claim(who int8) {
	op := s.from.callers[who].op // where it asks again
	if op == 0 {
		op = s.from.ops + 1
	}
	claim := ledger.Claim{Key: key, ID: opIDs[op], Attempt: names[who], Sent: digestOf(intents[who]), Lease: leaseTime}
	at := preparing
	if s.setting.immediate {
		claim.Immediate, at = &ledger.Crossing{Lease: leaseTime}, acting
	}
	row, ok := s.setting.rules.claim(s.row, claim, now)
	if ok && s.row.State == ledger.Claimed && s.setting.approvalSpent {
		s.call(who, "finds its approval used up", nil, end(saysOther))
		return
	}
	if ok {
		s.call(who, "claims", &row, func(w *world, c *caller) {
			w.ops = max(w.ops, w.row.op)
			*c = caller{at: at, op: w.row.op, fence: w.row.fence}
		})
		if s.from.lostLeft > 0 && row.Version != s.row.Version {
			if s.setting.persistent {
				s.call(who, "claims, answer lost, asks again", &row, losing(func(w *world, c *caller) {
					w.ops, c.op = max(w.ops, op), op
				}))
			}
			s.call(who, "claims, answer lost, says unavailable", &row, losing(func(w *world, c *caller) {
				w.ops = max(w.ops, op)
				*c = caller{at: ended, answer: saysNoEffect}
			}))
		}
		return
	}
	if (s.row.State == ledger.Effect || s.row.State == ledger.Unknown) && s.row.Sent == digestOf(intents[who]) {
		row, ok := s.setting.rules.recover(s.row, ledger.Recovery{Key: key, Attempt: names[who], Lease: leaseTime}, now)
		if ok {
			s.call(who, "begins to recover", &row, func(w *world, c *caller) {
				c.op, c.fence, c.at = w.row.op, w.row.fence, looking
			})
			return
		}
	}
	s.call(who, "is answered from the row", nil, end(s.fromRow(who)))
}

// fromRow is what a caller is told that did not get the row.
func (s *steps) fromRow(who int8) answer {
	switch {
	case s.row.State == ledger.None, s.row.State == ledger.Free:
		return s.noEffect()
	case s.row.Sent != digestOf(intents[who]):
		return saysOther
	case s.row.State == ledger.Done:
		return saysDoneWith(s.from.row.receipt)
	case s.row.State == ledger.Unknown:
		return saysUnknown
	default:
		return saysOther
	}
}

func (s *steps) prepare(who int8, c caller) {
	s.call(who, "fails before the boundary", nil, goTo(failed))
	row, ok := s.setting.rules.cross(s.row, c.hold(), ledger.Crossing{Lease: leaseTime}, now)
	if s.from.lostLeft > 0 && s.setting.lostCross == "run" {
		s.call(who, "does not cross, no answer, has the effect", nil, losing(goTo(acting)))
	}
	if !ok {
		s.call(who, "does not cross", nil, goTo(rereading))
		return
	}
	s.call(who, "crosses", &row, goTo(acting))
	if s.mayBeLate() {
		s.call(who, "does not cross yet, asks again", nil, underWay(who, lateCross, goTo(preparing)))
	}
	if s.from.lostLeft == 0 || row.Version == s.row.Version {
		return
	}
	switch s.setting.lostCross {
	case "run":
		s.call(who, "crosses, answer lost, has the effect", &row, losing(goTo(acting)))
	case "fail":
		s.call(who, "crosses, answer lost, says no effect", &row, losing(end(s.noEffect())))
	default:
		s.call(who, "crosses, answer lost, asks again", &row, losing(goTo(preparing)))
	}
}

func (s *steps) act(who int8, c caller) {
	again := s.setting.dedupes && s.from.applied(c.op)
	after := map[place]place{acting: returned, paused: parked}[c.at]
	s.call(who, "EFFECT", nil, func(w *world, c *caller) {
		c.at, c.acted = after, true
		if !again {
			w.effects[w.landed] = effect{op: c.op, intent: intents[who]}
			w.landed++
		}
	})
	if c.at == paused {
		return
	}
	if !again {
		s.call(who, "is told that it was not applied", nil, goTo(refused))
	}
	if s.setting.impatient {
		if row, ok := s.setting.rules.park(s.row, c.hold(), "late", now); ok {
			s.call(who, "parks what did not return yet", &row, func(_ *world, c *caller) { c.at, c.answer = paused, saysUnknown })
		}
	}
}

func (s *steps) record(who int8, c caller) {
	row, ok := s.setting.rules.record(s.row, c.hold(), ledger.Receipt{Output: []byte{byte(intents[who])}}, now)
	moved := row.Version != s.row.Version
	switch {
	case !ok:
		s.call(who, "keeps its receipt, says unknown", nil, end(saysUnknown))
	case !moved:
		s.call(who, "finds a receipt", nil, end(saysDoneWith(s.from.row.receipt)))
	default:
		s.call(who, "records", &row, end(saysDone))
	}
	if !moved || s.row.State != ledger.Effect || s.from.lostLeft == 0 {
		return
	}
	if s.setting.lostRecord == "ok" {
		s.call(who, "does not record, says done", nil, losing(end(saysDone)))
		return
	}
	s.call(who, "records, answer lost, says unknown", &row, losing(end(saysUnknown)))
	s.call(who, "does not record, says unknown", nil, losing(end(saysUnknown)))
}

func (s *steps) free(who int8, c caller) {
	row, ok := s.setting.rules.free(s.row, c.hold(), ledger.Failure{Code: "slot_stale"}, now)
	switch {
	case ok:
		s.call(who, "frees the key", &row, end(s.noEffect()))
		if s.from.lostLeft > 0 {
			s.call(who, "does not free, no answer, says what failed", nil, losing(end(s.noEffect())))
		}
	case row.Version != s.row.Version:
		s.call(who, "may not free, says unknown", &row, end(saysUnknown))
	case s.setting.missedFree == "fail":
		s.call(who, "frees nothing, says no effect", nil, end(s.noEffect()))
	default:
		s.call(who, "frees nothing", nil, goTo(rereading))
	}
}

// settle ends a recovery.
func (s *steps) settle(who int8, c caller) {
	var row ledger.Row
	var ok bool
	what, after := "parks", end(saysUnknown)
	switch {
	case c.at == found:
		row, ok = s.setting.rules.record(s.row, c.hold(), ledger.Receipt{Output: []byte{byte(intents[who])}}, now)
		what, after = "records what it found", end(saysDoneWith(intents[who]))
	case s.setting.afterNothing == "free":
		s.free(who, c)
		return
	case s.setting.afterNothing == "cross":
		s.prepare(who, c)
		return
	case s.setting.dedupes:
		s.redo(who, c)
		return
	default:
		row, ok = s.setting.rules.park(s.row, c.hold(), "nothing found", now)
	}
	if !ok {
		s.call(who, "lost its recovery", nil, end(saysUnknown))
		return
	}
	s.call(who, what, &row, after)
}

// redo has a caller that found nothing execute again, under the hold of the row that it gets.
func (s *steps) redo(who int8, c caller) {
	row, ok := s.setting.rules.redo(s.row, c.hold(), leaseTime, now)
	if !ok {
		s.call(who, "lost its recovery", nil, end(saysUnknown))
		return
	}
	s.call(who, "will execute again", &row, func(w *world, c *caller) { c.at, c.fence = preparing, w.row.fence })
	if s.from.lostLeft > 0 && row.Version != s.row.Version {
		s.call(who, "will execute again, answer lost, asks again", &row, losing(goTo(notFound)))
		s.call(who, "will execute again, answer lost, says unknown", &row, losing(end(saysUnknown)))
	}
	if !s.mayBeLate() {
		return
	}
	s.call(who, "will not execute again yet, asks again", nil, underWay(who, lateRedo, goTo(notFound)))
	if parked, ok := s.setting.rules.park(s.row, c.hold(), "no answer", now); ok {
		s.call(who, "will not execute again yet, parks", &parked, underWay(who, lateRedo, end(saysUnknown)))
	}
}
