package server

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
)

// maxWrapped is how many errors one error may wrap.
const maxWrapped = 1000

// unsoundError stands for an error whose own methods cannot be relied on: a typed nil pointer, one that wraps itself. What
// it stands for is not called again; the text is for the log.
type unsoundError struct{ text string }

func (e *unsoundError) Error() string { return e.text }

// sound returns err where the methods that are called on the way of an error return, and an error that says so otherwise.
// It is called where an error comes in, once, so that nothing after it has to be careful.
func sound(hook string, err error) (safe error) {
	if err == nil {
		return nil
	}
	defer func() {
		if value := recover(); value != nil {
			safe = &unsoundError{fmt.Sprintf("%s returned an error of type %T whose methods panic: %s", hook, err, errs.Message(value))}
		}
	}()
	if left := maxWrapped; !ends(err, &left) {
		// Its text is not asked for: it may be as endless, and an overflow of the stack ends the process.
		return &unsoundError{fmt.Sprintf("%s returned an error of type %T that wraps more than %d others, or itself", hook, err, maxWrapped)}
	}
	if e, ok := errors.AsType[errs.Error](err); ok && reflect.ValueOf(e).Kind() == reflect.Pointer && reflect.ValueOf(e).IsNil() {
		return &unsoundError{fmt.Sprintf("%s returned a nil pointer of type %T as an error: return nil instead", hook, e)}
	}
	exercise(err)
	return err
}

// ends reports whether a walk through what err wraps comes to an end.
func ends(err error, left *int) bool {
	*left--
	if *left < 0 {
		return false
	}
	for _, inner := range wrapped(err) {
		if inner != nil && !ends(inner, left) {
			return false
		}
	}
	return true
}

func wrapped(err error) []error {
	switch e := err.(type) { //nolint:errorlint // this very error
	case interface{ Unwrap() error }:
		return []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	default:
		return nil
	}
}

// exercise calls what the server, its interceptors and grpc call.
func exercise(err error) {
	tell(err)
	_ = errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if e, ok := errors.AsType[errs.Error](err); ok {
		_ = e.GRPCStatus()
	}
	if e, ok := errors.AsType[stacked](err); ok {
		_ = e.StackTrace()
	}
	_ = status.Code(err)
	_ = errs.InfoOf(err)
}

// tell asks every error for its text.
func tell(err error) {
	_ = err.Error()
	for _, inner := range wrapped(err) {
		if inner != nil {
			tell(inner)
		}
	}
}
