package generate

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// refusals are the cases of testdata/refused. The protos of a case are generated together, but for those in its folders
// imported and remedy; a comment `// plugin: ` holds options of the plugin.
func refusals(tb testing.TB) []string {
	tb.Helper()
	entries, err := os.ReadDir(filepath.Join("testdata", "refused"))
	if err != nil {
		tb.Fatal(err)
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// TestRefused compares what is said of each case. Below each text stands the place that it points at.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, name := range refusals(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join("testdata", "refused", name)
			got := refused(t, folder)
			golden(t, filepath.Join(folder, "want.golden"), pointedAt(t, folder, got))
		})
	}
}

// inputs are the protos of a case that are generated, and the options of the plugin.
func inputs(t *testing.T, folder string) (names []string, parameter string) {
	t.Helper()
	var parameters []string
	for _, name := range protosOf(t, folder) {
		if strings.HasPrefix(name, "imported/") || strings.HasPrefix(name, "remedy/") {
			continue
		}
		names = append(names, name)
		if found := regexp.MustCompile(`(?m)^// plugin: (.*)$`).FindStringSubmatch(read(t, filepath.Join(folder, name))); found != nil {
			parameters = append(parameters, found[1])
		}
	}
	return names, strings.Join(parameters, ",")
}

// refused is what the plugin says of a case with what buf knows of positions, in whatever order the files come. With what
// protoc knows it says the same of other places.
func refused(t *testing.T, folder string) string {
	t.Helper()
	names, parameter := inputs(t, folder)
	files := compiled(t, bufPositions, folder)
	text := generated(t, files, parameter, names...).GetError()
	if text == "" {
		t.Fatal("it is not refused")
	}
	if len(names) > 1 {
		slices.Reverse(names)
		if again := generated(t, shuffled(files), parameter, names...).GetError(); again != text {
			t.Errorf("in another order of the files:\n%s\nand\n%s", again, text)
		}
	}
	fewer := generated(t, compiled(t, protocPositions, folder), parameter, names...).GetError()
	if diff := cmp.Diff(withoutPositions(text), withoutPositions(fewer)); diff != "" {
		t.Errorf("with the positions of protoc (-buf +protoc):\n%s", diff)
	}
	for line := range strings.SplitSeq(fewer, "\n") {
		if !placed.MatchString(line) {
			t.Errorf("%q begins with no position", line)
		}
	}
	return text
}

// TestRefusedWithoutPositions: not every compiler keeps them.
func TestRefusedWithoutPositions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"several", "lists", "code_twice"} {
		folder := filepath.Join("testdata", "refused", name)
		names, parameter := inputs(t, folder)
		with := generated(t, compiled(t, bufPositions, folder), parameter, names...).GetError()
		without := generated(t, compiled(t, noPositions, folder), parameter, names...).GetError()
		if diff := cmp.Diff(withoutPositions(with), withoutPositions(without)); diff != "" || positions.MatchString(without) {
			t.Errorf("%s (-with +without):\n%s", name, diff)
		}
	}
}

// TestImportedProblems: what is wrong in a file that is not generated is for whoever generates it.
func TestImportedProblems(t *testing.T) {
	t.Parallel()
	files := compiled(t, bufPositions, filepath.Join("testdata", "imported"))
	if got := contents(t, generated(t, files, "paths=source_relative", "shop.proto")); len(got) != 1 || got["shop.remedy.go"] == "" {
		t.Errorf("got %v", got)
	}
	const problems = 5
	got := generated(t, files, "", "shop.proto", "imported/bad.proto").GetError()
	if strings.Count(got, "imported/bad.proto:") != problems || strings.Count(got, "\n") != problems-1 {
		t.Errorf("got %s", got)
	}
}

// TestNoCycleWithoutClients: only a client imports the errors in the contracts of its methods.
func TestNoCycleWithoutClients(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("testdata", "refused", "import_cycle")
	got := contents(t, generated(t, compiled(t, bufPositions, folder), "clients=false,module=example.com", protosOf(t, folder)...))
	if len(got) != 1 || got["a/a.remedy.go"] == "" {
		t.Errorf("got %v", got)
	}
}

var (
	// positions are those at the beginning of a text, and those in it.
	positions = regexp.MustCompile(`\.proto:\d+:\d+`)
	placed    = regexp.MustCompile(`^(\S+\.proto):(\d+):(\d+): `)
)

// withoutPositions sorts, because positions make the order.
func withoutPositions(text string) []string {
	return slices.Sorted(strings.Lines(positions.ReplaceAllString(text, ".proto") + "\n"))
}

// pointedAt adds to each line of text the place that it points at.
func pointedAt(t *testing.T, folder, text string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString(line + "\n")
		at := placed.FindStringSubmatch(line)
		if at == nil {
			t.Errorf("%q begins with no position", line)
			continue
		}
		number, _ := strconv.Atoi(at[2])
		column, _ := strconv.Atoi(at[3])
		source := []rune(strings.Split(read(t, filepath.Join(folder, at[1])), "\n")[number-1])
		const most = 100
		shown := source[:min(len(source), most)]
		fmt.Fprintf(&b, "    |%s\n    |%s^\n", strings.TrimRight(string(shown), " "), strings.Repeat(" ", column-1))
	}
	return b.String()
}

func read(tb testing.TB, path string) string {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// golden compares got with a file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run with -update to write it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update if that is intended:\n%s", path, diff)
	}
}
