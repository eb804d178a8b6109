package server_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPI holds the exported declarations against a list, so that a new name is a change that somebody reviews.
func TestAPI(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("*.go")
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
	pkg, err := doc.NewFromFiles(set, files, "github.com/remedyrpc/remedy/server")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	write := func(node ast.Node) {
		if f, ok := node.(*ast.FuncDecl); ok {
			f.Body = nil
		}
		if err := (&printer.Config{Mode: printer.UseSpaces, Tabwidth: 4}).Fprint(&b, set, node); err != nil {
			t.Fatal(err)
		}
		b.WriteString("\n")
	}
	values := func(lists ...[]*doc.Value) {
		for _, list := range lists {
			for _, v := range list {
				write(v.Decl)
			}
		}
	}
	funcs := func(lists ...[]*doc.Func) {
		for _, list := range lists {
			for _, f := range list {
				write(f.Decl)
			}
		}
	}
	values(pkg.Consts, pkg.Vars)
	funcs(pkg.Funcs)
	for _, kind := range pkg.Types {
		b.WriteString("\n")
		write(kind.Decl)
		values(kind.Consts, kind.Vars)
		funcs(kind.Funcs, kind.Methods)
	}
	golden(t, "api.golden", b.String())
}
