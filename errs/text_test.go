package errs

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/remedyrpc/remedy/internal/authored"
)

func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "Plain text.", "Plain text."},
		{"spaces", "  a \t\r\n b\u00a0\u2003\u2028c  ", "a b c"},
		{"only spaces", " \n ", ""},
		{"controls", "a\x00b\x1b[31mc\x7fd\u0085e", "ab(31mcd e"},
		{"brackets", "[a] \uff3bb\uff3d \ufe47c\ufe48", "(a) (b) (c)"},
		{"bidi", "a\u202ab\u202ec\u2066d\u2069e\u200ef\u061cg", "abcdefg"},
		{"zero width", "a\u200bb\ufeffc\u2060d\u00ade", "abcde"},
		{"joiners between ASCII", "a\u200db\u200cc", "abc"},
		{"joiners in scripts", "می\u200cخواهم क\u200dष", "می\u200cخواهم क\u200dष"},
		{"joiners twice", "م\u200c\u200c\u200dم", "م\u200dم"},
		{"joiners at the ends", "\u200cم\u200c", "م"},
		{"joiners before a bracket", "م\u200c［", "م("},
		{"joiners at a space", "م\u200c \u200cن", "م ن"},
		{"emoji", "❤\ufe0f\u200d🔥 👩\u200d👧", "❤\ufe0f\u200d🔥 👩\u200d👧"},
		{"selectors on ASCII", "1\ufe0f2", "12"},
		{"selectors twice", "❤\ufe0f\ufe0f\ufe0e", "❤\ufe0f"},
		{"hidden selectors", "a\ufe00b\U000e0100c\U000e01efd", "abcd"},
		{"tags", "a\U000e0041\U000e007fb", "ab"},
		{"fillers", "a\u3164b\uffa0c\u115fd\u2800e", "abcd e"},
		{"private use", "a\ue000b\U0010fffdc", "abc"},
		{"not assigned", "a\ufdd0b\U000e0fffc\uffffd", "abcd"},
		{"grapheme joiner", "a\u034fb", "ab"},
		{"bad UTF-8", "a\xff\xfeb\xed\xa0\x80c", "a\ufffd\ufffdb\ufffd\ufffd\ufffdc"},
		{"accents", "Zürich é naïve", "Zürich é naïve"},
		{"CJK", "店は[休み]です。", "店は(休み)です。"},
	}
	for _, test := range tests {
		if got := authored.Clean(test.in); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// hostile draws text that has everything in it that has a meaning somewhere.
func hostile() *rapid.Generator[string] {
	parts := []string{
		"a",
		"Z",
		"0",
		" ",
		"  ",
		"\n",
		"[",
		"]",
		"[slot_stale; do not retry]",
		" Next action: ",
		"\x00",
		"\x7f",
		"\xff",
		"\xed\xa0\x80",
		"%",
		"é",
		"一",
		"🧾",
		"\u200b",
		"\u200c",
		"\u200d",
		"\ufe0f",
		"\ufe00",
		"\u202e",
		"\u2066",
		"\U000e0041",
		"\u3164",
		"\uff3b",
		"\uff3d",
		"\"",
		"”",
		"'",
		"{",
		"}",
		"{slot}",
		"…",
		"\u2028",
		"\ue000",
		"\ufdd0",
		"/",
		".",
		"\u0301",
		"م",
	}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(parts), rapid.String()), 0, 60).Draw(t, "parts"), "")
	})
}

func TestTextProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := hostile().Draw(t, "in")
		cleaned := authored.Clean(in)
		if authored.Clean(cleaned) != cleaned {
			t.Fatalf("cleaning twice: %q, then %q", cleaned, authored.Clean(cleaned))
		}
		if problem := unfit(cleaned); problem != "" {
			t.Fatalf("%q: %s", cleaned, problem)
		}
		n := rapid.IntRange(1, 40).Draw(t, "n")
		cut, was := cutRunes(cleaned, n)
		if utf8.RuneCountInString(cut) > n || was != (cut != cleaned) || !utf8.ValidString(cut) || was && !strings.HasSuffix(cut, ellipsis) {
			t.Fatalf("cutRunes(%q, %d): %q, %t", cleaned, n, cut, was)
		}
		cut, was = cutWire(cleaned, n)
		if authored.WireLen(cut) > n || was != (cut != cleaned) || !utf8.ValidString(cut) || cleaned != "" && unfit(cut) != "" {
			t.Fatalf("cutWire(%q, %d): %q, %t", cleaned, n, cut, was)
		}
		if cut, was := bound(in, n); len(cut) > n || !utf8.ValidString(cut) || !was && cut != validUTF8(in) {
			t.Fatalf("bound(%q, %d): %q, %t", in, n, cut, was)
		}
		q := quoted(in)
		inner := q[1 : len(q)-1]
		if q[0] != '"' || q[len(q)-1] != '"' || strings.ContainsAny(inner, "\"“”„‟＂") ||
			utf8.RuneCountInString(inner) > maxValueRunes || unfit(inner) != "" {
			t.Fatalf("quoted(%q): %q", in, q)
		}
		pointer := "/" + in
		if cut, _ := boundPointer(pointer, n); len(cut) > n || cut != "" && !strings.HasPrefix(validUTF8(pointer), cut) {
			t.Fatalf("boundPointer(%q, %d): %q", pointer, n, cut)
		}
		template := authored.ParseTemplate(in)
		if got := template.Fill(func(name string) string { return "{" + name + "}" }); got != in {
			t.Fatalf("a template filled with its own placeholders: %q, want %q", got, in)
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

// TestWireLen compares with how grpc encodes a message (gRPC over HTTP/2, Percent-Encoded).
func TestWireLen(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{"": 0, "a b~": 4, "%": 3, "\n": 3, "ü": 6, "一": 9, "🧾": 12, "\x7f": 3} {
		if got := authored.WireLen(in); got != want {
			t.Errorf("%q: got %d, want %d", in, got, want)
		}
	}
}
