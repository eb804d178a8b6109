package rules_test

import (
	"testing"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/rules"
)

// TestEveryRuleIsNeeded weakens one rule at a time, and finds the interleaving that breaks the promise. It is the proof that
// the exploration would see it, and the reason that each guard has.
func TestEveryRuleIsNeeded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		breaks  string
		setting setting
	}{
		// What callers do.
		{"the effect runs without an answer to the crossing", doubleEffect, setting{lostCross: "run", lost: 1}},
		{"the effect runs without an answer to the crossing, and a row says there was none", restsWrongly, setting{lostCross: "run", lost: 1}},
		{"success is said without a record", receiptLost, setting{lostRecord: "ok", lost: 1}},
		{"no effect is said when nothing was freed", wrongNoEffect, setting{missedFree: "fail"}},
		{"nobody sweeps", stuck, setting{noSweep: true, crashes: 1}},
		{"an approval is used up by the claim", approvalLost, setting{approvalSpent: true, crashes: 1}},
		{"an effect begins long after its time", restsWrongly, setting{blind: true, resolver: true, crashes: 1}},

		// Who owns a row.
		{"rows are guarded by the fence alone, and forgotten when freed", otherReceipt, setting{
			rules: forgetting(fenceAlone(realRules())),
		}},
		{"rows are guarded by the id alone", doubleEffect, setting{rules: idAlone(realRules()), crashes: 1}},
		{"a takeover does not raise the fence", doubleEffect, setting{rules: sameFence(realRules())}},
		{"executing again does not raise the fence", backAgain, setting{
			rules: redoesInPlace(realRules()), lost: 1, late: true, dedupes: true,
		}},
		{"a takeover takes another intent", otherReceipt, setting{rules: anyIntent(realRules())}},
		{"not applied frees the key, and a receipt completes any operation", otherReceipt, setting{
			rules: resolveFrees(anyReceipt(realRules())), resolver: true,
		}},

		// Who may act, and who only looks.
		{"who only looks may cross", doubleEffect, setting{rules: blindToLooks(realRules()), afterNothing: "cross"}},
		{"who only looks may free", doubleEffect, setting{rules: blindToLooks(realRules()), afterNothing: "free"}},
		{"a crossing is asked for again after its time", restsWrongly, setting{
			rules: everlasting(realRules()), blind: true, punctual: true, resolver: true, lost: 1, crashes: 1,
		}},
		{"a failed second execution frees the key", doubleEffect, setting{rules: freesAlways(realRules()), dedupes: true}},
		{"a failed second execution frees the key, and no effect is said", wrongNoEffect, setting{
			rules: freesAlways(realRules()), dedupes: true,
		}},

		// What a person says.
		{"not applied frees the key", doubleResolved, setting{rules: resolveFrees(realRules()), resolver: true}},
		{"not applied is said too early", restsWrongly, setting{
			rules: resolvesEarly(realRules()), blind: true, punctual: true, impatient: true, resolver: true, crashes: 1,
		}},
		{"late receipts are dropped, and nobody looks again", restsWrongly, setting{
			rules: dropsLate(realRules()), noSecond: true, resolver: true,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.setting.rules.claim == nil {
				c.setting.rules = realRules()
			}
			out := explore(c.setting, c.breaks)
			if out.broken[c.breaks] == "" {
				t.Fatalf("nothing broke in %d worlds but %v; want %s", out.states, out.broken, c.breaks)
			}
			t.Logf("%s, after %d worlds: %s", c.breaks, out.states, out.broken[c.breaks])
		})
	}
}

// TestWhatNeedNotHold weakens what only serves that callers get an answer, or what is there for processes that pause: nothing
// that was promised breaks.
func TestWhatNeedNotHold(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]setting{
		"a lost answer to the crossing is asked for with a strict guard": {rules: strictCross(realRules()), lost: 1, resolver: true},
		"a lost answer to the crossing is no effect at once":             {lostCross: "fail", lost: 1, resolver: true},
		"not applied frees the key, where effects begin in their time": {
			rules: resolveFrees(realRules()), punctual: true, resolver: true, crashes: 1,
		},
		"freed rows are forgotten, and their fences with them": {rules: forgetting(realRules()), lost: 1, crashes: 1, resolver: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if s.rules.claim == nil {
				s.rules = realRules()
			}
			out := explore(s, "")
			t.Logf("%d worlds", out.states)
			for what, how := range out.broken {
				t.Errorf("%s: %s", what, how)
			}
		})
	}
}

// changeHolds has every move of an owner see another hold than the one that was shown.
func changeHolds(r ruleSet, change func(row ledger.Row, hold ledger.Hold) ledger.Hold) ruleSet {
	cross, free, record, park, redo := r.cross, r.free, r.record, r.park, r.redo
	r.cross = func(row ledger.Row, h ledger.Hold, c ledger.Crossing, now time.Time) (ledger.Row, bool) {
		return cross(row, change(row, h), c, now)
	}
	r.free = func(row ledger.Row, h ledger.Hold, f ledger.Failure, now time.Time) (ledger.Row, bool) {
		return free(row, change(row, h), f, now)
	}
	r.record = func(row ledger.Row, h ledger.Hold, receipt ledger.Receipt, now time.Time) (ledger.Row, bool) {
		return record(row, change(row, h), receipt, now)
	}
	r.park = func(row ledger.Row, h ledger.Hold, reason string, now time.Time) (ledger.Row, bool) {
		return park(row, change(row, h), reason, now)
	}
	r.redo = func(row ledger.Row, h ledger.Hold, lease time.Duration, now time.Time) (ledger.Row, bool) {
		return redo(row, change(row, h), lease, now)
	}
	return r
}

func fenceAlone(r ruleSet) ruleSet {
	return changeHolds(r, func(row ledger.Row, h ledger.Hold) ledger.Hold {
		h.ID = row.ID
		return h
	})
}

func idAlone(r ruleSet) ruleSet {
	return changeHolds(r, func(row ledger.Row, h ledger.Hold) ledger.Hold {
		h.Fence = row.Fence
		return h
	})
}

func sameFence(r ruleSet) ruleSet {
	r.claim = func(row ledger.Row, claim ledger.Claim, now time.Time) (ledger.Row, bool) {
		next, ok := rules.Claim(row, claim, now)
		if row.State == ledger.Claimed {
			next.Fence = row.Fence
		}
		return next, ok
	}
	return r
}

// redoesInPlace has Redo keep the fence.
func redoesInPlace(r ruleSet) ruleSet {
	r.redo = func(row ledger.Row, h ledger.Hold, lease time.Duration, now time.Time) (ledger.Row, bool) {
		if row.State == ledger.Claimed && row.Crossings > 0 && row.ID == h.ID && row.Fence == h.Fence {
			return row, true
		}
		next, ok := rules.Redo(row, h, lease, now)
		next.Fence = row.Fence
		return next, ok
	}
	return r
}

func anyIntent(r ruleSet) ruleSet {
	r.claim = func(row ledger.Row, claim ledger.Claim, now time.Time) (ledger.Row, bool) {
		if row.State == ledger.Claimed {
			claim.Sent = row.Sent
		}
		return rules.Claim(row, claim, now)
	}
	return r
}

func anyReceipt(r ruleSet) ruleSet {
	r.record = func(row ledger.Row, h ledger.Hold, receipt ledger.Receipt, now time.Time) (ledger.Row, bool) {
		return rules.Record(row, ledger.Hold{Key: h.Key, ID: row.ID, Fence: row.Fence}, receipt, now)
	}
	return r
}

// blindToLooks does not know who looks from who crossed.
func blindToLooks(r ruleSet) ruleSet {
	r.cross = func(row ledger.Row, h ledger.Hold, c ledger.Crossing, now time.Time) (ledger.Row, bool) {
		row.LookedAt = time.Time{}
		return rules.Cross(row, h, c, now)
	}
	r.free = func(row ledger.Row, h ledger.Hold, f ledger.Failure, now time.Time) (ledger.Row, bool) {
		row.LookedAt = time.Time{}
		return rules.Free(row, h, f, now)
	}
	return r
}

// everlasting accepts a crossing that is asked for again, however late.
func everlasting(r ruleSet) ruleSet {
	r.cross = func(row ledger.Row, h ledger.Hold, c ledger.Crossing, now time.Time) (ledger.Row, bool) {
		if row.State == ledger.Effect && row.ID == h.ID && row.Fence == h.Fence {
			return row, true
		}
		return rules.Cross(row, h, c, now)
	}
	return r
}

// strictCross does not accept a crossing that is asked for again.
func strictCross(r ruleSet) ruleSet {
	r.cross = func(row ledger.Row, h ledger.Hold, c ledger.Crossing, now time.Time) (ledger.Row, bool) {
		if row.State == ledger.Effect {
			return row, false
		}
		return rules.Cross(row, h, c, now)
	}
	return r
}

func freesAlways(r ruleSet) ruleSet {
	r.free = func(row ledger.Row, h ledger.Hold, f ledger.Failure, now time.Time) (ledger.Row, bool) {
		if row.State == ledger.Claimed {
			row.Crossings = 0
		}
		return rules.Free(row, h, f, now)
	}
	return r
}

// forgetting drops the row of a freed operation, and its fence with it.
func forgetting(r ruleSet) ruleSet {
	free, sweep := r.free, r.sweep
	forget := func(row ledger.Row) ledger.Row {
		if row.State == ledger.Free {
			return ledger.Row{Key: row.Key, Version: row.Version}
		}
		return row
	}
	r.free = func(row ledger.Row, h ledger.Hold, f ledger.Failure, now time.Time) (ledger.Row, bool) {
		next, ok := free(row, h, f, now)
		return forget(next), ok
	}
	r.sweep = func(row ledger.Row, s ledger.Sweep, now time.Time) (ledger.Row, bool) {
		next, ok := sweep(row, s, now)
		return forget(next), ok
	}
	return r
}

func resolveFrees(r ruleSet) ruleSet {
	r.resolve = func(row ledger.Row, resolution ledger.Resolution, now time.Time) (ledger.Row, bool, error) {
		next, ok, err := rules.Resolve(row, resolution, now)
		if ok {
			next.State = ledger.Free
		}
		return next, ok, err
	}
	return r
}

func resolvesEarly(r ruleSet) ruleSet {
	r.resolve = func(row ledger.Row, resolution ledger.Resolution, now time.Time) (ledger.Row, bool, error) {
		row.ActsUntil = now
		return rules.Resolve(row, resolution, now)
	}
	return r
}

func dropsLate(r ruleSet) ruleSet {
	r.record = func(row ledger.Row, h ledger.Hold, receipt ledger.Receipt, now time.Time) (ledger.Row, bool) {
		if row.State == ledger.Unknown || row.State == ledger.Closed {
			return row, false
		}
		return rules.Record(row, h, receipt, now)
	}
	return r
}
