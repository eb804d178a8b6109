// Package term writes for people and programs without trusting what it writes: no control character of an input reaches
// the terminal.
package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe returns s with every character that a terminal could act on, or that a reader could not see, written as an
// escape. Line breaks are escaped too, and every kind of space becomes the plain one.
func Safe(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return unsafe(r) || r > ' ' && unicode.Is(unicode.Zs, r) }) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1, r < utf8.RuneSelf && unsafe(r):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r > 0xffff && unsafe(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		case unsafe(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		case unicode.Is(unicode.Zs, r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// unsafe reports controls, line and paragraph separators, bidirectional marks, tags, private use and unassigned code
// points. Spaces are kept, and so are the joiners, which some scripts and emoji need.
func unsafe(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) && r != nonJoiner && r != joiner
}

// JSON writes v as one indented JSON value. Inside strings, what [Safe] would escape is escaped the way of JSON.
func JSON(w io.Writer, v any) error { return writeJSON(w, v, "  ") }

// JSONLine writes v as one JSON value on one line, the same way.
func JSONLine(w io.Writer, v any) error { return writeJSON(w, v, "") }

func writeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("encoding JSON: %w", err)
	}
	if _, err := w.Write(escapeJSON(b.Bytes())); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// escapeJSON escapes what [json.Encoder] leaves as it is. Outside strings there is nothing of the kind but line breaks.
func escapeJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n' || !unsafe(r):
			out = append(out, text[:size]...)
		case r > 0xffff:
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[size:]
	}
	return out
}
