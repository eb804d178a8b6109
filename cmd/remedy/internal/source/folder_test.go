package source

import (
	"testing"

	"github.com/bufbuild/protocompile"
)

// The compiler may panic on what is no proto; that is said of the file.
func TestExplainPanic(t *testing.T) {
	t.Parallel()
	compiled := &tree{dir: "d", paths: map[string]string{"a.proto": "d/a.proto"}}
	got := compiled.explain(protocompile.PanicError{File: "a.proto", Value: "index out of range"}).Error()
	if want := "d/a.proto: the compiler gives up on it (index out of range): look for what is no proto in it"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
