package example_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/internal/example"
)

// root is the folder of the module.
func root(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func read(t *testing.T, name ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(name...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWrite(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new", "shop")
	written, err := example.Write(folder, example.Module{Version: "v1.2.3"}, os.DirFS("../../proto/remedy/v1"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(written)
	want := []string{
		"buf.gen.yaml", "buf.yaml", "gen/shop/v1/shop.pb.go", "gen/shop/v1/shop.remedy.go", "gen/shop/v1/shop_grpc.pb.go", "go.mod",
		"main.go", "proto/shop/v1/shop.proto", "third_party/errors.proto", "third_party/options.proto", "third_party/repair.proto",
	}
	if !slices.Equal(written, want) {
		t.Errorf("got %q, want %q", written, want)
	}
	for _, name := range written {
		if text := read(t, folder, name); text == "" || strings.Contains(text, "internal/example") {
			t.Errorf("%s is empty, or names this package:\n%s", name, text)
		}
	}
	text := read(t, folder, "go.mod")
	if !strings.Contains(text, "github.com/remedyrpc/remedy v1.2.3\n") || strings.Contains(text, "replace") {
		t.Errorf("go.mod:\n%s", text)
	}
	_, err = example.Write(folder, example.Module{Version: "v1.2.3"}, os.DirFS("."))
	if err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("over another one: got %v", err)
	}
	if _, err := example.Write(t.TempDir(), example.Module{}, os.DirFS(".")); err == nil || !strings.Contains(err.Error(), "name a clone") {
		t.Errorf("without a version: got %v", err)
	}
}

// TestOutside builds and runs the workspace where nothing of this repository is around it. It is offline: what it needs
// was needed to build this module. The make target example-check does the whole of it, with tidy and buf.
func TestOutside(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := example.Write(folder, example.Module{Replace: root(t)}, os.DirFS("../../proto")); err != nil {
		t.Fatal(err)
	}
	goMod := regexp.MustCompile(`(?s)tool \(.*?\n\)\n`).ReplaceAllString(read(t, folder, "go.mod"), "")
	for name, text := range map[string]string{"go.mod": goMod, "go.sum": read(t, root(t), "go.sum")} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", ".")
	run.Dir = folder
	run.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off")
	out, err := run.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "\nbooked tuesday as booking-1\n") {
		t.Errorf("got %v\n%s", err, out)
	}
}

// TestReadme holds what the README shows of the example to its files: every line of code is one of theirs.
func TestReadme(t *testing.T) {
	t.Parallel()
	_, section, ok := strings.Cut(read(t, root(t), "README.md"), "\n## Declare errors in your protos\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if lines := strings.Count(section, "\n"); !ok || lines >= 40 {
		t.Errorf("the section has %d lines, want fewer than 40", lines)
	}
	checked := 0
	for language, file := range map[string]string{"proto": "shop/proto/shop/v1/shop.proto", "go": "shop/main.go"} {
		known := make(map[string]bool)
		for line := range strings.SplitSeq(read(t, file), "\n") {
			known[plain(line)] = true
		}
		for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(section, -1) {
			for line := range strings.SplitSeq(block[1], "\n") {
				checked++
				if line = plain(line); !known[line] && line != "…" {
					t.Errorf("%s has no line %q", file, line)
				}
			}
		}
	}
	if checked < 18 {
		t.Errorf("%d lines were checked", checked)
	}
}

// plain is a line without its indentation and its comment.
func plain(line string) string {
	line, _, _ = strings.Cut(line, " // ")
	return strings.TrimSpace(line)
}
