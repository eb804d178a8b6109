// Package exact reads JSON without losing anything of it: numbers stay decimals, and what two parsers could read
// differently (members given twice, lone surrogates, numbers no computer keeps) is refused instead of interpreted.
//
// A value is nil, bool, string, [encoding/json.Number], []any or map[string]any. Every number is written in plain digits
// with no exponent, so that equal numbers are equal strings.
package exact

// Bounds of one value. The caller sets none of them: they are what the digests, the validator and the log can bear.
const (
	// MaxBytes bounds the text.
	MaxBytes = 1 << 20
	// MaxDepth bounds how deep lists and objects nest; an object that holds only scalars has depth 1.
	MaxDepth = 64
	// MaxDigits bounds a number, written in plain digits.
	MaxDigits = 64
	// MaxValues bounds how many values there are in all, because a validator may say something of each.
	MaxValues = 100_000
	// MaxSafeInteger is the largest integer that a double holds exactly, 2^53-1 (RFC 8259, section 6).
	MaxSafeInteger = 1<<53 - 1
)
