package anthropicerr

import (
	"regexp"
	"strconv"

	"github.com/remedyrpc/remedy/errs/provider"
	"github.com/remedyrpc/remedy/errs/provider/internal/chain"
)

// tokenRefused is how the SDK words that it was given no token to call with. The type of that error is internal to the SDK,
// so that nothing but its text tells.
var tokenRefused = regexp.MustCompile(`oauth token request failed \(status (\d{3})\)`)

// token reads the text of an error of the transport for the answer of the endpoint of tokens. The text stays what says why.
func token(f *provider.Failure) {
	if found := tokenRefused.FindStringSubmatch(chain.Text(f.Err)); found != nil {
		f.Token = true
		f.Status, _ = strconv.Atoi(found[1]) // three digits
	}
}
