package errs_test

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestExportedAPI pins the exported names: growth is a diff that a reviewer sees.
func TestExportedAPI(t *testing.T) {
	t.Parallel()
	paths := []string{module + "/errs", module + "/errs/errstest", module + "/errs/trusted"}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", compiled(t, paths...))
	var b strings.Builder
	for _, path := range paths {
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "# %s\n", strings.TrimPrefix(path, module+"/"))
		for _, line := range exported(pkg) {
			fmt.Fprintln(&b, line)
		}
	}
	golden(t, "api.golden", b.String())
}

func exported(pkg *types.Package) []string {
	short := func(other *types.Package) string {
		if other == pkg {
			return ""
		}
		return other.Name()
	}
	var lines []string
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		named, ok := object.Type().(*types.Named)
		if _, isType := object.(*types.TypeName); !ok || !isType {
			line := types.ObjectString(object, short)
			if c, ok := object.(*types.Const); ok {
				line = fmt.Sprintf("const %s = %s", strings.TrimPrefix(types.ObjectString(object, short), "const "), c.Val())
			}
			lines = append(lines, line)
			continue
		}
		if s, ok := named.Underlying().(*types.Struct); ok {
			lines = append(lines, "type "+name+" struct")
			for field := range s.Fields() {
				if field.Exported() {
					lines = append(lines, "type "+name+", field "+field.Name()+" "+types.TypeString(field.Type(), short))
				}
			}
		} else {
			lines = append(lines, "type "+name+" "+types.TypeString(named.Underlying(), short))
		}
		methods := types.NewMethodSet(types.NewPointer(named))
		for method := range methods.Methods() {
			if method.Obj().Exported() && !types.IsInterface(named) {
				lines = append(lines, "type "+name+", method "+strings.TrimPrefix(types.ObjectString(method.Obj(), short), "func "))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// TestDependencies: who uses only typed errors compiles nothing heavy.
func TestDependencies(t *testing.T) {
	t.Parallel()
	ours := module + "/errs"
	direct := list(t, `{{join .Imports "\n"}}`, ours, ours+"/trusted", ours+"/internal/guide")
	for _, path := range direct {
		switch {
		case isStandard(path):
		case path == "google.golang.org/grpc/codes", path == "google.golang.org/grpc/status":
		case strings.HasPrefix(path, "google.golang.org/genproto/googleapis/rpc/"), strings.HasPrefix(path, "google.golang.org/protobuf/"):
		case path == module+"/gen/remedy/v1", path == module+"/internal/authored", path == ours, strings.HasPrefix(path, ours+"/internal/"):
		default:
			t.Errorf("errs imports %s", path)
		}
	}
	all := list(t, "{{.ImportPath}}", "-deps", ours, ours+"/trusted")
	pulled := list(t, "{{.ImportPath}}", "-deps", "google.golang.org/grpc/codes", "google.golang.org/grpc/status",
		"google.golang.org/genproto/googleapis/rpc/errdetails", module+"/internal/authored", "google.golang.org/protobuf/encoding/protojson")
	for _, path := range all {
		if !isStandard(path) && !strings.HasPrefix(path, ours) && !slices.Contains(pulled, path) {
			t.Errorf("errs compiles %s", path)
		}
		for _, not := range []string{"cel.dev", "opentelemetry", "database/sql", "jsonschema", "protovalidate", "gogo", "net/http"} {
			if strings.Contains(path, not) {
				t.Errorf("errs compiles %s", path)
			}
		}
	}
	if len(direct) < 10 || len(all) < len(direct) {
		t.Error("go list found nothing")
	}
}

// isStandard reports packages of the standard library: their first element is no domain.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// list runs go list.
func list(t *testing.T, format string, arguments ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-f", format}, arguments...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
