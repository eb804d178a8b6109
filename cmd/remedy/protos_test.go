package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/catalog"
)

const (
	good     = "testdata/protos/good"
	bad      = "testdata/protos/bad"
	modified = "testdata/protos/changed"
)

// What is written about protos is in golden files, as is --help.
func TestProtosGolden(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want int
	}{
		"protos/catalog.txt":  {[]string{"catalog", "--proto", good}, exitOK},
		"protos/catalog.json": {[]string{"catalog", "list", "--proto", good, "--format=json"}, exitOK},
		"protos/catalog.md":   {[]string{"catalog", "--proto", good, "--format=markdown"}, exitOK},
		"protos/good.txt":     {[]string{"lint", good}, exitOK},
		"protos/good.json":    {[]string{"lint", good, "--format=json"}, exitOK},
		"protos/bad.txt":      {[]string{"lint", bad}, exitFound},
		"protos/bad.json":     {[]string{"lint", bad, "--format=json"}, exitFound},
		"protos/external.txt": {[]string{"lint", bad, "--external-tools=other,list_slots"}, exitFound},
		"protos/diff.txt":     {[]string{"catalog", "diff", good, modified}, exitFound},
		"protos/diff.json":    {[]string{"catalog", "diff", good, modified, "--format=json"}, exitFound},
		"protos/back.txt":     {[]string{"catalog", "diff", modified, good}, exitFound},
		"protos/same.txt":     {[]string{"catalog", "diff", good, good}, exitOK},
		"help/remedy.txt":     {[]string{"--help"}, exitOK},
		"help/catalog.txt":    {[]string{"catalog", "--help"}, exitOK},
		"help/diff.txt":       {[]string{"catalog", "diff", "--help"}, exitOK},
		"help/lint.txt":       {[]string{"lint", "--help"}, exitOK},
		"help/proto.txt":      {[]string{"proto", "--help"}, exitOK},
	} {
		got := command(t, "", c.args...)
		if got.code != c.want || got.err != "" {
			t.Errorf("%v: exit %d, want %d; %s", c.args, got.code, c.want, got.err)
		}
		golden(t, name, got.out)
	}
}

// The sample shop has one code in two packages.
func TestShop(t *testing.T) {
	t.Parallel()
	got := command(t, "", "catalog", "--proto", "../../internal/shop", "--format=markdown")
	if got.code != exitOK || got.err != "" {
		t.Fatalf("exit %d, %s", got.code, got.err)
	}
	for _, anchor := range []string{"shop.v1.slot_stale", "stock.v1.slot_stale"} {
		if !strings.Contains(got.out, `<a id="`+anchor+`"></a>`) {
			t.Errorf("%s has no anchor", anchor)
		}
	}
}

// An image says what the folder says that it was made of, but for where that is.
func TestImages(t *testing.T) {
	t.Parallel()
	set := imageOf(t, good, nil)
	binary, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	text, err := protojson.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(binary); err != nil || w.Close() != nil {
		t.Fatal("packing failed")
	}
	for name, content := range map[string][]byte{"a.binpb": binary, "a.binpb.gz": packed.Bytes(), "a.json": text} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := command(t, "", "catalog", "diff", path, good); got.code != exitOK || !strings.Contains(got.out, "0 changes refused, 0 other.") {
			t.Errorf("%s: exit %d, %s%s", name, got.code, got.out, got.err)
		}
		if got := command(t, "", "lint", path); got.code != exitOK || got.err != "" {
			t.Errorf("%s: exit %d, %s%s", name, got.code, got.out, got.err)
		}
	}
}

// What buf marks as imported belongs to somebody else, who has not removed it.
func TestDiffOfImports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, set *descriptorpb.FileDescriptorSet) string {
		t.Helper()
		b, err := proto.Marshal(set)
		path := filepath.Join(dir, name)
		if err != nil || os.WriteFile(path, b, 0o600) != nil {
			t.Fatal("no image")
		}
		return path
	}
	unimport := func(file *descriptorpb.FileDescriptorProto) {
		if file.GetName() == "orders/v1/orders.proto" {
			file.Dependency = []string{"remedy/v1/options.proto"}
		}
	}
	before := imageOf(t, good, unimport)
	after := proto.CloneOf(before)
	after.File = slices.DeleteFunc(after.GetFile(), func(file *descriptorpb.FileDescriptorProto) bool {
		return file.GetName() == "stock/v1/stock.proto"
	})
	if got := command(t, "", "catalog", "diff", write("owned", before), write("after", after)); got.code != exitFound {
		t.Errorf("removed: exit %d, %s%s", got.code, got.out, got.err)
	}
	for _, file := range before.GetFile() {
		if file.GetName() == "stock/v1/stock.proto" { // ImageFile.buf_extension {is_import: true}
			file.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 8042, protowire.BytesType), []byte{8, 1}))
		}
	}
	if got := command(t, "", "catalog", "diff", write("imported", before), write("after", after)); got.code != exitOK {
		t.Errorf("not imported any more: exit %d, %s%s", got.code, got.out, got.err)
	}
}

// An image that was filtered is not taken for whole.
func TestImageWithoutOptions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.binpb")
	filter := func(file *descriptorpb.FileDescriptorProto) {
		if file.GetName() == "stock/v1/stock.proto" {
			drop(file)
		}
	}
	binary, err := proto.Marshal(imageOf(t, good, filter))
	if err != nil || os.WriteFile(path, binary, 0o600) != nil {
		t.Fatal("no image")
	}
	for _, args := range [][]string{{"catalog", "--proto", path}, {"lint", path}, {"catalog", "diff", path, path}} {
		got := command(t, "", args...)
		if want := "stock/v1/stock.proto imports remedy/v1/options.proto and uses nothing of it"; got.code != exitFound ||
			!strings.Contains(unwrapped(got.out), want) {
			t.Errorf("%v: exit %d, %s%s", args, got.code, got.out, got.err)
		}
	}
}

func TestProtosUsage(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "a.proto"), []byte(`syntax = "proto3"; import "remedy/v1/errors.proto";`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"give a folder of protos, an image, or --addr", []string{"lint"}},
		{"protos and --addr: give one of them", []string{"lint", good, "--addr", "localhost:1"}},
		{"protos and --addr: give one of them", []string{"catalog", "--proto", good, "--addr", "localhost:1"}},
		{"--addr: ", []string{"catalog", "--addr", ""}},
		{"--header: ", []string{"lint", "--addr", "localhost:1", "--header", "te=x"}},
		{"the name is empty: give a folder of .proto files", []string{"catalog", "--proto", ""}},
		{empty + ": 1 file declares no error and no contract", []string{"lint", empty}},
		{"no such file", []string{"catalog", "diff", good, filepath.Join(empty, "none")}},
		{"expected \"<new>\"", []string{"catalog", "diff", good}},
		{"--import: \"nowhere\"", []string{"lint", good, "--import", "nowhere"}},
		{"unknown flag --addr", []string{"catalog", "diff", good, good, "--addr", "localhost:1"}},
	} {
		got := command(t, "", c.args...)
		if got.code != exitUsage || got.out != "" || !strings.Contains(unwrapped(got.err), c.want) {
			t.Errorf("%v: exit %d, %s%s", c.args, got.code, got.out, got.err)
		}
	}
}

// Two packages may have the same code, and a proto may hold anything.
func TestPageOfProtos(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "evil.proto"), []byte(`syntax = "proto3"; package a.v1; import "remedy/v1/options.proto";
// # <script>alert(1)</script> | [link](javascript:x) **bold**
message One { option (remedy.v1.error) = {code: "same_code" message: "1. \x1b[2J `+"`x`"+` <b>" doc: "https://x.test/a_b_c"}; }
message Two { option (remedy.v1.error) = {code: "same_code" message: "# head\n\n# line"}; }
message Three { option (remedy.v1.error) = {code: "\"><script>" repair: {update: "a`+"`b|c"+`"}}; }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	got := command(t, "", "catalog", "--proto", dir, "--format=markdown")
	if got.code != exitOK || strings.ContainsAny(got.out, "\x1b") || strings.Contains(got.out, "<script>") {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
	golden(t, "protos/evil.md", steady(got.out, dir))
	text := command(t, "", "catalog", "--proto", dir)
	golden(t, "protos/evil.txt", steady(text.out, dir))
	if anchors := strings.Count(got.out, "<a id="); anchors != 3 {
		t.Errorf("got %d anchors, want 3", anchors)
	}

	var listing catalog.Listing
	if err := json.Unmarshal([]byte(command(t, "", "catalog", "--proto", good, "--format=json").out), &listing); err != nil {
		t.Fatal(err)
	}
	page := command(t, "", "catalog", "--proto", good, "--format=markdown").out
	for _, r := range listing.Errors {
		anchor := r.Domain + "." + r.Code
		if n := strings.Count(page, `<a id="`+anchor+`"></a>`); n != 1 || !strings.Contains(page, "](#"+anchor+")") {
			t.Errorf("%s has %d anchors, or no link", anchor, n)
		}
	}
}

// TestLintRefusesWhatThePluginDoes runs over everything that the plugin is held to refuse.
func TestLintRefusesWhatThePluginDoes(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("../../internal/generate/testdata/refused/*")
	if err != nil || len(folders) < 90 {
		t.Fatalf("found %d folders, %v", len(folders), err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			code := run(t.Context(), []string{"lint", folder}, &streams{in: strings.NewReader(""), out: &out, err: &out})
			if code != exitFound && code != exitUsage || out.Len() == 0 {
				t.Errorf("got %d, %s", code, out.String())
			}
		})
	}
}
