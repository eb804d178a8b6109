package errs_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/remedyrpc/remedy"

// compiled finds what the compiler wrote for packages and for what they import.
func compiled(t *testing.T, packages ...string) importer.Lookup {
	t.Helper()
	out, err := exec.CommandContext(
		t.Context(),
		"go",
		append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, packages...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
}

// TestGuidanceIsConstant type-checks snippets: text that was computed does not compile where guidance is asked for.
func TestGuidanceIsConstant(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "gc", compiled(t, module+"/errs", module+"/errs/trusted", "fmt"))
	const head = `package snippet

import (
	"fmt"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/trusted"
)

const (
	untyped      = "Text."
	typed string = "Text."
)

type own string

const named own = "Text."

var (
	variable = "Text."
	_        = fmt.Sprint
	_        = trusted.Text
	_        = []any{untyped, typed, named, variable}
)

`
	places := map[string]string{
		"headline":              "var _ = errs.Headline(TEXT)",
		"instruction":           "var _ = errs.AskUser(TEXT)",
		"instruction of a tool": `var _ = errs.CallTool("tool", TEXT)`,
		"message of ToolError":  `var _ = &errs.ToolError{Code: "some_code", Message: TEXT}`,
		"message of AuthError":  "var _ = &errs.AuthError{Message: TEXT}",
		"assignment":            "func _(e *errs.ServiceError) { e.Message = TEXT }",
	}
	texts := map[string]bool{
		`"A literal."`:                       true,
		"untyped":                            true,
		`untyped + " And more."`:             true,
		"trusted.Text(variable)":             true,
		"variable":                           false,
		"typed":                              false,
		"named":                              false,
		"string(untyped)":                    false,
		`untyped + variable`:                 false,
		`fmt.Sprintf("A %s.", variable)`:     false,
		"(&errs.ToolError{}).Error()":        false,
		`[]string{"A literal."}[0]`:          false,
		"errs.Code(untyped)":                 false,
		`func() string { return untyped }()`: false,
	}
	for place, declaration := range places {
		for text, compiles := range texts {
			file, err := parser.ParseFile(fset, "snippet.go", head+strings.ReplaceAll(declaration, "TEXT", text), parser.SkipObjectResolution)
			if err != nil {
				t.Fatalf("%s: %s: %v", place, text, err)
			}
			config := types.Config{Importer: imp, Error: func(error) {}}
			_, err = config.Check("snippet", fset, []*ast.File{file}, nil)
			switch {
			case (err == nil) != compiles:
				t.Errorf("%s: %s: compiles: %t (%v)", place, text, err == nil, err)
			case err != nil && !strings.Contains(err.Error(), "guide.Text"):
				t.Errorf("%s: %s: does not compile for another reason: %v", place, text, err)
			}
		}
	}
}
