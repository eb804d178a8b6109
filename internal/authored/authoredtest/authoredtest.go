// Package authoredtest helps to test what is made of texts.
package authoredtest

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Hostile draws text that has everything in it that has a meaning somewhere.
func Hostile() *rapid.Generator[string] {
	parts := []string{
		"a",
		"Z",
		"0",
		" ",
		"  ",
		"\n",
		"[",
		"]",
		"[slot_stale; do not retry]",
		" Next action: ",
		"\x00",
		"\x7f",
		"\xff",
		"\xed\xa0\x80",
		"%",
		"é",
		"一", //nolint:gosmopolitan // on purpose
		"🧾",
		"\u200b",
		"\u200c",
		"\u200d",
		"\ufe0f",
		"\ufe00",
		"\u202e",
		"\u2066",
		"\U000e0041",
		"\u3164",
		"\uff3b",
		"\uff3d",
		"\"",
		"”",
		"'",
		"{",
		"}",
		"{slot}",
		"…",
		"\u2028",
		"\ue000",
		"\ufdd0",
		"/",
		".",
		"\u0301",
		"م",
	}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(parts), rapid.String()), 0, 60).Draw(t, "parts"), "")
	})
}

// Unfit says why a text must not be shown to an agent, by rules of its own; nothing when it may.
func Unfit(s string) string { //nolint:cyclop // a case is a rule
	if !utf8.ValidString(s) {
		return "bad UTF-8"
	}
	var last rune
	for i, r := range s {
		at := " at byte " + strconv.Itoa(i)
		joiner := r == '\u200c' || r == '\u200d'
		switch {
		case unicode.IsControl(r):
			return "a control character" + at
		case unicode.Is(unicode.Bidi_Control, r):
			return "a bidirectional mark" + at
		case unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs) && !joiner:
			return "an invisible character" + at
		case unicode.Is(unicode.Variation_Selector, r) && (last <= '~' || unicode.Is(unicode.Variation_Selector, last)):
			return "a stray selector" + at
		case joiner && (last <= '~' || last == '\u200c' || last == '\u200d'):
			return "a stray joiner" + at
		case unicode.IsSpace(r) && r != ' ':
			return "white space that is no space" + at
		case r == ' ' && (last == ' ' || i == 0):
			return "a needless space" + at
		}
		last = r
	}
	switch {
	case last == ' ':
		return "a space at the end"
	case last == '\u200c' || last == '\u200d':
		return "a joiner at the end"
	case strings.ContainsAny(s, "[]［］"):
		return "a bracket"
	default:
		return ""
	}
}
