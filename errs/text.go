package errs

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/remedyrpc/remedy/internal/authored"
)

// Bounds of what enters a status. Lengths of identifiers are in bytes, lengths of sentences in code points.
const (
	maxNameBytes        = authored.MaxName // of a tool or an input field
	maxIDBytes          = 36
	maxKeyBytes         = 64
	maxDomainBytes      = authored.MaxDomain
	maxStringBytes      = 128
	maxIssueRunes       = 160
	maxInstructionRunes = authored.MaxInstruction
	maxHeadlineRunes    = authored.MaxHeadline
	maxValueRunes       = 64
	maxList             = 16
	maxSkills           = 8
	maxSteps            = authored.MaxSteps
	maxNamesShown       = authored.MaxNames
)

const ellipsis = "…"

// hasInvisible reports whether s holds what a reader would not see, or a line break.
func hasInvisible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || authored.Invisible(r) })
}

// withoutInvisible folds the white space of s and removes what a reader would not see.
func withoutInvisible(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if authored.Invisible(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, validUTF8(s))), " ")
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

// cutWire shortens s to at most size bytes of a grpc-message header, the last of them an ellipsis when something was
// cut; it returns nothing where not even that fits.
func cutWire(s string, size int) (string, bool) {
	if authored.WireLen(s) <= size {
		return s, false
	}
	size -= authored.WireLen(ellipsis)
	if size <= 0 {
		return "", true
	}
	used, keep := 0, 0
	for keep < len(s) {
		_, n := utf8.DecodeRuneInString(s[keep:])
		width := authored.WireLen(s[keep : keep+n])
		if used+width > size {
			break
		}
		used += width
		keep += n
	}
	return ended(s[:keep]), true
}

// named shows a name from outside inside a sentence: bare when it cannot be read as anything else, quoted otherwise.
func named(s string) string {
	switch {
	case s == "":
		return "(unnamed)"
	case authored.IsTool(s):
		return s
	default:
		return quoted(s)
	}
}

// fieldNamed is named for the name of an input field.
func fieldNamed(s string) string {
	if authored.IsField(s) {
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
	s = authored.Clean(strings.Map(unquoted, s))
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
