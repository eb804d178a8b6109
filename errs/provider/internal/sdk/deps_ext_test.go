package sdk_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	module    = "github.com/remedyrpc/remedy/"
	anthropic = "github.com/anthropics/"
	openai    = "github.com/openai/"
)

// TestDependencies has who does not call an SDK not compile it, nor who calls one compile the other.
func TestDependencies(t *testing.T) {
	t.Parallel()
	leaves := map[string]string{module + "errs/provider/anthropicerr": anthropic, module + "errs/provider/openaierr": openai}
	var others []string
	for _, path := range list(t, module+"errs/...", module+"interceptors/...", module+"client/...", module+"server/...", module+"cmd/...") {
		if _, leaf := leaves[path]; !leaf {
			others = append(others, path)
		}
	}
	for _, path := range list(t, append([]string{"-deps"}, others...)...) {
		if strings.HasPrefix(path, anthropic) || strings.HasPrefix(path, openai) {
			t.Errorf("who calls no SDK compiles %s", path)
		}
	}
	for leaf, own := range leaves {
		compiled := list(t, "-deps", leaf)
		within := func(prefix string) bool {
			return slices.ContainsFunc(compiled, func(path string) bool { return strings.HasPrefix(path, prefix) })
		}
		for _, sdk := range []string{anthropic, openai} {
			if got, want := within(sdk), sdk == own; got != want {
				t.Errorf("%s compiles %s: %t, want %t", leaf, sdk, got, want)
			}
		}
	}
}

// list runs go list.
func list(t *testing.T, arguments ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list"}, arguments...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
