package exact

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

// Canonical writes a value so that equal values are equal bytes: RFC 8785, but with numbers as exact decimals.
func Canonical(v any) []byte { return appendValue(nil, v) }

// Digest is the SHA-256 of the canonical form.
func Digest(v any) [sha256.Size]byte { return sha256.Sum256(Canonical(v)) }

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case string:
		return appendString(b, v)
	case json.Number:
		return append(b, v...)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, item)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, name := range slices.SortedFunc(maps.Keys(v), compareUnits) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, name)
			b = append(b, ':')
			b = appendValue(b, v[name])
		}
		return append(b, '}')
	default:
		return append(b, "null"...)
	}
}

// compareUnits orders names by their UTF-16 code units (RFC 8785, section 3.2.3), which is the order of their bytes
// except where a character beyond the basic plane is compared with one from U+E000 on.
func compareUnits(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			if a[i] < 0xEE && b[i] < 0xEE { // neither begins, nor is within, a character from U+E000 on
				break
			}
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		}
	}
	return strings.Compare(a, b)
}

// appendString escapes what RFC 8785, section 3.2.2.2 says, and nothing else.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, `\b`...)
		case '\t':
			b = append(b, `\t`...)
		case '\n':
			b = append(b, `\n`...)
		case '\f':
			b = append(b, `\f`...)
		case '\r':
			b = append(b, `\r`...)
		default:
			if c < ' ' {
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			} else {
				b = append(b, c)
			}
		}
	}
	return append(b, '"')
}
