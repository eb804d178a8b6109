package provider

import (
	"slices"
	"strings"
	"sync"

	"github.com/remedyrpc/remedy/internal/authored"
)

// maxCode bounds a code of a provider: some put a sentence there.
const maxCode = 128

// codeName is a name as it is handed on; empty where it is none. A code is shown to people and agents, and whoever answers
// chooses it: it has letters, digits, some punctuation and single spaces, and holds no key.
func codeName(name string) string {
	name = strings.TrimSpace(head(authored.Clean(head(name, maxText)), maxCode))
	for i := range len(name) {
		if c := name[i]; !authored.IsAlnum(c) && strings.IndexByte("_.:/- ", c) < 0 {
			return ""
		}
	}
	if slices.ContainsFunc(strings.Fields(name), isKey) {
		return ""
	}
	return name
}

// keyPrefixes begin keys of providers, in lower case.
func keyPrefixes() []string {
	return []string{
		"sk-", "pk-", "rk-", "gsk_", "xai-", "hf_", "r8_", "ghp_", "gho_", "ghs_", "github_pat_", "xox", "aiza", "akia", "eyj", "pplx-",
		"nvapi-", "ya29.",
	}
}

// isKey reports whether a word looks like a key rather than a name: it begins like one, or is a long mixture of letters and
// digits.
func isKey(word string) bool {
	const longest = 64 // of a name without a separator
	lower := lowered(word)
	if slices.ContainsFunc(keyPrefixes(), func(prefix string) bool { return strings.HasPrefix(lower, prefix) && len(word) > len(prefix)+3 }) {
		return true
	}
	digits, run, runDigits := 0, 0, 0
	for i := range len(word) {
		if !authored.IsAlnum(word[i]) {
			run, runDigits = 0, 0
			continue
		}
		run++
		if isDigit(word[i]) {
			digits++
			runDigits++
		}
		if run >= 20 && runDigits >= 2 || run > longest {
			return true
		}
	}
	return len(word) >= 24 && digits >= 6
}

// knownCodes are the codes that a rule knows, in lower case.
var knownCodes = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for _, rules := range [][]codeRule{codeRules(), genericCodes()} {
		for i := range rules {
			for _, code := range rules[i].codes {
				known[code] = true
			}
		}
	}
	return known
})

// isKnownName reports whether a word of a sentence is the name of a failure: a code that a rule knows, or the name of an
// exception. Any other word may be anything, a secret too.
func isKnownName(word string) bool {
	lower := lowered(word)
	return knownCodes()[lower] || contextCode(lower) ||
		strings.HasSuffix(word, "Exception") || strings.HasSuffix(word, "Error") || strings.HasSuffix(word, "Fault")
}
