package provider

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// number is a duration in units, rounded up.
func number(d, unit time.Duration) string {
	n := int64(d / unit)
	if d%unit > 0 && n < math.MaxInt64 {
		n++
	}
	return strconv.FormatInt(n, 10)
}

// head cuts a text to at most n bytes, between runes.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
