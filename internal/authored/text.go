package authored

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes s fit to be read by an agent: valid UTF-8, white space folded, nothing that a reader would not see, and no
// bracket, because the one bracket pair of a message is ours.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	var c cleaner
	c.text.Grow(len(s))
	for _, r := range s { // a bad byte ranges as U+FFFD
		c.take(r)
	}
	return c.text.String()
}

// cleaner takes a text one character at a time.
type cleaner struct {
	text   strings.Builder
	last   rune // the last character written
	joiner rune // a joiner that waits for a second character to join
	space  bool // white space that waits for a character after it
}

func (c *cleaner) take(r rune) {
	visible := !c.space && c.last > '~' // what a joiner or a selector can follow
	switch {
	case unicode.IsSpace(r) || r == brailleBlank:
		c.space, c.joiner = c.text.Len() > 0, 0
	case r == zeroWidthJoiner || r == zeroWidthNonJoiner:
		if visible {
			c.joiner = r
		}
	case r == textStyle || r == emojiStyle:
		if visible && c.last != textStyle && c.last != emojiStyle {
			c.text.WriteRune(r)
			c.last = r
		}
	case !Invisible(r):
		c.write(unbracketed(r))
	}
}

func (c *cleaner) write(r rune) {
	switch {
	case c.space:
		c.text.WriteByte(' ')
	case c.joiner != 0 && r > '~':
		c.text.WriteRune(c.joiner)
	}
	c.space, c.joiner, c.last = false, 0, r
	c.text.WriteRune(r)
}

// isClean is true only for text that Clean leaves as it is; it does not look at all of it.
func isClean(s string) bool {
	last := byte(' ') // a leading space is not Clean
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == '[' || c == ']' || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return s == "" || last != ' '
}

// Characters without an ink of their own that some scripts and emoji need. They are kept only next to characters beyond
// ASCII and never twice, so that no text can hide in them.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
	textStyle          = '\ufe0e'
	emojiStyle         = '\ufe0f'
	brailleBlank       = '\u2800'
)

// Invisible reports characters that a person reviewing the text would not see: controls, bidirectional marks, tag
// characters, other variation selectors, fillers, private use, and what is not assigned.
func Invisible(r rune) bool {
	return r > '~' && (!unicode.IsGraphic(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)) ||
		r < ' '
}

// unbracketed turns square brackets, and the characters that normalization turns into them, into parentheses.
func unbracketed(r rune) rune {
	switch r {
	case '[', '\uff3b', '\ufe47':
		return '('
	case ']', '\uff3d', '\ufe48':
		return ')'
	default:
		return r
	}
}

// WireLen is the length of s in a grpc-message header, where everything but printable ASCII takes three bytes.
func WireLen(s string) int {
	n := len(s)
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '%' {
			n += 2
		}
	}
	return n
}

// TextProblem reports text of more code points than are sent, or that cleaning would change, so that what is written is what
// is read. It continues a sentence that begins with the name of the text, and is empty where nothing is wrong.
func TextProblem(text string, runes int) string {
	if n := len([]rune(text)); n > runes {
		return "has " + strconv.Itoa(n) + " code points, at most " + strconv.Itoa(runes) + " are sent"
	}
	if clean := Clean(text); clean != text {
		before := 0
		for before < min(len(text), len(clean)) && text[before] == clean[before] {
			before++
		}
		for before < len(text) && !utf8.RuneStart(text[before]) {
			before--
		}
		return "has something at " + strconv.QuoteToASCII(beginning(text[before:])) +
			" that is not sent: control or invisible characters, brackets or repeated white space"
	}
	return ""
}

// beginning is the first few characters of a text.
func beginning(text string) string {
	const most = 8
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// Secure begins the links that are sent.
const Secure = "https://"

// IsLink reports whether s is a link that is sent.
func IsLink(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && len(s) <= MaxLink && strings.HasPrefix(s, Secure) && Clean(s) == s && !strings.Contains(s, " ")
}
