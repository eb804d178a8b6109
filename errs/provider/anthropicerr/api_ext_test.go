package anthropicerr_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/remedyrpc/remedy/internal/apitest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestAPI holds the exported names against a list, so that a new one is a change somebody reviews.
func TestAPI(t *testing.T) {
	t.Parallel()
	apitest.Check(t, *update, filepath.Join("testdata", "api.golden"), ".")
}
