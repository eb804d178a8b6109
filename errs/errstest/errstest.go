// Package errstest helps to test code that returns typed errors.
package errstest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/remedyrpc/remedy/errs"
)

// Check fails the test when err could not be sent as what it is: an impossible code, rule, status or plan, a typed nil
// pointer, a code returned as an error, or an error whose type or content does not survive the wire. It accepts nil and
// errors that are not typed.
func Check(tb testing.TB, err error) {
	tb.Helper()
	if problem := errs.Validate(err); problem != nil {
		tb.Errorf("the error would be answered as internal: %v", problem)
		return
	}
	if errs.CodeOf(err) == "" {
		return
	}
	back := errs.FromStatus(errs.ToStatus(err))
	if !errs.Equal(err, back) {
		tb.Errorf("the error does not survive the wire:\n sent     %v\n received %v", err, back)
	}
	if declared, ok := errors.AsType[errs.Declared](err); ok {
		if sent, received := fmt.Sprintf("%T", declared), fmt.Sprintf("%T", back); sent != received {
			tb.Errorf("the error is sent as %s and received as %s: its message needs a RemedyError method that returns it", sent, received)
		}
	}
}
