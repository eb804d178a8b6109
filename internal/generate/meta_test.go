package generate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// elsewhere are the texts that no proto leads to, because no compiler lets it through, with the test that has them.
var elsewhere = map[string]string{
	"the option (remedy.v1.error) cannot be read: %v":    "declared.TestUnreadOptions",
	"the option (remedy.v1.contract) cannot be read: %v": "declared.TestUnreadOptions",
}

// TestEveryRefusalHasACase reads the texts out of the sources: a new one needs a case in testdata/refused.
func TestEveryRefusalHasACase(t *testing.T) {
	t.Parallel()
	if *update {
		t.Skip("the golden files are being written")
	}
	var said strings.Builder
	for _, name := range refusals(t) {
		said.WriteString(read(t, filepath.Join("testdata", "refused", name, "want.golden")))
	}
	texts := make(map[string]string)
	for _, folder := range []string{".", filepath.Join("..", "..", "internal", "declared")} {
		maps.Copy(texts, refusalTexts(t, folder))
	}
	const least = 50
	if len(texts) < least {
		t.Errorf("found %d texts in the sources: the functions that refuse have other names now", len(texts))
	}
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		if elsewhere[text] == "" && !pattern(text).MatchString(said.String()) {
			t.Errorf("%s: no case of testdata/refused is refused with %q", texts[text], text)
		}
	}
}

// refusalTexts returns the formats that are given to functions which refuse, and what functions return that end such a text,
// each with its place.
func refusalTexts(t *testing.T, folder string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	files := token.NewFileSet()
	add := func(e ast.Expr) {
		for text := range strings.SplitSeq(literal(e), "\x00") {
			if strings.Contains(text, " ") {
				texts[text] = files.Position(e.Pos()).String()
			}
		}
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if refuses(n.Fun) {
					for _, argument := range n.Args {
						add(argument)
					}
				}
			case *ast.FuncDecl:
				if strings.HasSuffix(strings.ToLower(n.Name.Name), "choices") {
					ast.Inspect(n, func(n ast.Node) bool {
						if r, ok := n.(*ast.ReturnStmt); ok {
							add(r.Results[0])
						}
						return true
					})
				}
			}
			return true
		})
	}
	return texts
}

func refuses(function ast.Expr) bool {
	name := ""
	switch f := function.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	return name == "refusef" || name == "NewProblem"
}

// literal is a text, or several that + puts together; what is computed is a zero byte.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	}
	return "\x00"
}

// pattern matches what a format makes.
func pattern(format string) *regexp.Regexp {
	return regexp.MustCompile(regexp.MustCompile(`%[a-z]`).ReplaceAllString(regexp.QuoteMeta(format), ".*"))
}
