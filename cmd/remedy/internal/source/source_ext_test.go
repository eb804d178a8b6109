package source_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/source"
	"github.com/remedyrpc/remedy/internal/declared"
)

// tree writes files into a new folder.
func tree(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func names(f *source.Files) (own, imported []string) {
	for _, file := range f.All {
		if f.IsOwn(file.Path()) {
			own = append(own, file.Path())
		} else {
			imported = append(imported, file.Path())
		}
	}
	return own, imported
}

const (
	syntax = `syntax = "proto3"; `
	leaf   = syntax + `package c; message C {}`
)

func TestFolder(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"own/b/b.proto":        syntax + `package b; import "a.proto"; import "c/c.proto"; import "buf/validate/validate.proto"; message B {}`,
		"own/a.proto":          syntax + `package a; import "remedy/v1/repair.proto"; import "google/protobuf/any.proto"; message A {}`,
		"own/.hidden/x.proto":  "no proto",
		"own/readme.md":        "no proto",
		"third/c/c.proto":      leaf,
		"third/c/unused.proto": "no proto",
	})
	if err := os.Symlink(".", filepath.Join(dir, "own", "loop")); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(t.Context(), filepath.Join(dir, "own"), filepath.Join(dir, "third"))
	if err != nil {
		t.Fatal(err)
	}
	own, imported := names(f)
	if want := []string{"a.proto", "b/b.proto"}; !slices.Equal(own, want) || f.Own() != 2 || f.Kind != source.Folder {
		t.Errorf("own files: got %v, want %v", own, want)
	}
	want := []string{
		"buf/validate/validate.proto", "c/c.proto", "google/protobuf/any.proto", "google/protobuf/descriptor.proto",
		"google/protobuf/duration.proto", "google/protobuf/field_mask.proto", "google/protobuf/timestamp.proto", "remedy/v1/repair.proto",
	}
	if !slices.Equal(imported, want) {
		t.Errorf("imported files: got %v, want %v", imported, want)
	}
	for name, want := range map[string]string{
		"b/b.proto": filepath.Join(dir, "own", "b", "b.proto"), "c/c.proto": filepath.Join(dir, "third", "c", "c.proto"),
		"remedy/v1/repair.proto": "remedy/v1/repair.proto",
	} {
		if got := f.Path(name); got != want {
			t.Errorf("path of %s: got %s, want %s", name, got, want)
		}
	}
}

// A folder inside the one that imports begin in has its files once, whatever they are asked for by.
func TestFolderBelowItsImports(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"x/v1/a.proto": syntax + `package x.v1; import "x/v1/b.proto"; message A { B b = 1; }`,
		"x/v1/b.proto": syntax + `package x.v1; message B {}`,
	})
	f, err := source.Open(t.Context(), filepath.Join(dir, "x", "v1"), dir)
	if err != nil {
		t.Fatal(err)
	}
	if own, _ := names(f); !slices.Equal(own, []string{"x/v1/a.proto", "x/v1/b.proto"}) {
		t.Errorf("got %v", own)
	}
	_, err = source.Open(t.Context(), filepath.Dir(dir), "nowhere")
	if err == nil || !strings.Contains(err.Error(), `--import: "nowhere" is no folder`) {
		t.Errorf("got %v", err)
	}
}

func TestFolderRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"nothing":        {nil, []string{"holds no .proto file"}},
		"a syntax error": {map[string]string{"a/b.proto": syntax + "\nmessage {"}, []string{"/a/b.proto:2:9: syntax error"}},
		"several errors": {map[string]string{"a.proto": "x", "b.proto": "y"}, []string{"a.proto:1:1: ", "(and 1 more)"}},
		"an import": {
			map[string]string{"a.proto": syntax + `import "no/such.proto";`}, []string{"a.proto:1:27: ", `"no/such.proto"`, "--import"},
		},
		"an absolute one": {map[string]string{"a.proto": syntax + `import "/etc/hosts";`}, []string{"a.proto:1:27: ", "relative path"}},
		"one outside": {
			map[string]string{"x/a.proto": syntax + `import "../b.proto";`, "b.proto": leaf}, []string{"a.proto:1:27: ", "relative path"},
		},
		"a cycle": {
			map[string]string{"a.proto": syntax + `import "b.proto";`, "b.proto": syntax + `import "a.proto";`},
			[]string{"cycle"},
		},
		"another root": {
			map[string]string{"proto/c/c.proto": leaf, "proto/a.proto": syntax + `import "c/c.proto";`},
			[]string{"a.proto:1:27: ", "imports seem to begin in ", "/proto: check"},
		},
		"a symbol twice": {map[string]string{"a.proto": leaf, "b.proto": leaf}, []string{`symbol "c.C" already defined at `}},
		"other bytes":    {map[string]string{"a.proto": "\"\\\x8c\x8c\""}, []string{"a.proto is no proto: it is not UTF-8"}},
		"a huge file":    {map[string]string{"a.proto": strings.Repeat(" ", 8<<20+1)}, []string{"a.proto has more than 8388608 bytes"}},
		"control characters": {
			map[string]string{"a.proto": syntax + "import \"\\x1b[2J\";"}, []string{"a.proto:1:27: ", "--import"},
		},
		"an unknown option": {
			map[string]string{"a.proto": syntax + `message A { option (remedy.v1.error) = {code: "x"}; }`},
			[]string{"a.proto:1:39: ", "remedy.v1.error"},
		},
		"an option that is none": {
			map[string]string{"a.proto": syntax + `import "remedy/v1/options.proto"; message A { option (remedy.v1.error) = {cod: "x"}; }`},
			[]string{"a.proto:1:94: ", "cod"},
		},
	} {
		_, err := source.Open(t.Context(), tree(t, c.files))
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is not in %v", name, want, err)
			}
		}
	}
}

func TestFolderWithOddFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"a link to itself": {func(path string) error { return os.Symlink(path, path) }, "too many levels of symbolic links"},
		"a dead link":      {func(path string) error { return os.Symlink(path+".gone", path) }, "a.proto"},
		"a device":         {func(path string) error { return os.Symlink(os.DevNull, path) }, "is no file"},
	} {
		dir := t.TempDir()
		if err := c.make(filepath.Join(dir, "a.proto")); err != nil {
			t.Fatal(err)
		}
		if _, err := source.Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := source.Open(t.Context(), filepath.Join(tree(t, map[string]string{"a.proto": leaf}), "a.proto")); err == nil ||
		!strings.Contains(err.Error(), "is one proto: give the folder") {
		t.Errorf("one proto: got %v", err)
	}
}

func file(name string, imports ...string) *descriptorpb.FileDescriptorProto {
	return &descriptorpb.FileDescriptorProto{Name: new(name), Dependency: imports}
}

func marshal(t *testing.T, files ...*descriptorpb.FileDescriptorProto) []byte {
	t.Helper()
	b, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: files})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func zip(t *testing.T, b []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// What buf marks as imported is not asked for, and what this program carries is added.
func TestImage(t *testing.T) {
	t.Parallel()
	imported := file("b.proto")
	imported.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 8042, protowire.BytesType), []byte{8, 1}))
	b := marshal(t, file("a.proto", "b.proto", "remedy/v1/options.proto"), imported)
	for name, content := range map[string][]byte{"plain": b, "packed": zip(t, b)} {
		path := filepath.Join(tree(t, map[string]string{name: string(content)}), name)
		f, err := source.Open(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		own, others := names(f)
		want := []string{"b.proto", "google/protobuf/descriptor.proto", "remedy/v1/options.proto", "remedy/v1/repair.proto"}
		if !slices.Equal(own, []string{"a.proto"}) || !slices.Equal(others, want) || f.Kind != source.Image {
			t.Errorf("%s: got %v, %v", name, own, others)
		}
	}
}

func TestImageRefuses(t *testing.T) {
	t.Parallel()
	whole := marshal(t, file("a.proto"), file("b.proto", "a.proto"))
	for name, c := range map[string]struct{ content, want string }{
		"empty":               {"", "is no image, or one without files: make one with"},
		"text":                {"hello, world", "is no image, or not all of one"},
		"truncated":           {string(whole[:len(whole)-3]), "is no image, or not all of one"},
		"truncated gzip":      {string(zip(t, whole)[:20]), "the end is missing"},
		"broken gzip":         {"\x1f\x8bxxxxxxxxxxxxxxxx", "unpacking: "},
		"JSON of another":     {`{"hello": 1}`, "is no image, or one without files"},
		"broken JSON":         {`{"file": [`, "is no image, or not all of one"},
		"lacks an import":     {string(marshal(t, file("a.proto", "x.proto"))), "x.proto"},
		"the same file twice": {string(marshal(t, file("a.proto"), file("a.proto"))), "a.proto"},
		"imports itself":      {string(marshal(t, file("a.proto", "a.proto"))), "do not belong together"},
		"no name":             {string(marshal(t, file(""))), "do not belong together"},
		"a bad name": {
			string(marshal(t, &descriptorpb.FileDescriptorProto{
				Name: new("a"), MessageType: []*descriptorpb.DescriptorProto{{Name: new("\x1b[2J")}},
			})),
			"do not belong together",
		},
	} {
		path := filepath.Join(tree(t, map[string]string{"a.binpb": c.content}), "a.binpb")
		if _, err := source.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	for name, path := range map[string]string{"is empty": "", "no such file": "nowhere.binpb"} {
		if _, err := source.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: got %v", path, err)
		}
	}
}

// An image of any bytes is read or refused.
func FuzzImage(f *testing.F) {
	files := []*descriptorpb.FileDescriptorProto{file("a.proto", "remedy/v1/options.proto")}
	b, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: files})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"file": [{"name": "a.proto"}]}`))
	f.Add([]byte("\x1f\x8b"))
	path := filepath.Join(f.TempDir(), "a.binpb")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if files, err := source.Open(t.Context(), path); err == nil {
			declared.Read(files.All).Check()
		}
	})
}

// A proto of any text is compiled and checked, or refused.
func FuzzFolder(f *testing.F) {
	f.Add(leaf)
	f.Add(syntax + `package a.v1; import "remedy/v1/options.proto";
		message A { option (remedy.v1.error) = {code: "a_b" retry: RETRY_POLICY_NEVER repair: {steps: {tool: "x"} update: "y"}}; string y = 1; }
		service S { rpc M(A) returns (A) { option (remedy.v1.contract) = {errors: "a.v1.A" operation_key_field: "y"}; } }`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(dir, "a.proto"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if files, err := source.Open(t.Context(), dir); err == nil {
			declared.Read(files.All).Check()
		}
	})
}
