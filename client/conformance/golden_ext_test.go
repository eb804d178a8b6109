package conformance_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remedyrpc/remedy/client/conformance/internal/vector"
)

var update = flag.Bool("update", false, "write the vectors anew")

const vectorsDir = "testdata/vectors"

// group is one file of vectors.
type group struct {
	name, about string
	build       func(tb testing.TB) []vector.Vector
}

func groups() []group {
	return []group{
		{"catalog", "Every row of the catalog as one meets it, and variants of some.", catalogVectors},
		{"cap", "Every row, and errors outside the catalog, with so much in them that the ladder had to leave something out: the " +
			"largest trailer lists that there are.", cappedVectors},
		{"tool", "Errors that no proto declares.", toolVectors},
		{"declared", "Errors that a proto declares, those of internal/shop/shopv1.", declaredVectors},
		{"join", "Several errors at once, and errors with causes.", joinVectors},
		{"foreign", "Statuses that are not ours.", foreignVectors},
		{"lost", "What a client concludes when a call that may have had an effect fails.", lostVectors},
		{"newer", "Errors of a later version of the contract, and details of others.", newerVectors},
		{"hostile", "Bytes that no encoder of ours writes.", hostileVectors},
	}
}

// load reads the committed vectors.
func load(tb testing.TB) []vector.Vector {
	tb.Helper()
	all, err := vector.Load(vectorsDir)
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// TestGolden compares the committed files with what their builders make. Finding the fullest errors takes seconds, so
// those are only found anew with -update; TestVectors encodes them all the same.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, g := range groups() {
		path := filepath.Join(vectorsDir, g.name+".json")
		if g.name == "cap" && !*update {
			continue
		}
		got, err := vector.Text(vector.File{About: g.about, Vectors: g.build(t)})
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is not what its builder makes; run go test ./client/conformance -update and read the difference:\n%s",
				path, difference(string(want), got))
		}
	}
}

// difference shows where two texts first differ.
func difference(want, got string) string {
	const shown = 40
	lines := strings.Split(cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")), "\n")
	if len(lines) > shown {
		lines = append(lines[:shown], "…")
	}
	return strings.Join(lines, "\n")
}

// TestVectors checks every vector: what is encoded is encoded to the same bytes, and all bytes are decoded to what the
// vector says.
func TestVectors(t *testing.T) {
	t.Parallel()
	expected := expectedFailures(t, "go")
	seen := make(map[string]bool)
	for _, v := range load(t) {
		if seen[v.Name] {
			t.Errorf("%s occurs twice", v.Name)
		}
		seen[v.Name] = true
		problem := disagreement(v)
		reason, known := expected[v.Name]
		switch {
		case problem != "" && !known:
			t.Errorf("%s: %s", v.Name, problem)
		case problem != "":
			t.Logf("%s fails as expected: %s", v.Name, reason)
		case known:
			t.Errorf("%s is expected to fail and does not: strike it off the list", v.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if !seen[name] {
			t.Errorf("%s is expected to fail and does not exist", name)
		}
	}
}

// disagreement says how this implementation differs from a vector; empty where it does not.
func disagreement(v vector.Vector) string {
	var now vector.Vector
	switch v.Direction {
	case vector.Encode:
		if v.Input == nil {
			return "it has nothing to encode"
		}
		built, err := vector.Build(v.Name, v.About, *v.Input)
		if err != nil {
			return err.Error()
		}
		now = built
	case vector.Decode:
		now = v
		if err := now.Finish(); err != nil {
			return err.Error()
		}
	default:
		return "direction " + v.Direction
	}
	want, err := vector.Text(v)
	if err != nil {
		return err.Error()
	}
	got, err := vector.Text(now)
	if err != nil {
		return err.Error()
	}
	if got != want {
		return difference(want, got)
	}
	return ""
}

// expectedFailures reads which vectors an implementation is known to fail, and why.
func expectedFailures(tb testing.TB, implementation string) map[string]string {
	tb.Helper()
	text, err := os.ReadFile("testdata/expected-failures.json")
	if err != nil {
		tb.Fatal(err)
	}
	var all map[string]map[string]string
	if err := json.Unmarshal(text, &all); err != nil {
		tb.Fatal(err)
	}
	for name, reason := range all[implementation] {
		if strings.TrimSpace(reason) == "" {
			tb.Errorf("%s is expected to fail without a reason", name)
		}
	}
	return all[implementation]
}

// TestVectorsCanFail proves that a wrong vector is noticed, whatever is wrong with it.
func TestVectorsCanFail(t *testing.T) {
	t.Parallel()
	all := load(t)
	find := func(name string) vector.Vector {
		for _, v := range all {
			if v.Name == name {
				return v
			}
		}
		t.Fatalf("no vector %s", name)
		return vector.Vector{}
	}
	wrong := map[string]func(v *vector.Vector){
		"bytes": func(v *vector.Vector) { v.Status = slices.Clone(v.Status); v.Status[len(v.Status)-1] ^= 1 },
		"input": func(v *vector.Vector) {
			in := *v.Input
			in.Fields = json.RawMessage(`{"code":"other_code"}`)
			v.Input = &in
		},
		"pushback":     func(v *vector.Vector) { v.Pushback = "7" },
		"list cost":    func(v *vector.Vector) { v.ListCost++ },
		"google":       func(v *vector.Vector) { g := *v.Google; g.RetryDelay = "9s"; v.Google = &g },
		"class":        func(v *vector.Vector) { v.Expect.Class = "AbortedError" },
		"code":         func(v *vector.Vector) { v.Expect.Code = "other_code" },
		"rule":         func(v *vector.Vector) { v.Expect.Retry = "never" },
		"plan":         func(v *vector.Vector) { v.Expect.Plan = json.RawMessage(`{"steps":[{"action":"REPAIR_ACTION_STOP"}]}`) },
		"fields":       func(v *vector.Vector) { v.Expect.Fields = json.RawMessage(`{}`) },
		"causes":       func(v *vector.Vector) { v.Expect.Causes = []vector.Expect{{Class: "AbortedError"}} },
		"truncated":    func(v *vector.Vector) { v.Expect.Truncated = true },
		"direction":    func(v *vector.Vector) { v.Direction = "sideways" },
		"unknown type": func(v *vector.Vector) { in := *v.Input; in.Class = "NobodysError"; v.Input = &in },
	}
	for name, spoil := range wrong {
		v := find("tool/as_is")
		if problem := disagreement(v); problem != "" {
			t.Fatalf("before: %s", problem)
		}
		spoil(&v)
		if disagreement(v) == "" {
			t.Errorf("%s: a wrong vector was not noticed", name)
		}
	}
	v := find("hostile/error_info/two")
	v.Expect.Class = "ToolError"
	if disagreement(v) == "" {
		t.Error("a wrong class of a vector that is only decoded was not noticed")
	}
}
