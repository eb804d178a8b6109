package provider_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/errs/provider"
)

const overflow = "prompt is too long: 208310 tokens > 200000 maximum"

// TestPatternsAreValues holds that composing changes no set of patterns but the new one.
func TestPatternsAreValues(t *testing.T) {
	t.Parallel()
	first := provider.ContextExceededPatterns().With(regexp.MustCompile("one"))
	second, third := first.With(regexp.MustCompile("two")), first.With(regexp.MustCompile("three"), nil)
	var none provider.Patterns
	for _, test := range []struct {
		patterns provider.Patterns
		message  string
		want     bool
	}{
		{first, "one", true},
		{first, "two", false},
		{first, "three", false},
		{second, "one", true},
		{second, "two", true},
		{second, "three", false},
		{third, "one", true},
		{third, "two", false},
		{third, "three", true},
		{first.Without(regexp.MustCompile("208310"), nil), overflow, false},
		{first, overflow, true},
		{none, overflow, false},
		{none.With(regexp.MustCompile("^$")), "", true},
		{none.Without(nil), "", false},
		{provider.ContextExceededPatterns(), "", false},
	} {
		if got := test.patterns.Match(test.message); got != test.want {
			t.Errorf("%q: got %v", test.message, got)
		}
	}
	if none.List() != nil {
		t.Error("the zero value lists patterns")
	}
}

// TestMatchReadsBothEnds holds that a message is found before or after a lot of text, which proxies put around it.
func TestMatchReadsBothEnds(t *testing.T) {
	t.Parallel()
	lot := strings.Repeat("word ", 1<<18)
	for _, message := range []string{overflow, overflow + " " + lot, lot + overflow} {
		if !provider.MatchesContextExceeded(message) {
			t.Errorf("%d bytes do not match", len(message))
		}
	}
}

// TestPatternsSayWhy holds that every pattern compiles, and says why and where it was seen.
func TestPatternsSayWhy(t *testing.T) {
	t.Parallel()
	for _, p := range provider.ContextExceededPatterns().List() {
		if _, err := regexp.Compile(p.Expression); err != nil {
			t.Error(err)
		}
		if p.Reason == "" || p.Source == "" {
			t.Errorf("%s: reason %q, source %q", p.Expression, p.Reason, p.Source)
		}
	}
}
