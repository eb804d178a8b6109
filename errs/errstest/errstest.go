// Package errstest helps to test code that returns typed errors.
package errstest

import (
	"testing"

	"github.com/remedyrpc/remedy/errs"
)

// Check fails the test when err could not be sent as what it is: an impossible code, rule, status or plan, a typed nil
// pointer, or an error whose type or content does not survive the wire.
func Check(tb testing.TB, err error) {
	tb.Helper()
	if problem := errs.Validate(err); problem != nil {
		tb.Errorf("the error would be answered as internal: %v", problem)
		return
	}
	if errs.CodeOf(err) == "" {
		return
	}
	if back := errs.FromStatus(errs.ToStatus(err)); !errs.Equal(err, back) {
		tb.Errorf("the error does not survive the wire:\n sent     %v\n received %v", err, back)
	}
}
