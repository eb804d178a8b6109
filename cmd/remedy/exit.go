package main

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
)

// The exit codes; the package comment and --help say what they mean.
const (
	exitOK = iota
	exitFailed
	exitUsage
	exitNever
	exitAsIs
	exitAfterRepair
	exitOutcomeUnknown
	exitUntyped
	exitFound
)

// usageError is a command line, or an input on it, that is not understood.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// notReadError says that protos could not be had from a service. It is no error of a call that somebody may want to retry.
type notReadError struct{ error }

func (e notReadError) Unwrap() error { return e.error }

// foundError says that protos were read and are not as they should be.
type foundError struct{ error }

func (e foundError) Unwrap() error { return e.error }

// shownError is an error that its command has written already.
type shownError struct{ error }

func (e shownError) Unwrap() error { return e.error }

func isShown(err error) bool {
	_, ok := errors.AsType[shownError](err)
	return ok
}

// exitCode returns the exit code of an error.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	if _, ok := errors.AsType[foundError](err); ok {
		return exitFound
	}
	if _, ok := errors.AsType[notReadError](err); ok {
		return exitFailed
	}
	if isUnsent(err) {
		return unsentCode(err)
	}
	if _, ok := errors.AsType[*client.OutputError](err); ok {
		return exitNever // it succeeded
	}
	if errs.CodeOf(err) == "" {
		if isOfCall(err) {
			return exitUntyped
		}
		return exitFailed
	}
	return ruleCode(err)
}

// unsentCode is the exit code of a call of which nothing was sent. When the service was not there, the same command may be
// run again as it is; the rest has to do with this machine.
func unsentCode(err error) int {
	if status.Code(err) == codes.Unavailable {
		return exitAsIs
	}
	return exitFailed
}

// ruleCode is the exit code of a typed error.
func ruleCode(err error) int {
	switch {
	case errs.CodeOf(err) == errs.CodeOutcomeUnknown || errs.EffectOf(err) == errs.EffectUnknown:
		return exitOutcomeUnknown
	case errs.RetryOf(err) == errs.AsIs:
		return exitAsIs
	case errs.RetryOf(err) == errs.AfterRepair:
		return exitAfterRepair
	default:
		return exitNever
	}
}

// notCalledError is the error of what comes before a call, which was not made because of it.
type notCalledError struct{ error }

func (e notCalledError) Unwrap() error { return e.error }

// isUnsent reports whether nothing of a call was sent and err itself does not say what to do. What the service, or the
// client, has to say of what was asked for comes first.
func isUnsent(err error) bool {
	_, notCalled := errors.AsType[notCalledError](err)
	if !notCalled && !client.NeverSent(err) {
		return false
	}
	switch errs.CodeOf(err) {
	case errs.CodeCanceled, errs.CodeDeadlineExceeded:
		return true
	case "":
		code := status.Code(err)
		return client.NeverSent(err) || code == codes.Unavailable || code == codes.DeadlineExceeded || code == codes.Canceled
	default:
		return false
	}
}

// isOfCall reports whether an error that is not typed comes from a call.
func isOfCall(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	st, ok := status.FromError(err)
	return ok && st.Code() != codes.OK
}
