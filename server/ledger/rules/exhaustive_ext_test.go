package rules_test

import (
	"testing"
)

// TestEveryInterleaving explores all interleavings of three callers of one key, a sweeper and an operator, in which callers
// crash, leases run out at any time and answers of the ledger get lost. Every move of the row is made by the rules.
func TestEveryInterleaving(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		least   int // worlds: fewer mean that something is not tried any more
		long    bool
		setting setting
	}{
		{"no upstream dedupe", 60_000, false, setting{resolver: true, lost: 1, crashes: 2}},
		{"upstream dedupes", 60_000, false, setting{resolver: true, lost: 1, crashes: 2, dedupes: true}},
		{"two answers lost", 80_000, true, setting{resolver: true, lost: 2, crashes: 1}},
		{"two answers lost, upstream dedupes", 100_000, true, setting{resolver: true, lost: 2, crashes: 2, dedupes: true}},
		{"statements arrive late", 120_000, true, setting{resolver: true, lost: 1, crashes: 1, late: true}},
		{"statements arrive late, upstream dedupes", 400_000, true, setting{resolver: true, lost: 2, crashes: 1, late: true, dedupes: true}},
		{"claims are asked for again", 50_000, true, setting{resolver: true, lost: 1, persistent: true}},
		{"immediate tool", 10_000, false, setting{resolver: true, lost: 2, crashes: 2, immediate: true, persistent: true}},
		{"immediate tool, upstream dedupes", 20_000, false, setting{
			resolver: true, lost: 1, crashes: 2, immediate: true, persistent: true, dedupes: true,
		}},
		{"callers park early", 60_000, true, setting{resolver: true, lost: 1, crashes: 1, impatient: true}},
		{"callers park early, upstream dedupes", 100_000, true, setting{resolver: true, lost: 1, crashes: 1, impatient: true, dedupes: true}},
		{"no Recover, nobody resolves", 40_000, false, setting{lost: 1, crashes: 2, blind: true}},
		{"no Recover, effects begin in their time", 50_000, false, setting{
			resolver: true, lost: 1, crashes: 2, blind: true, punctual: true, impatient: true,
		}},
		{"who finds nothing frees", 40_000, true, setting{resolver: true, lost: 1, crashes: 1, afterNothing: "free"}},
		{"who finds nothing crosses", 40_000, true, setting{resolver: true, lost: 1, crashes: 1, afterNothing: "cross"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.long && testing.Short() {
				t.Skip("it takes a second")
			}
			if c.setting.rules.claim == nil {
				c.setting.rules = realRules()
			}
			out := explore(c.setting, "")
			t.Logf("%d worlds, %d of them at rest in doubt without an effect", out.states, out.unknown)
			for what, how := range out.broken {
				t.Errorf("%s: %s", what, how)
			}
			if out.states < c.least {
				t.Errorf("%d worlds; want at least %d", out.states, c.least)
			}
		})
	}
}
