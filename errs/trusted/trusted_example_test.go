package trusted_test

import (
	"fmt"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/trusted"
)

// A headline from a translation file. Never pass anything that came from a request.
func ExampleText() {
	headlines := map[string]string{"de": "Der Platz ist nicht mehr frei."}
	err := &errs.ToolError{Code: "slot_stale", Message: trusted.Text(headlines["de"])}
	fmt.Println(err)
	// Output: Der Platz ist nicht mehr frei. [slot_stale; do not retry]
}
