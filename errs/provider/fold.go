package provider

import (
	"strings"
	"unicode/utf8"
)

// maxText bounds the text that rules read: half from the head and half from the tail, where providers put the cause.
const maxText = 32 << 10

// fold brings a text into the form that rules are written for: lower case, no quotes and no escapes of them, no addresses,
// single spaces, and ASCII for full-width punctuation.
func fold(s string) string {
	s = ends(s, maxText)
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\\':
			n := escape(s[i:])
			if n > 1 {
				b = space(b)
			}
			i += n
		case c == '"', c == '\'', c == '`':
			i++
		case c == 0x1b:
			b = space(b)
			i += colorEnd(s[i:])
		case c <= ' ' || c == 0x7f:
			b = space(b)
			i++
		case c == ':' && len(b) > 0 && isLower(b[len(b)-1]) && strings.HasPrefix(s[i:], "://"):
			b = dropWord(b)
			i += addressEnd(s[i:])
		case c < utf8.RuneSelf:
			b = append(b, lower(c))
			i++
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			b = appendFolded(b, r)
			i += n
		}
	}
	return strings.TrimSpace(string(b))
}

// escape is the length of an escape: two for a blank, one for the backslash before anything else.
func escape(s string) int {
	if len(s) > 1 && (s[1] == 'n' || (s[1] == 'r' || s[1] == 't') && (len(s) == 2 || !isLower(s[2]))) {
		return 2
	}
	return 1
}

// colorEnd is the length of an escape sequence of a terminal.
func colorEnd(s string) int {
	if len(s) < 2 || s[1] != '[' {
		return 1
	}
	n := 2
	for n < len(s) && (isDigit(s[n]) || s[n] == ';') {
		n++
	}
	return min(n+1, len(s))
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// lowered is a text with the letters of ASCII in lower case, every byte in its place.
func lowered(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lower(c)
	}
	return string(b)
}

func space(b []byte) []byte {
	if len(b) == 0 || b[len(b)-1] == ' ' {
		return b
	}
	return append(b, ' ')
}

// dropWord removes the scheme of an address.
func dropWord(b []byte) []byte {
	for len(b) > 0 && (isLower(b[len(b)-1]) || b[len(b)-1] == '+') {
		b = b[:len(b)-1]
	}
	return b
}

// addressEnd is the length of an address; what ends one in JSON, prose or Chinese text ends it here.
func addressEnd(s string) int {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= utf8.RuneSelf || strings.IndexByte(`"'<>\)]},;`+"`", c) >= 0 {
			return i
		}
	}
	return len(s)
}

func appendFolded(b []byte, r rune) []byte {
	switch {
	case r == utf8.RuneError:
		return b
	case r >= 0xff01 && r <= 0xff5e: // full-width forms of ASCII
		return append(b, lower(byte(r-0xff01+'!')))
	case r >= 0x2018 && r <= 0x201f: // typographic quotes
		return b
	case r >= 0x200b && r <= 0x200d, r == 0xfeff, r == 0xad: // of no width
		return b
	case r == 0xa0, r == 0x3000, r == 0x202f, r == 0x2028, r >= 0x2500 && r <= 0x259f: // frames that a terminal drew too
		return space(b)
	case r == 0x2010, r == 0x2011, r == 0x2013, r == 0x2014:
		return append(b, '-')
	default:
		return utf8.AppendRune(b, r)
	}
}

// ends keeps head and tail of a text of more than n bytes, between runes.
func ends(s string, n int) string {
	if len(s) <= n {
		return s
	}
	tail := len(s) - n/2
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return head(s, n/2) + "\n" + s[tail:]
}
