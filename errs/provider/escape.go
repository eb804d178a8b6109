package provider

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape undoes one level of backslashes.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n', 'r':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'u':
			r, n := codePoint(s[i+1:])
			b = utf8.AppendRune(b, r)
			i += n
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}

// codePoint reads the hexadecimal digits of a \u escape, and a second one where they are half of a pair.
func codePoint(s string) (r rune, n int) {
	r, ok := hex4(s)
	if !ok {
		return utf8.RuneError, 0
	}
	if utf16.IsSurrogate(r) && len(s) >= 10 && s[4] == '\\' && s[5] == 'u' {
		if low, ok := hex4(s[6:]); ok {
			return utf16.DecodeRune(r, low), 10
		}
	}
	return r, 4
}

func hex4(s string) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for i := range 4 {
		c := s[i] | 0x20
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
