package contract

import (
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// NeverSent reports whether err, the error of a call over a connection of [Client], says that nothing of the call was
// sent, in any of its attempts: the same call may be made again, whatever else the error says. It is true only where that
// is proven: its context had ended before, or its method has an effect by contract and no attempt sent anything, as far as
// the connection tells (see [Client]). It is false for an error that came over the wire.
//
// Wrapping keeps it. Of several errors in one, all that are of a call must say it. An error of package errs that only has
// such an error as its cause does not.
func NeverSent(err error) bool {
	for err != nil {
		switch e := err.(type) { //nolint:errorlint // walked
		case *neversent.Error:
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
	return ok || errs.CodeOf(err) != ""
}
