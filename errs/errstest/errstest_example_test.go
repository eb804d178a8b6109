package errstest_test

import (
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/errstest"
)

// Every error that a handler can return goes through Check once.
func ExampleCheck() {
	var t *testing.T // the test's
	for _, err := range []error{
		&errs.ToolError{Code: "order_already_shipped", Message: "Shipped orders cannot be cancelled."},
		&errs.ToolError{Code: "warehouse_busy", Retry: errs.AsIs, Status: codes.Unavailable},
	} {
		errstest.Check(t, err)
	}
}
