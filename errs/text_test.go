package errs

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/remedyrpc/remedy/internal/authored"
	"github.com/remedyrpc/remedy/internal/authored/authoredtest"
)

func TestTextProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := authoredtest.Hostile().Draw(t, "in")
		cleaned := authored.Clean(in)
		n := rapid.IntRange(1, 40).Draw(t, "n")
		cut, was := cutRunes(cleaned, n)
		if utf8.RuneCountInString(cut) > n || was != (cut != cleaned) || !utf8.ValidString(cut) || was && !strings.HasSuffix(cut, ellipsis) {
			t.Fatalf("cutRunes(%q, %d): %q, %t", cleaned, n, cut, was)
		}
		cut, was = cutWire(cleaned, n)
		if authored.WireLen(cut) > n || was != (cut != cleaned) || !utf8.ValidString(cut) || cleaned != "" && authoredtest.Unfit(cut) != "" {
			t.Fatalf("cutWire(%q, %d): %q, %t", cleaned, n, cut, was)
		}
		if cut, was := bound(in, n); len(cut) > n || !utf8.ValidString(cut) || !was && cut != validUTF8(in) {
			t.Fatalf("bound(%q, %d): %q, %t", in, n, cut, was)
		}
		q := quoted(in)
		inner := q[1 : len(q)-1]
		if q[0] != '"' || q[len(q)-1] != '"' || strings.ContainsAny(inner, "\"“”„‟＂") ||
			utf8.RuneCountInString(inner) > maxValueRunes || authoredtest.Unfit(inner) != "" {
			t.Fatalf("quoted(%q): %q", in, q)
		}
		pointer := "/" + in
		if cut, _ := boundPointer(pointer, n); len(cut) > n || cut != "" && !strings.HasPrefix(validUTF8(pointer), cut) {
			t.Fatalf("boundPointer(%q, %d): %q", pointer, n, cut)
		}
	})
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64]string{0: "0", 0.5: "0.5", 0.1: "0.1", -3: "-3", 1e21: "1000000000000000000000", 1e-7: "0.0000001"} {
		if got := number(f); got != want {
			t.Errorf("%v: got %s, want %s", f, got, want)
		}
	}
	tests := []struct {
		n, unit int64
		want    string
	}{
		{0, 1e9, "0"},
		{500_000_000, 1e9, "0.5"},
		{1, 1e9, "0.000000001"},
		{-1, 1e9, "-0.000000001"},
		{1e9, 1e9, "1"},
		{-1_500_000_000, 1e9, "-1.5"},
		{math.MaxInt64, 1e9, "9223372036.854775807"},
		{math.MinInt64, 1e9, "-9223372036.854775808"},
		{1_500_000, 1e6, "1.5"},
		{math.MaxInt64, 1e6, "9223372036854.775807"},
	}
	for _, test := range tests {
		if got := fixed(test.n, test.unit); got != test.want {
			t.Errorf("%d / %d: got %s, want %s", test.n, test.unit, got, test.want)
		}
	}
	for d, want := range map[time.Duration]string{
		1: "1ms", time.Millisecond: "1ms", 400 * time.Millisecond: "400ms", 999*time.Millisecond + 1: "1000ms",
		time.Second: "1s", time.Second + 1: "2s", time.Hour: "3600s", math.MaxInt64: "9223372037s",
	} {
		if got := wait(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}

func TestNamesInASentence(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"cancel_order": "cancel_order", "/shop.v1.Shop/Cancel": "/shop.v1.Shop/Cancel", "": "(unnamed)", "a b": `"a b"`, "[x]": `"(x)"`,
		strings.Repeat("n", 64): strings.Repeat("n", 64), strings.Repeat("n", 65): `"` + strings.Repeat("n", 63) + `…"`,
		"größe": `"größe"`, "a\nb": `"a b"`,
	} {
		if got := named(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	if got := fieldNamed("$.a"); got != "$.a" {
		t.Errorf("got %s", got)
	}
}
