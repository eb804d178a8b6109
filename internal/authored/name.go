package authored

import (
	"strings"
	"unicode"
)

// IsTool reports whether s is a tool name: 1 to 64 of [A-Za-z0-9_./-].
func IsTool(s string) bool { return isMadeOf(s, "_./-") }

// IsField reports whether s can name an input field in a plan: 1 to 64 of [A-Za-z0-9_.$-].
func IsField(s string) bool { return isMadeOf(s, "_.$-") }

func isMadeOf(s, besides string) bool {
	if s == "" || len(s) > MaxName {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !IsAlnum(c) && strings.IndexByte(besides, c) < 0 {
			return false
		}
	}
	return true
}

// IsAlnum reports whether c is an ASCII letter or digit.
func IsAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// IsCode reports whether s matches [a-z][a-z0-9_]{1,61}[a-z0-9].
func IsCode(s string) bool { return isWord(s, 'a') }

// IsReason reports whether s matches [A-Z][A-Z0-9_]+[A-Z0-9], the form that google.rpc.ErrorInfo asks for.
func IsReason(s string) bool { return isWord(s, 'A') }

// isWord reports whether s is 3 to 63 letters (of the case of first), digits and inner underscores, letter first.
func isWord(s string, first byte) bool {
	if len(s) < MinCode || len(s) > MaxCode {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := c >= first && c < first+26
		digit := c >= '0' && c <= '9'
		switch {
		case letter:
		case i == 0:
			return false
		case digit:
		case c == '_' && i != len(s)-1:
		default:
			return false
		}
	}
	return true
}

// LowerSnake writes a CamelCase name in lower snake case: GetHTTPStatus is get_http_status.
func LowerSnake(name string) string {
	runes := []rune(name)
	var b strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && runes[i-1] != '_' &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
