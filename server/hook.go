package server

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/recovery"
)

// hookPanicError is a panic in a hook. It does not unwrap to the value of the panic: whatever that is, the hook has not
// returned it.
type hookPanicError struct {
	hook   string
	caught *recovery.PanicError
}

func (e *hookPanicError) Error() string { return e.hook + ": " + e.caught.Error() }

// StackTrace returns where it panicked, for the log.
func (e *hookPanicError) StackTrace() string { return e.caught.StackTrace() }

// As gives the panic to those who look for one.
func (e *hookPanicError) As(target any) bool {
	p, ok := target.(**recovery.PanicError)
	if ok {
		*p = e.caught
	}
	return ok
}

// guard calls code of a tool. It makes an error of its panic, and a sound one of its error.
func guard(hook string, f func() error) error {
	return caught(hook, func() error { return sound(hook, f()) })
}

// caught makes an error of a panic.
func caught(hook string, f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = panicked(hook, value)
		}
	}()
	return f()
}

// panicked makes an error of what recover returned.
func panicked(hook string, value any) error {
	p := &hookPanicError{hook: hook}
	errors.As(recovery.Caught(value), &p.caught)
	return p
}

// prepare calls a hook that comes before the effect, with the time it has, and says what cut it off.
func prepare(ctx context.Context, tool *AnyTool, hook string, f func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, tool.timeouts.Prepare)
	defer cancel()
	err := guard(hook, func() error { return f(limited) })
	switch {
	case err == nil || !cutOff(err):
		return err
	case ctx.Err() != nil:
		return gone(ctx, err)
	case limited.Err() != nil:
		return &errs.OperationTimeoutError{Operation: tool.name, Timeout: tool.timeouts.Prepare, Cause: err}
	default:
		return ownLimitError{opaque{err}}
	}
}

// ownLimitError is what a hook says of a limit that it set itself, while the time of the call was not up and its caller
// still there. It is an error like any other.
type ownLimitError struct{ opaque }

// cutOff reports whether err says that time was up or the caller gone, in the words of a context or of a status.
func cutOff(err error) bool {
	switch errs.CodeOf(err) {
	case "":
	case errs.CodeCanceled, errs.CodeDeadlineExceeded:
		return true
	default:
		return false // a typed error says something else, whatever its cause
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	code := status.Code(err)
	return code == codes.Canceled || code == codes.DeadlineExceeded
}

// gone is the error of a call whose caller does not wait any more; nil where it does.
func gone(ctx context.Context, cause error) error {
	err := ctx.Err()
	switch {
	case err == nil:
		return nil
	case cause == nil:
		cause = err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &errs.ServiceError{Code: errs.CodeDeadlineExceeded, Cause: cause}
	}
	return &errs.ServiceError{Code: errs.CodeCanceled, Cause: cause}
}

// detached calls a hook in a goroutine of its own, and leaves it behind when it does not heed the limit or when ctx ends.
func detached[T any](ctx context.Context, limit time.Duration, hook string, f func(context.Context) (T, error)) (T, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	results := make(chan outcome[T], 1)
	go func() {
		defer cancel()
		deliver(limited, results, hook, f)
	}()
	timer := time.NewTimer(limit + grace)
	defer timer.Stop()
	select {
	case r := <-results:
		return r.value, r.err
	case <-ctx.Done():
	case <-timer.C:
	}
	select {
	case r := <-results:
		return r.value, r.err
	default:
		var none T
		if err := ctx.Err(); err != nil {
			return none, err
		}
		return none, context.DeadlineExceeded
	}
}

// outcome is what a hook returned.
type outcome[T any] struct {
	value T
	err   error
}

// deliver calls a hook and sends what it returned, also where it ends its goroutine instead of returning.
func deliver[T any](ctx context.Context, results chan<- outcome[T], hook string, f func(context.Context) (T, error)) {
	r := outcome[T]{err: errors.New(hook + " ended its goroutine")}
	defer func() { results <- r }()
	r.err = guard(hook, func() (err error) {
		r.value, err = f(ctx)
		return err
	})
}
