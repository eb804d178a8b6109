package client_test

import (
	"flag"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/internal/apitest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestAPI holds the exported names against a list, so that a new one is a change somebody reviews.
func TestAPI(t *testing.T) {
	t.Parallel()
	apitest.Check(t, *update, filepath.Join("testdata", "api.golden"), ".")
}

// TestDependencies keeps what a caller of tools must not have to compile out of the package.
func TestDependencies(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/remedyrpc/remedy/"
	allowed := []string{"client", "errs", "gen/remedy", "interceptors", "internal/authored"}
	forbidden := []string{
		"buf.build/go/protovalidate", "cel.dev", "github.com/google/cel-go", "database/sql", "github.com/jackc", "modernc.org",
		"go.opentelemetry.io/otel/sdk", "github.com/openai", "github.com/anthropics", "github.com/aws", "google.golang.org/genai",
		module + "server", module + "cmd", module + "errs/provider", module + "interceptors/validate",
		module + "interceptors/telemetry", "testing",
	}
	for pkg := range strings.Lines(string(out)) {
		pkg = strings.TrimSpace(pkg)
		within := func(prefix string) bool { return pkg == prefix || strings.HasPrefix(pkg, prefix+"/") }
		for _, prefix := range forbidden {
			if within(prefix) {
				t.Errorf("client compiles %s", pkg)
			}
		}
		if own, ok := strings.CutPrefix(pkg, module); ok {
			known := false
			for _, prefix := range allowed {
				known = known || own == prefix || strings.HasPrefix(own, prefix+"/")
			}
			if !known {
				t.Errorf("client compiles %s, which is above it", pkg)
			}
		}
	}
}
