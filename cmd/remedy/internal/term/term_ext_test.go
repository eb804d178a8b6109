package term_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

func TestSafe(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                        "",
		"plain text, ünïcode 東京":  "plain text, ünïcode 東京",
		"a\nb\tc":                 `a\x0ab\x09c`,
		"\x1b[31mred":             `\x1b[31mred`,
		"\u009b31m":               `\u009b31m`,
		"\u202eevil":              `\u202eevil`,
		"line\u2028break":         `line\u2028break`,
		"tag\U000e0041":           `tag\U000e0041`,
		"bad\xff\xfe":             `bad\xff\xfe`,
		"no-break\u00a0space":     "no-break space",
		"family 👨\u200d👩":         "family 👨\u200d👩",
		"replaced \ufffd already": "replaced \ufffd already",
	} {
		if got := term.Safe(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestJSONEscapesAndReadsBack(t *testing.T) {
	t.Parallel()
	in := "<a href>\x1b[31m\u009b\u202e\U000e0041\x7f 東京 \u2028"
	var b strings.Builder
	if err := term.JSON(&b, map[string]string{"text": in}); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.String() {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u2028' || r > 0xe0000) {
			t.Errorf("%q is in the output", r)
		}
	}
	var out map[string]string
	if err := json.Unmarshal([]byte(b.String()), &out); err != nil || out["text"] != in {
		t.Errorf("got %q, %v; want %q", out["text"], err, in)
	}
	if !strings.Contains(b.String(), "<a href>") {
		t.Errorf("HTML is escaped: %s", b.String())
	}
}

func TestPrinterBreaksLines(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := term.NewPrinter(&b, false)
	p.Title("A title")
	p.Field("name", strings.Repeat("word ", 30))
	p.Field("empty", "")
	p.Line(1, strings.Repeat("x", 150)+" and more")
	p.Title("Another")
	p.Item(1, "1. "+strings.Repeat("step ", 25))
	want := "A title\n" +
		"  name          " + strings.TrimSpace(strings.Repeat("word ", 17)) + "\n" +
		"                " + strings.TrimSpace(strings.Repeat("word ", 13)) + "\n" +
		"  " + strings.Repeat("x", 150) + "\n  and more\n" +
		"\nAnother\n" +
		"  1. " + strings.TrimSpace(strings.Repeat("step ", 19)) + "\n" +
		"    " + strings.TrimSpace(strings.Repeat("step ", 6)) + "\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestJSONLine(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := term.JSONLine(&b, map[string]any{"a": "<\u009b", "b": []int{1}}); err != nil {
		t.Fatal(err)
	}
	if want := `{"a":"<\u009b","b":[1]}` + "\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestPrinterColours(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := term.NewPrinter(&b, true)
	p.Title("title")
	p.Bad("bad")
	p.Good("good")
	p.Line(0, "line")
	if want := "\x1b[1mtitle\x1b[0m\n\x1b[1;31mbad\x1b[0m\n\x1b[1;32mgood\x1b[0m\nline\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestColorNeedsATerminal(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	if term.Color(file, none) {
		t.Error("a file is taken for a terminal")
	}
	device, err := os.Open(os.DevNull) // a character device, as a terminal is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = device.Close() })
	for _, set := range []map[string]string{{"NO_COLOR": "1"}, {"TERM": "dumb"}} {
		if term.Color(device, func(name string) string { return set[name] }) {
			t.Errorf("%v: colour is used", set)
		}
	}
}

type full struct{ writes int }

var errFull = errors.New("no space left")

func (f *full) Write([]byte) (int, error) {
	f.writes++
	return 0, errFull
}

func TestPrinterKeepsTheFirstError(t *testing.T) {
	t.Parallel()
	w := &full{}
	p := term.NewPrinter(w, false)
	p.Line(0, "one")
	p.Line(0, "two")
	if !errors.Is(p.Err(), errFull) || w.writes != 1 {
		t.Errorf("got %v after %d writes", p.Err(), w.writes)
	}
}
