package neversent

import "google.golang.org/grpc/status"

// Error marks the error of a call of which nothing was sent. In everything else it is that error: it has its text and its
// status, and matches what that matches. The clients of package contract mark what is proven; its function NeverSent
// reads the mark, and says what one inside another error means.
type Error struct {
	// Err is the error of the call.
	Err error
}

// Error returns the text of the error as it came.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// GRPCStatus returns the status of the error as it came; nil, which grpc takes for none, where there is none.
func (e *Error) GRPCStatus() *status.Status {
	if st, ok := status.FromError(e.Err); ok {
		return st
	}
	return nil
}
