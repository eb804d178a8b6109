package generate

import (
	"go/format"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/remedyrpc/remedy/internal/authored"
	"github.com/remedyrpc/remedy/internal/authored/authoredtest"
)

func TestComment(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"line", "One line.", "// One line."},
		{"lines", "One.\n\n  Two.  \n", "// One.\n//\n//   Two."},
		{"ends", "\n\nOne.\n\n", "// One."},
		{"empty", "", "//"},
		{"table", "\tcode  a", "// \tcode  a"},
		{"carriage returns", "One.\r\nTwo.\r\n", "// One.\n// Two."},
		{"constraint", "+build ignore\n  +build ignore\n+builder", "// + build ignore\n//   + build ignore\n// +builder"},
		{"directive", "go:build ignore", "// go:build ignore"},
		{"end of a comment", "a */ b", "// a */ b"},
		{"byte order mark", "a\ufeffb", "// ab"},
		{"control", "a\x00\x1b\x7fb", "// ab"},
		{"bidi", "a\u202eb\u2066c", "// abc"},
		{"bad UTF-8", "a\xffb", "// a\ufffdb"},
	}
	for _, test := range tests {
		if got := comment(test.in); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestCommentStaysOne: whatever it says, gofmt leaves a file that has the comment in it a file, with nothing before it.
func TestCommentStaysOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(authoredtest.Hostile(), rapid.Map(rapid.SliceOf(rapid.SampledFrom([]string{
			"\n", "+build ignore", "go:build ignore", " ", "\r", "*/", "a", "//", "\t", "line x:1", "#cgo",
		})), func(parts []string) string { return strings.Join(parts, "") })).Draw(t, "text")
		source, err := format.Source([]byte("package a\n\n" + comment(text) + "\ntype A int\n"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(source), "\n")
		if lines[0] != "package a" || lines[1] != "" || lines[len(lines)-2] != "type A int" {
			t.Fatalf("got %q", source)
		}
		for _, line := range lines[2 : len(lines)-2] {
			if line != "//" && !strings.HasPrefix(line, "// ") && !strings.HasPrefix(line, "//\t") {
				t.Fatalf("%q is no line of a comment, or a directive", line)
			}
		}
	})
}

func TestWrapped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"short", []string{"short"}},
		{"ten bytes.", []string{"ten bytes."}},
		{"ten bytes. more", []string{"ten bytes.", "more"}},
		{"eleven bytes", []string{"eleven", "bytes"}},
		{"onelongword", []string{"onelongword"}},
		{"onelongword and", []string{"onelongword", "and"}},
		{"a onelongword", []string{"a", "onelongword"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, slices.Collect(wrapped(test.in, 10))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.in, diff)
		}
	}
}

func TestWrappedKeepsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := authored.Clean(authoredtest.Hostile().Draw(t, "text"))
		lines := slices.Collect(wrapped(text, rapid.IntRange(1, 20).Draw(t, "width")))
		if got := strings.Join(lines, " "); got != text {
			t.Fatalf("got %q, want %q", got, text)
		}
	})
}
