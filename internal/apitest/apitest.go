// Package apitest holds the exported names of packages against a list, so that a new one is a change somebody reviews.
package apitest

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Check compares the exported declarations of the packages in folders with the file golden, which it writes anew for
// update.
func Check(tb testing.TB, update bool, golden string, folders ...string) {
	tb.Helper()
	var got bytes.Buffer
	for _, folder := range folders {
		write(tb, &got, folder)
	}
	if update {
		if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden) //nolint:gosec // the test names it
	if err != nil {
		tb.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		tb.Errorf("the exported names changed; -update writes them anew\n got:\n%s\n want:\n%s", got.Bytes(), want)
	}
}

// write writes the exported declarations of a package, without their comments.
func write(tb testing.TB, to *bytes.Buffer, dir string) {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		tb.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			tb.Fatal(err)
		}
		files = append(files, file)
	}
	pkg, err := doc.NewFromFiles(set, files, dir)
	if err != nil {
		tb.Fatal(err)
	}
	show := func(node ast.Node) {
		if f, ok := node.(*ast.FuncDecl); ok {
			f.Body = nil
		}
		if err := (&printer.Config{Mode: printer.UseSpaces, Tabwidth: 4}).Fprint(to, set, node); err != nil {
			tb.Fatal(err)
		}
		to.WriteByte('\n')
	}
	to.WriteString("package " + pkg.Name + "\n\n")
	for _, value := range append(pkg.Consts, pkg.Vars...) {
		show(value.Decl)
	}
	for _, f := range pkg.Funcs {
		show(f.Decl)
	}
	for _, kind := range pkg.Types {
		show(kind.Decl)
		for _, value := range append(kind.Consts, kind.Vars...) {
			show(value.Decl)
		}
		for _, f := range append(kind.Funcs, kind.Methods...) {
			show(f.Decl)
		}
	}
	to.WriteByte('\n')
}
