package exact

import (
	"encoding/json"
	"strconv"
	"strings"
)

// number writes a JSON number in plain digits: no exponent, no zeros that say nothing, no negative zero. The text must
// be a number by the grammar of JSON.
func number(text string) (json.Number, *Fault) {
	negative := strings.HasPrefix(text, "-")
	mantissa, exponent := strings.TrimPrefix(text, "-"), ""
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		mantissa, exponent = mantissa[:i], mantissa[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	point := len(whole) // where the point stands in digits
	trimmed := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(trimmed)
	digits = strings.TrimRight(trimmed, "0")
	if digits == "" {
		return "0", nil
	}
	shift, ok := exponentOf(exponent)
	if !ok || len(digits) > MaxDigits {
		return "", tooLong()
	}
	if point += shift; point > MaxDigits || len(digits)-point > MaxDigits {
		return "", tooLong()
	}
	var plain string
	switch {
	case point <= 0:
		plain = "0." + strings.Repeat("0", -point) + digits
	case point >= len(digits):
		plain = digits + strings.Repeat("0", point-len(digits))
	default:
		plain = digits[:point] + "." + digits[point:]
	}
	if count := len(plain) - strings.Count(plain, "."); count > MaxDigits {
		return "", tooLong()
	}
	if negative {
		plain = "-" + plain
	}
	return json.Number(plain), nil
}

// exponentOf reads an exponent; false for one that no number of MaxDigits digits has, however many zeros it starts with.
func exponentOf(text string) (int, bool) {
	if text == "" {
		return 0, true
	}
	sign := 1
	switch text[0] {
	case '-':
		sign = -1
		text = text[1:]
	case '+':
		text = text[1:]
	}
	text = strings.TrimLeft(text, "0")
	if text == "" {
		return 0, true
	}
	const enough = 8 // digits; the text itself is at most MaxBytes long, so zeros in the mantissa cannot balance more
	if len(text) > enough {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return sign * n, err == nil
}

// isInteger reports whether a number in plain digits has no fraction.
func isInteger(n json.Number) bool { return !strings.Contains(string(n), ".") }
