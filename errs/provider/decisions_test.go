package provider

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// decided begins the source of a rule that follows a decision.
const decided = "decision: "

// decisions are the keys of DECISIONS.md.
func decisions(t *testing.T) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile("DECISIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, found := range regexp.MustCompile("(?m)^- `([a-z-]+)`: ").FindAllStringSubmatch(string(raw), -1) {
		if keys[found[1]] {
			t.Errorf("decision %s stands twice", found[1])
		}
		keys[found[1]] = true
	}
	return keys
}

// TestDecisions holds that every decision has a case, that every case of decisions.jsonl and every source that names one
// names one that stands, and that any other source is an address.
func TestDecisions(t *testing.T) {
	t.Parallel()
	known := decisions(t)
	unused := maps.Clone(known)
	for _, c := range corpus(t, "decisions.jsonl") {
		if !known[c.Decision] {
			t.Errorf("%s: no decision %q", c.ID, c.Decision)
		}
		delete(unused, c.Decision)
	}
	if len(unused) > 0 {
		t.Errorf("no case for %v", slices.Sorted(maps.Keys(unused)))
	}
	for _, source := range sources() {
		key, ok := strings.CutPrefix(source, decided)
		if ok && !known[key] || !ok && !strings.HasPrefix(source, "https://") {
			t.Errorf("source %q is no address and no decision", source)
		}
	}
}

// sources are those of all rules and codes.
func sources() []string {
	var all []string
	for _, rules := range tables() {
		for i := range rules {
			all = append(all, rules[i].source)
		}
	}
	for _, rules := range [][]codeRule{codeRules(), genericCodes()} {
		for i := range rules {
			all = append(all, rules[i].source)
		}
	}
	return all
}
