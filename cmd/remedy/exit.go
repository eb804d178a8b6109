package main

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

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
)

// usageError is a command line, or an input on it, that is not understood.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

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
	if errs.CodeOf(err) == "" {
		if isOfCall(err) {
			return exitUntyped
		}
		return exitFailed
	}
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

// isOfCall reports whether an error that is not typed comes from a call.
func isOfCall(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	st, ok := status.FromError(err)
	return ok && st.Code() != codes.OK
}
