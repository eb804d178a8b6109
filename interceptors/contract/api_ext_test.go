package contract_test

import (
	"flag"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/internal/apitest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestAPI holds the exported names against a list: generated code depends on them.
func TestAPI(t *testing.T) {
	t.Parallel()
	apitest.Check(t, *update, filepath.Join("testdata", "api.golden"), ".", filepath.Join("..", "neversent"))
}

// TestDependencies: packages of generated services import this one, so it imports none of them, nor anything above.
func TestDependencies(t *testing.T) {
	t.Parallel()
	const module = "github.com/remedyrpc/remedy/"
	want := []string{
		"errs", "errs/internal/guide", "gen/remedy/v1", "interceptors/contract", "interceptors/decode", "interceptors/internal/promise",
		"interceptors/neversent", "internal/authored",
	}
	got := own(t, ".", module)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("contract compiles %v, want %v", got, want)
	}
	if got := own(t, "../neversent", module); len(got) != 1 {
		t.Errorf("neversent compiles %v of this module, want only itself", got)
	}
}

// own returns the packages of a module that a package compiles.
func own(t *testing.T, pkg, module string) (found []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", pkg).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), module); ok {
			found = append(found, name)
		}
	}
	return found
}
