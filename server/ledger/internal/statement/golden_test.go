package statement

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden shows every statement as SQLite runs it.
func TestGolden(t *testing.T) {
	t.Parallel()
	statements, err := New(&Dialect{
		Table: "operations", Now: "@now", Find: "instr", Newline: "char(10)", Parameter: "?", Unnumbered: true,
		Among: "rowid IN (%s)", Place: "rowid", Quiet: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range statements.All() {
		b.WriteString("-- " + s.Name + "\n" + strings.TrimSpace(s.SQL) + ";\n\n")
	}
	golden := filepath.Join("testdata", "statements.golden.sql")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the statements changed; -update writes them anew\n got:\n%s", b.String())
	}
}

func TestUnknownParameter(t *testing.T) {
	t.Parallel()
	if _, err := new(Dialect).Statement("bad", "SELECT @nothing"); err == nil || !strings.Contains(err.Error(), "@nothing") {
		t.Errorf("Statement() = %v; want that there is no such parameter", err)
	}
}
