package errs

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unfit says why a text must not be shown to an agent, by rules of its own; nothing when it may.
func unfit(s string) string {
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
