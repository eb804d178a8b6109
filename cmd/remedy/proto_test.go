package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/proto"
)

// The embedded protos are all there are, byte for byte.
func TestContractIsThatOfProto(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../proto/remedy/v1/*.proto")
	if err != nil || len(paths) != 3 {
		t.Fatalf("got %v, %v", paths, err)
	}
	for _, path := range paths {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fs.ReadFile(proto.Contract(), "remedy/v1/"+filepath.Base(path)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v", path, err)
		}
	}
}

func TestProto(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "third_party", "protos")
	changed := filepath.Join(dir, "remedy", "v1", "repair.proto")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name   string
		before func()
		args   []string
		want   int
	}{
		{"first", func() {}, nil, exitOK},
		{"again", func() {}, nil, exitOK},
		{"changed", func() { write("mine") }, nil, exitFailed},
		{"force", func() {}, []string{"--force"}, exitOK},
		{"blocked", func() { _ = os.Remove(changed); _ = os.Mkdir(changed, 0o700) }, []string{"--force"}, exitFailed},
	} {
		step.before()
		got := command(t, "", append([]string{"proto", dir}, step.args...)...)
		if got.code != step.want {
			t.Errorf("%s: exit %d, want %d", step.name, got.code, step.want)
		}
		golden(t, "proto/"+step.name+".txt", strings.ReplaceAll(unwrapped(got.out+got.err), filepath.ToSlash(dir), "DIR")+"\n")
	}
	if got := command(t, "", "proto", ""); got.code != exitUsage || got.out != "" {
		t.Errorf("an empty name: exit %d, %s", got.code, got.out)
	}
}

// What is written compiles beside the protos of somebody else, and is not taken for a second copy.
func TestProtoCompiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
		t.Fatal(err)
	}
	want := command(t, "", "catalog", "diff", good, dir)
	if got := command(t, "", "proto", dir); got.code != exitOK {
		t.Fatalf("exit %d, %s", got.code, got.err)
	}
	alone := t.TempDir()
	if got := command(t, "", "proto", alone); got.code != exitOK {
		t.Fatalf("exit %d, %s", got.code, got.err)
	}
	if got := command(t, "", "lint", alone); got.code != exitUsage || !strings.Contains(unwrapped(got.err), "no error and no contract") {
		t.Errorf("the contract alone is nothing to check: exit %d, %s%s", got.code, got.out, got.err)
	}
	if got := command(t, "", "lint", dir); got.code != exitOK || !strings.Contains(got.out, "5 files with 3 errors and 2 contracts") {
		t.Errorf("lint: exit %d, %s%s", got.code, got.out, got.err)
	}
	got := command(t, "", "catalog", "diff", good, dir)
	if got.code != exitOK || want.code != exitOK || !strings.Contains(got.out, "0 changes refused") {
		t.Errorf("exit %d, %s%s", got.code, got.out, got.err)
	}
}
