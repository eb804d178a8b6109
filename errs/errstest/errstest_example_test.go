package errstest_test

import (
	"fmt"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/errstest"
)

// Every error that a handler can return goes through Check once. The test is told what is wrong with it.
func ExampleCheck() {
	test := &recorder{TB: (*testing.T)(nil)} // in a test, its own t
	errstest.Check(test, &errs.ToolError{Code: "order_already_shipped", Message: "Shipped orders cannot be cancelled."})
	errstest.Check(test, &errs.ToolError{Code: "warehouse_busy", Status: codes.Unavailable})
	for _, said := range test.said {
		fmt.Println(said)
	}
	// Output:
	// the error would be answered as internal: *errs.ToolError: status Unavailable does not go with retry never
}
