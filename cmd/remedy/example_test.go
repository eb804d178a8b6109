package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExample(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no version", []string{"example", dir}, exitUsage, "--replace"},
		{"no clone", []string{"example", "--replace", t.TempDir(), dir}, exitUsage, "no clone of the repository"},
		{"no folder", []string{"example", "--replace", "../..", ""}, exitUsage, "the name is empty"},
		{"fine", []string{"example", "--replace", "../..", dir}, exitOK, "wrote " + filepath.Join(dir, "main.go")},
		{"a second time", []string{"example", "--replace", "../..", dir}, exitFailed, "is not empty"},
	}
	for _, test := range tests {
		var out strings.Builder
		code := run(t.Context(), test.args, &streams{in: strings.NewReader(""), out: &out, err: &out})
		if code != test.code || !strings.Contains(out.String(), test.want) {
			t.Errorf("%s: got %d, %s; want %d, %s", test.name, code, out.String(), test.code, test.want)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "third_party", "remedy", "v1", "options.proto"))
	if err != nil || !strings.Contains(string(text), "extend google.protobuf.MessageOptions") {
		t.Errorf("got %v: %s", err, text)
	}
}
