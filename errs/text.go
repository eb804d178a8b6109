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
	maxToolBytes        = 64
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

// clean makes s fit to be read by an agent: valid UTF-8, white space folded, no control, bidirectional or other
// invisible characters, and no bracket, because the one bracket pair of a message is ours.
func clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s { // a bad byte ranges as U+FFFD
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case invisible(r):
			continue
		case r == '[':
			r = '('
		case r == ']':
			r = ')'
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

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

// invisible reports characters that a person reviewing the text would not see: controls, bidirectional marks, tag
// characters, private use. The joiners are kept, because some scripts and emoji need them.
func invisible(r rune) bool {
	if r == '\u200c' || r == '\u200d' {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
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
			return strings.TrimRight(s[:keep], " ") + ellipsis, true
		}
		count++
	}
	return s, false
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
	for i, r := range s {
		width := wireLen(s[i : i+utf8.RuneLen(r)])
		if used+width > size {
			break
		}
		used += width
		keep = i + utf8.RuneLen(r)
	}
	return strings.TrimRight(s[:keep], " ") + ellipsis, true
}

// isName reports whether s is a tool name: 1 to 64 of [A-Za-z0-9_./-].
func isName(s string) bool {
	if s == "" || len(s) > maxToolBytes {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !isAlnum(c) && c != '_' && c != '.' && c != '/' && c != '-' {
			return false
		}
	}
	return true
}

// isField reports whether s can name an input field in a plan: 1 to 64 of [A-Za-z0-9_.$-].
func isField(s string) bool {
	if s == "" || len(s) > maxToolBytes {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !isAlnum(c) && c != '_' && c != '.' && c != '$' && c != '-' {
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

// quoted shows a value from outside inside a sentence: at most 64 code points between quotation marks that it cannot
// close.
func quoted(s string) string {
	const window = 8 * maxValueRunes // what can still be shown after cleaning; the rest need not be looked at
	if cut, was := bound(s, window); was {
		s = cut + ellipsis
	}
	s = strings.ReplaceAll(clean(s), `"`, "'")
	s, _ = cutRunes(s, maxValueRunes)
	return `"` + s + `"`
}

// number writes the shortest decimal that reads back as f, without an exponent.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// nanosDecimal writes n billionths as a decimal, exactly.
func nanosDecimal(n int64) string {
	const billion = 1_000_000_000
	whole, rest := n/billion, n%billion
	sign := ""
	if n < 0 {
		sign, whole, rest = "-", -whole, -rest
	}
	if rest == 0 {
		return sign + strconv.FormatInt(whole, 10)
	}
	fraction := strconv.FormatInt(billion+rest, 10)[1:]
	return sign + strconv.FormatInt(whole, 10) + "." + strings.TrimRight(fraction, "0")
}

// millis writes d in milliseconds, exactly.
func millis(d time.Duration) string { return number(float64(d) / float64(time.Millisecond)) }

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
