package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/catalog"
	"github.com/remedyrpc/remedy/errs"
)

func TestCatalogGolden(t *testing.T) {
	t.Parallel()
	for format, name := range map[string]string{"text": "catalog.txt", "json": "catalog.json", "markdown": "catalog.md"} {
		got := command(t, "", "catalog", "--format", format)
		if got.code != exitOK || got.err != "" {
			t.Fatalf("%s: exit %d, %s", format, got.code, got.err)
		}
		golden(t, name, got.out)
	}
}

func TestCatalogRefusesAnotherFormat(t *testing.T) {
	t.Parallel()
	if got := command(t, "", "catalog", "--format=yaml"); got.code != exitUsage || got.out != "" {
		t.Errorf("exit %d, %s", got.code, got.out)
	}
}

// An address that is meant for the commands that call tools asks for no reflection.
func TestCatalogIgnoresTheEnvironment(t *testing.T) {
	t.Setenv("REMEDY_ADDR", "127.0.0.1:1")
	if got := command(t, "", "catalog"); got.code != exitOK || got.err != "" {
		t.Errorf("catalog: exit %d, %s", got.code, got.err)
	}
	if got := command(t, "", "lint", good); got.code != exitOK || got.err != "" {
		t.Errorf("lint: exit %d, %s", got.code, got.err)
	}
}

// Each link of the page has its anchor, each row its rule.
func TestCatalogPage(t *testing.T) {
	t.Parallel()
	var rows []catalog.Row
	if err := json.Unmarshal([]byte(command(t, "", "catalog", "--format=json").out), &rows); err != nil {
		t.Fatal(err)
	}
	page := command(t, "", "catalog", "--format=markdown").out
	for i := range rows {
		r := &rows[i]
		if n := strings.Count(page, `<a id="`+r.Code+`"></a>`); n != 1 {
			t.Errorf("%s has %d anchors", r.Code, n)
		}
		if !strings.Contains(page, "](#"+r.Code+")") {
			t.Errorf("%s has no link", r.Code)
		}
		if r.Retry == errs.AfterRepair.String() && (r.Plan == nil || len(r.Plan.Steps) == 0) {
			t.Errorf("%s asks for a repair that has no step", r.Code)
		}
	}
}
