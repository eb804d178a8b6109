package provider_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestDependencies holds that who classifies failures compiles no SDK of a provider, no server and no driver.
func TestDependencies(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skip("no go command here")
	}
	const module = "github.com/remedyrpc/remedy/"
	found := false
	for path := range strings.FieldsSeq(string(out)) {
		host, _, _ := strings.Cut(path, "/")
		found = found || path == module+"errs"
		allowed := !strings.Contains(host, ".") || host == "google.golang.org" || strings.HasPrefix(path, "golang.org/x/")
		for _, own := range []string{"errs", "gen/remedy/v1", "internal/authored"} { // what errs itself compiles
			allowed = allowed || strings.HasPrefix(path, module+own)
		}
		if !allowed {
			t.Errorf("depends on %s", path)
		}
	}
	if !found {
		t.Errorf("go list says nothing of errs: %s", out)
	}
}
