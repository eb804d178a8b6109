package errs

import (
	"google.golang.org/grpc/status"
)

// sent is what a server returns to grpc where that is not the handler's own error: what the head says, and everything
// that the handler returned, to be matched in process.
type sent struct {
	ours Error
	also []Error // the other typed errors, some of which may have been plain statuses
	orig error   // nil where it is ours
	said *wire   // what ours says where it had to be fitted again; nil for what it says itself
}

var _ Error = (*sent)(nil)

// Error returns the portable message.
func (e *sent) Error() string { return saidBy(e).shown() }

// ErrorCode returns the code of the head.
func (e *sent) ErrorCode() string { return saidBy(e).code }

// RetryPolicy returns the rule of the head.
func (e *sent) RetryPolicy() RetryPolicy { return saidBy(e).retry }

// Plan returns the plan of the head.
func (e *sent) Plan() *Plan { return saidBy(e).plan }

// GRPCStatus returns the status of the head.
func (e *sent) GRPCStatus() *status.Status { return saidBy(e).st }

// Unwrap returns the head, the other typed errors and the handler's error.
func (e *sent) Unwrap() []error {
	list := []error{e.ours}
	for _, other := range e.also {
		list = append(list, other)
	}
	if e.orig != nil {
		list = append(list, e.orig)
	}
	return list
}
