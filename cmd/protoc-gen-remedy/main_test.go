package main

import (
	"strings"
	"testing"
)

func TestAbout(t *testing.T) {
	t.Parallel()
	tests := []struct {
		arguments []string
		code      int
		out, err  string
	}{
		{[]string{"--version"}, 0, "protoc-gen-remedy ", ""},
		{[]string{"-version"}, 0, "protoc-gen-remedy ", ""},
		{[]string{"--help"}, 2, "", "it knows --version only"},
		{[]string{"--version", "shop.proto"}, 2, "", "run by buf or protoc"},
	}
	for _, test := range tests {
		var out, err strings.Builder
		if code := about(&out, &err, test.arguments); code != test.code {
			t.Errorf("%v: got %d, want %d", test.arguments, code, test.code)
		}
		if !strings.Contains(out.String(), test.out) || !strings.Contains(err.String(), test.err) ||
			out.Len() > 0 != (test.out != "") || err.Len() > 0 != (test.err != "") {
			t.Errorf("%v: got %q and %q", test.arguments, out.String(), err.String())
		}
	}
}
