package client

import (
	"errors"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
)

// NeverSent reports whether err, the error of a call by a [Client], says that nothing of the call was sent, in any of its
// attempts: the same call may be made again, whatever else the error says. It is true only where that is proven: the
// service could not be reached, time ran out before, or the client refused what it was given. It is false for an error
// that came over the wire, and for every error of a connection that proves nothing: see [New].
//
// Wrapping keeps it. Of several errors in one, all that are of a call must say it. An error of package errs that only has
// such an error as its cause does not.
func NeverSent(err error) bool {
	for err != nil {
		switch e := err.(type) { //nolint:errorlint // walked
		case *unsentError:
			return true
		case errs.Error:
			return false
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			return allNeverSent(e.Unwrap())
		default:
			return false
		}
	}
	return false
}

func allNeverSent(all []error) bool {
	found := false
	for _, err := range all {
		switch {
		case err == nil:
		case NeverSent(err):
			found = true
		case isOfCall(err):
			return false
		}
	}
	return found
}

// isOfCall reports whether err may be the error of a call.
func isOfCall(err error) bool {
	_, ok := status.FromError(err)
	return ok || errs.CodeOf(err) != "" || errors.As(err, new(*OutputError))
}

// unsentError marks the error of a call of which nothing was sent. In everything else it is that error.
type unsentError struct{ err error }

func (e *unsentError) Error() string { return e.err.Error() }
func (e *unsentError) Unwrap() error { return e.err }

// GRPCStatus returns the status of the error as it came; nil, which grpc takes for none, where there is none.
func (e *unsentError) GRPCStatus() *status.Status {
	if st, ok := status.FromError(e.err); ok {
		return st
	}
	return nil
}
