package generate

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

var corpus = filepath.Join("..", "..", "internal", "corpus")

// parameter is what buf gives the plugin for the corpus.
func parameter(tb testing.TB) string {
	tb.Helper()
	template, err := os.ReadFile(filepath.Join(corpus, "buf.gen.yaml"))
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Join(append(regexp.MustCompile(`external_tools=\S+`).FindAllString(string(template), -1), "paths=source_relative"), ",")
}

// TestCorpus generates what is committed, whatever the order of the files and however often.
func TestCorpus(t *testing.T) {
	t.Parallel()
	want := make(map[string]string)
	for _, name := range protosOf(t, corpus) {
		name = strings.TrimSuffix(name, ".proto") + ".remedy.go"
		if b, err := os.ReadFile(filepath.Join(corpus, name)); err == nil {
			want[name] = string(b)
		}
	}
	files, names := compiled(t, protocPositions, corpus), protosOf(t, corpus)
	for range 3 {
		got := contents(t, generated(t, files, parameter(t), names...))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("run make generate (-committed +generated):\n%s", diff)
		}
		files = shuffled(files)
		rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	}
}

// shuffled puts files into another order that has imports first.
func shuffled(files []*descriptorpb.FileDescriptorProto) []*descriptorpb.FileDescriptorProto {
	rest, sorted := slices.Clone(files), make([]*descriptorpb.FileDescriptorProto, 0, len(files))
	rand.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	done := make(map[string]bool)
	for len(rest) > 0 {
		next := slices.IndexFunc(rest, func(file *descriptorpb.FileDescriptorProto) bool {
			return !slices.ContainsFunc(file.GetDependency(), func(name string) bool { return !done[name] })
		})
		done[rest[next].GetName()] = true
		sorted = append(sorted, rest[next])
		rest = slices.Delete(rest, next, next+1)
	}
	return sorted
}

// TestCorpusWithoutPositions generates the same code, without the comments.
func TestCorpusWithoutPositions(t *testing.T) {
	t.Parallel()
	with := contents(t, generated(t, compiled(t, bufPositions, corpus), parameter(t), protosOf(t, corpus)...))
	without := contents(t, generated(t, compiled(t, noPositions, corpus), parameter(t), protosOf(t, corpus)...))
	comments := regexp.MustCompile(`(?m)^\s*//.*\n`)
	for name := range with {
		if diff := cmp.Diff(comments.ReplaceAllString(with[name], ""), comments.ReplaceAllString(without[name], "")); diff != "" {
			t.Errorf("%s (-with +without):\n%s", name, diff)
		}
	}
}

// TestPlaces is about the options of every Go plugin: where files go, and what package they are in.
func TestPlaces(t *testing.T) {
	t.Parallel()
	const module = "github.com/remedyrpc/remedy/internal/corpus"
	files := compiled(t, protocPositions, corpus)
	forms := slices.DeleteFunc(protosOf(t, corpus), func(name string) bool { return !strings.HasPrefix(name, "forms/") })
	tests := []struct {
		name, parameter string
		proto, want     string
		contains        []string
	}{
		{
			"import", "", "forms/dash-ed/dash-ed.proto", module + "/forms/dash-ed/dash-ed.remedy.go",
			[]string{"\npackage dash_ed\n", "source: forms/dash-ed/dash-ed.proto"},
		},
		{"import by name", "paths=import", "forms/named/named.proto", module + "/forms/named/named.remedy.go", []string{"\npackage another\n"}},
		{"module", "module=" + module, "forms/Capital/Capital.proto", "forms/Capital/Capital.remedy.go", []string{"\npackage Capital\n"}},
		{"relative", "paths=source_relative", "forms/dot.ted/dot.ted.proto", "forms/dot.ted/dot.ted.remedy.go", []string{"\npackage dot_ted\n"}},
		{
			"M", "Mforms/path/path.proto=example.com/m/v3", "forms/path/path.proto", "example.com/m/v3/path.remedy.go",
			[]string{"\npackage path\n"},
		},
		{
			"M with a name", "Mforms/path/path.proto=example.com/m;named", "forms/path/path.proto", "example.com/m/path.remedy.go",
			[]string{"\npackage named\n"},
		},
		{
			"M of an import", "Mforms/path/path.proto=example.com/m;named", "forms/versioned/v2/versioned.proto",
			module + "/forms/versioned/v2/versioned.remedy.go",
			[]string{"\npackage v2\n", "\t_ \"example.com/m\"\n", "named.TakenError (taken, never)"},
		},
		{
			"no clients", "clients=false,module=" + module, "forms/versioned/v2/versioned.proto",
			"forms/versioned/v2/versioned.remedy.go",
			[]string{"func NewTaken(", "May be returned by Forms.Take."},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := contents(t, generated(t, files, test.parameter, forms...))
			text, ok := got[test.want]
			if !ok || len(got) != len(forms) {
				t.Fatalf("got %d files, want %s: %v", len(got), test.want, got)
			}
			for _, part := range test.contains {
				if !strings.Contains(text, part) {
					t.Errorf("%q is missing in\n%s", part, text)
				}
			}
			if clients := strings.Contains(text, "NewTyped"); clients && strings.HasPrefix(test.parameter, "clients=false") {
				t.Error("there is a client")
			}
		})
	}
}

// TestParameters refuses what it does not know.
func TestParameters(t *testing.T) {
	t.Parallel()
	files := compiled(t, protocPositions, corpus)
	for parameter, want := range map[string]string{
		"external_tool=a": "no such flag -external_tool", "clients=no": "write clients=true or clients=false",
		"paths=here":         `unknown path type "here"`,
		"external_tools=a b": "external_tools=a b names no tool", "external_tools=": "external_tools= names no tool",
	} {
		if got := generated(t, files, parameter, "one/one.proto").GetError(); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", parameter, got, want)
		}
	}
}

// TestFeatures: a plugin that does not say what it knows is not run on proto3 optional and editions.
func TestFeatures(t *testing.T) {
	t.Parallel()
	got := generated(t, compiled(t, protocPositions, corpus), "", "one/one.proto")
	want := uint64(pluginpb.CodeGeneratorResponse_FEATURE_PROTO3_OPTIONAL | pluginpb.CodeGeneratorResponse_FEATURE_SUPPORTS_EDITIONS)
	if got.GetSupportedFeatures() != want {
		t.Errorf("got %b, want %b", got.GetSupportedFeatures(), want)
	}
	const first, last = int32(descriptorpb.Edition_EDITION_PROTO2), int32(descriptorpb.Edition_EDITION_2023)
	if got.GetMinimumEdition() > first || got.GetMaximumEdition() < last {
		t.Errorf("got editions %d to %d", got.GetMinimumEdition(), got.GetMaximumEdition())
	}
}
