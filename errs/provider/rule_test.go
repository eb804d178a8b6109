package provider

import (
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/errs"
)

func tables() map[string]table {
	return map[string]table{
		"context": contextRules(), "prompt": promptRules(), "soft vetoes": softVetoes(), "hard vetoes": hardVetoes(),
		"pairing": pairingRules(), "pairing vetoes": pairingVetoes(), "auth": authRules(), "quota": quotaRules(),
		"overload": overloadRules(), "rate": rateRules(), "rate windows": rateWindows(), "plan windows": planWindows(),
		"socket": socketRules(), "abort": abortRules(), "local": localRules(), "generic": genericRules(),
	}
}

// TestRules holds that every rule gives its reason and its source, and none that contradicts itself.
func TestRules(t *testing.T) {
	t.Parallel()
	for name, rules := range tables() {
		for _, r := range rules {
			if len(r.any) == 0 || r.reason == "" || r.source == "" {
				t.Errorf("%s: %v: reason %q, source %q", name, r.any, r.reason, r.source)
			}
			requireVerdict(t, name+" "+r.reason, r.says)
			for _, pattern := range r.any {
				if pattern == "" || strings.ContainsAny(pattern, "\"'`ABCDEFGHIJKLMNOPQRTUVXYZ") {
					t.Errorf("%s: %q matches no folded text", name, pattern)
				}
			}
		}
	}
	for _, rules := range [][]codeRule{codeRules(), genericCodes()} {
		seen := map[string]bool{}
		for _, r := range rules {
			if len(r.codes) == 0 || r.reason == "" || r.source == "" {
				t.Errorf("%v: reason %q, source %q", r.codes, r.reason, r.source)
			}
			requireVerdict(t, r.reason, r.says)
			for _, code := range r.codes {
				if key := r.provider + " " + code; seen[key] || code != strings.ToLower(code) {
					t.Errorf("code %q stands twice, or not in lower case", key)
				} else {
					seen[key] = true
				}
			}
		}
	}
}

func requireVerdict(t *testing.T, name string, v verdict) {
	t.Helper()
	switch {
	case v.limit == errs.LimitQuota && v.retry != retryNo, v.limit != "" && v.retry == retryUnknown, v.limit != "" && v.auth != "",
		v.window != "" && v.limit == "" && !strings.Contains(name, "windows"), v.kind != "" && (v.limit != "" || v.auth != ""):
		t.Errorf("%s: %+v", name, v)
	}
}

// TestNeedles holds that looking for a needle first loses no match, over all wordings of the corpus.
func TestNeedles(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, name := range []string{"failures.jsonl", "fresh.jsonl", "wordings.jsonl", "decisions.jsonl", "lookalikes.jsonl", "alikes.jsonl"} {
		for _, c := range corpus(t, name) {
			texts = append(texts, look(new(c.failure(t))).text)
		}
	}
	without := 0
	for name, rules := range tables() {
		for i := range rules {
			for _, w := range rules[i].wordings {
				if len(w.needle) == 0 {
					without++
				}
				for _, text := range texts {
					if w.re.MatchString(text) && !w.needle.in(text) {
						t.Errorf("%s: %s matches %q without a needle of %v", name, w.re, text, w.needle)
					}
				}
			}
		}
	}
	if without > 12 { // each is tried on every text
		t.Errorf("%d wordings have no needle", without)
	}
}
