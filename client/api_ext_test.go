package client_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestAPI holds the exported names against a list, so that a new one is a change somebody reviews.
func TestAPI(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	for _, dir := range []string{".", "neversent"} {
		writeAPI(t, &got, dir)
	}
	golden := filepath.Join("testdata", "api.golden")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the exported names changed; -update writes them anew\n got:\n%s\n want:\n%s", got.Bytes(), want)
	}
}

// writeAPI writes the exported declarations of a package, without their comments.
func writeAPI(t *testing.T, to *bytes.Buffer, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	pkg, err := doc.NewFromFiles(set, files, dir)
	if err != nil {
		t.Fatal(err)
	}
	write := func(node ast.Node) {
		if f, ok := node.(*ast.FuncDecl); ok {
			f.Body = nil
		}
		if err := (&printer.Config{Mode: printer.UseSpaces, Tabwidth: 4}).Fprint(to, set, node); err != nil {
			t.Fatal(err)
		}
		to.WriteByte('\n')
	}
	to.WriteString("package " + pkg.Name + "\n\n")
	for _, value := range append(pkg.Consts, pkg.Vars...) {
		write(value.Decl)
	}
	for _, f := range pkg.Funcs {
		write(f.Decl)
	}
	for _, kind := range pkg.Types {
		write(kind.Decl)
		for _, value := range append(kind.Consts, kind.Vars...) {
			write(value.Decl)
		}
		for _, f := range append(kind.Funcs, kind.Methods...) {
			write(f.Decl)
		}
	}
	to.WriteByte('\n')
}

// TestDependencies keeps what a caller of tools must not have to compile out of the package.
func TestDependencies(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", ".", "./neversent").Output()
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/remedyrpc/remedy/"
	allowed := []string{"client", "errs", "gen/remedy", "interceptors"}
	forbidden := []string{
		"buf.build/go/protovalidate", "cel.dev", "github.com/google/cel-go", "database/sql", "github.com/jackc", "modernc.org",
		"go.opentelemetry.io/otel/sdk", "github.com/openai", "github.com/anthropics", "github.com/aws", "google.golang.org/genai",
		module + "server", module + "cmd", module + "internal", module + "errs/provider", module + "interceptors/validate",
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
	alone, err := exec.Command("go", "list", "-deps", "./neversent").Output()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(alone), module); n != 1 {
		t.Errorf("neversent compiles %d packages of this module, want only itself", n)
	}
}
