package authored_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remedyrpc/remedy/internal/authored"
	"github.com/remedyrpc/remedy/internal/authored/authoredtest"
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

func TestCleanProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := authoredtest.Hostile().Draw(t, "in")
		cleaned := authored.Clean(in)
		if again := authored.Clean(cleaned); again != cleaned {
			t.Fatalf("cleaning twice: %q, then %q", cleaned, again)
		}
		if problem := authoredtest.Unfit(cleaned); problem != "" {
			t.Fatalf("%q: %s", cleaned, problem)
		}
		if problem := authored.TextProblem(cleaned, len(cleaned)); problem != "" {
			t.Fatalf("%q: %s", cleaned, problem)
		}
		if problem := authored.TextProblem(in, len(in)); (problem == "") != (in == cleaned) {
			t.Fatalf("%q: %q", in, problem)
		}
	})
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

func TestTextProblem(t *testing.T) {
	t.Parallel()
	const others = " that is not sent: control or invisible characters, brackets or repeated white space"
	tests := []struct {
		name, in, want string
	}{
		{"empty", "", ""},
		{"at the bound", "äöüß€", ""},
		{"over the bound", "äöüß€!", "has 6 code points, at most 5 are sent"},
		{"brackets", "a [b]", `has something at "[b]"` + others},
		{"white space", "a  b", `has something at " b"` + others},
		{"at the end", "a ", `has something at " "` + others},
		{"bidi", "a\u202eb", `has something at "\u202eb"` + others},
		{"in a character", "\u20aa\u202e", `has something at "\u202e"` + others},
	}
	for _, test := range tests {
		if got := authored.TextProblem(test.in, 5); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestIsLink(t *testing.T) {
	t.Parallel()
	const secure = authored.Secure
	for in, want := range map[string]bool{
		"": false, secure: false, secure + "/a": false, secure + "a.example": true, secure + "a.example/b#c": true,
		"http://a.example": false, "HTTPS://a.example": false, secure + "a b": false, secure + "a.example/[b]": false,
		secure + "a.example/" + strings.Repeat("b", authored.MaxLink-len(secure+"a.example/")):   true,
		secure + "a.example/" + strings.Repeat("b", authored.MaxLink-len(secure+"a.example/")+1): false,
		secure + "a.example/%zz": false, secure + "a.example/\u202e": false,
	} {
		if got := authored.IsLink(in); got != want {
			t.Errorf("%q: got %t, want %t", in, got, want)
		}
	}
}
