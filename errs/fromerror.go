package errs

import (
	"reflect"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// grpcError is the type of the errors that package status makes. They add nothing to the status they hold.
var grpcError = reflect.TypeOf(status.New(codes.Unknown, "").Err()) //nolint:gochecknoglobals // a constant

// FromError turns the error of a call into the typed error that was sent. It returns nil for nil, a typed error and
// what wraps one unchanged, and every error that is not ours unchanged too. Text that something wrapped around the
// status does not enter the message; what it was wrapped in still matches.
func FromError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := err.(Error); ok { //nolint:errorlint // this very error
		return err
	}
	if reflect.TypeOf(err) == grpcError { // the usual case: it wraps nothing
		if e, ok := asError(err); ok {
			return e
		}
		return err
	}
	if newWalker().find(err, func(inner error) bool { _, ok := inner.(Error); return ok }) != nil { //nolint:errorlint // walked
		return err
	}
	e, ok := find(err)
	if !ok {
		return err
	}
	baseOf(e).state().own().origin = err
	return e
}
