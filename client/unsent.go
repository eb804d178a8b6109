package client

import (
	"errors"

	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// NeverSent reports whether err, the error of a call by a [Client], says that nothing of the call was sent, in any of its
// attempts: the same call may be made again, whatever else the error says. It is true only where that is proven: the
// service could not be reached, time ran out before, or the client refused what it was given. It is false for an error
// that came over the wire, and for every error of a connection that proves nothing: see [New].
//
// Wrapping keeps it. Of several errors in one, all that are of a call must say it. An error of package errs that only has
// such an error as its cause does not. [contract.NeverSent] says the same of the errors of generated clients.
func NeverSent(err error) bool {
	return contract.NeverSent(err) && !errors.As(err, new(*OutputError))
}

// unmarked returns the error of one attempt without its mark, and whether it had one: whether nothing was sent in any of
// them is for the retrier to say.
func unmarked(err error) (unsent bool, bare error) {
	if marked, ok := err.(*neversent.Error); ok { //nolint:errorlint // this very error
		return true, marked.Err
	}
	return false, err
}
