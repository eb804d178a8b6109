package errs

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of what enters a status. Lengths of identifiers are in bytes, lengths of sentences in code points.
const (
	maxNameBytes        = 64 // of a tool or an input field
	maxIDBytes          = 36
	maxKeyBytes         = 64
	maxDomainBytes      = 63
	maxStringBytes      = 128
	maxIssueRunes       = 160
	maxInstructionRunes = 160
	maxHeadlineRunes    = 300
	maxValueRunes       = 64
	maxList             = 16
	maxSkills           = 8
	maxSteps            = 5
	maxNamesShown       = 8
)

const ellipsis = "…"

// clean makes s fit to be read by an agent: valid UTF-8, white space folded, nothing that a reader would not see, and no
// bracket, because the one bracket pair of a message is ours.
func clean(s string) string {
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
	case !invisible(r):
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

// isClean is true only for text that clean leaves as it is; it does not look at all of it.
func isClean(s string) bool {
	last := byte(' ') // a leading space is not clean
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

// hasInvisible reports whether s holds what a reader would not see, or a line break.
func hasInvisible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || invisible(r) })
}

// withoutInvisible folds the white space of s and removes what a reader would not see.
func withoutInvisible(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if invisible(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, validUTF8(s))), " ")
}

// invisible reports characters that a person reviewing the text would not see: controls, bidirectional marks, tag
// characters, other variation selectors, fillers, private use, and what is not assigned.
func invisible(r rune) bool {
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

// validUTF8 replaces bad bytes; one of them would make every client drop all details.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// bound makes s valid and cuts it to at most size bytes on a code point.
func bound(s string, size int) (string, bool) {
	s = validUTF8(s)
	if len(s) <= size {
		return s, false
	}
	cut := size
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut], true
}

// cutRunes shortens s to at most n code points, the last of them an ellipsis when something was cut.
func cutRunes(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	count, keep := 0, 0
	for i := range s {
		if count == n-1 {
			keep = i
		}
		if count == n {
			return ended(s[:keep]), true
		}
		count++
	}
	return s, false
}

// ended ends a text that was cut.
func ended(s string) string {
	return strings.TrimRight(s, " \u200c\u200d") + ellipsis
}

// wireLen is the length of s in a grpc-message header, where everything but printable ASCII takes three bytes.
func wireLen(s string) int {
	n := len(s)
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '%' {
			n += 2
		}
	}
	return n
}

// cutWire shortens s to at most size bytes of a grpc-message header, the last of them an ellipsis when something was
// cut; it returns nothing where not even that fits.
func cutWire(s string, size int) (string, bool) {
	if wireLen(s) <= size {
		return s, false
	}
	size -= wireLen(ellipsis)
	if size <= 0 {
		return "", true
	}
	used, keep := 0, 0
	for keep < len(s) {
		_, n := utf8.DecodeRuneInString(s[keep:])
		width := wireLen(s[keep : keep+n])
		if used+width > size {
			break
		}
		used += width
		keep += n
	}
	return ended(s[:keep]), true
}

// isName reports whether s is a tool name: 1 to 64 of [A-Za-z0-9_./-].
func isName(s string) bool { return isMadeOf(s, "_./-") }

// isField reports whether s can name an input field in a plan: 1 to 64 of [A-Za-z0-9_.$-].
func isField(s string) bool { return isMadeOf(s, "_.$-") }

func isMadeOf(s, besides string) bool {
	if s == "" || len(s) > maxNameBytes {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && strings.IndexByte(besides, c) < 0 {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// named shows a name from outside inside a sentence: bare when it cannot be read as anything else, quoted otherwise.
func named(s string) string {
	switch {
	case s == "":
		return "(unnamed)"
	case isName(s):
		return s
	default:
		return quoted(s)
	}
}

// fieldNamed is named for the name of an input field.
func fieldNamed(s string) string {
	if isField(s) {
		return s
	}
	return named(s)
}

// quoted shows a value from outside inside a sentence: at most 64 code points between quotation marks that it cannot
// close.
func quoted(s string) string {
	const window = 8 * maxValueRunes // what can still be shown after cleaning; the rest need not be looked at
	if cut, was := bound(s, window); was {
		s = cut + ellipsis
	}
	s = clean(strings.Map(unquoted, s))
	s, _ = cutRunes(s, maxValueRunes)
	return `"` + s + `"`
}

// unquoted turns what could be read as the end of a quotation into an apostrophe.
func unquoted(r rune) rune {
	switch r {
	case '"', '\u201c', '\u201d', '\u201e', '\u201f', '\uff02':
		return '\''
	default:
		return r
	}
}

// number writes the shortest decimal that reads back as f, without an exponent.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// fixed writes n parts of unit, a power of ten, as a decimal, exactly: 1500000 nanoseconds are 1.5 milliseconds.
func fixed(n, unit int64) string {
	whole, rest := n/unit, n%unit
	sign := ""
	if n < 0 {
		sign, whole, rest = "-", -whole, -rest
	}
	if rest == 0 {
		return sign + strconv.FormatInt(whole, 10)
	}
	fraction := strconv.FormatInt(unit+rest, 10)[1:]
	return sign + strconv.FormatInt(whole, 10) + "." + strings.TrimRight(fraction, "0")
}

// wait writes a delay for a message: whole seconds rounded up from one second on, else milliseconds rounded up.
func wait(d time.Duration) string {
	if d >= time.Second {
		return strconv.FormatInt(ceilDiv(int64(d), int64(time.Second)), 10) + "s"
	}
	return strconv.FormatInt(ceilDiv(int64(d), int64(time.Millisecond)), 10) + "ms"
}

func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 {
		q++
	}
	return q
}
