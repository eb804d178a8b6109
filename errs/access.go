package errs

import (
	"errors"
	"fmt"
	"time"
)

// find returns the first error of ours in the tree of err: a typed error, or a status that is one.
func find(err error) (Error, bool) {
	if e, ok := asTyped(err); ok {
		return e, true
	}
	var found Error
	_ = newWalker().find(err, func(inner error) bool {
		e, ok := asError(inner)
		if ok {
			found = e
		}
		return ok
	})
	return found, found != nil
}

// CodeOf returns the code of err: of the first error of ours in it, empty for nil and for every other error.
func CodeOf(err error) Code {
	if e, ok := find(err); ok {
		return Code(saidBy(e).code)
	}
	return ""
}

// RetryOf returns the retry rule of err; [Never] for an error that states none.
func RetryOf(err error) RetryPolicy {
	if e, ok := find(err); ok {
		return saidBy(e).retry.known()
	}
	return Never
}

// Retryable reports whether the same call may be sent again unchanged, under the same operation key.
func Retryable(err error) bool { return RetryOf(err) == AsIs }

// RetryAfterOf returns how long to wait before a retry, and whether the error says so.
func RetryAfterOf(err error) (time.Duration, bool) {
	if e, ok := find(err); ok {
		after := saidBy(e).after
		return after, after > 0
	}
	return 0, false
}

// PlanOf returns what has to happen before a retry, nil when the error says nothing.
func PlanOf(err error) *Plan {
	if e, ok := find(err); ok {
		return saidBy(e).plan
	}
	return nil
}

// EffectOf returns what the error says of an effect; [EffectUnspecified] when it says nothing or is not ours.
func EffectOf(err error) Effect {
	if e, ok := find(err); ok {
		return saidBy(e).effect
	}
	return EffectUnspecified
}

// InfoOf returns what the error says of the call it belongs to; the zero Info when it is not ours.
func InfoOf(err error) Info {
	if e, ok := find(err); ok {
		return saidBy(e).info()
	}
	return Info{}
}

// IsInferred reports whether err is an unknown outcome that a client concluded from a lost answer.
func IsInferred(err error) bool {
	e, ok := find(err)
	if !ok {
		return false
	}
	unknown, ok := baseOf(e).(*OutcomeUnknownError)
	return ok && unknown != nil && unknown.Inferred
}

// Message returns a printable text for whatever was thrown, returned or recovered: the message of an error, a string as
// it is, and everything else as fmt prints it.
func Message(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T", v) // an Error method that panics
		}
	}()
	switch v := v.(type) {
	case error:
		return v.Error()
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}

// Validate reports why an error would be answered as internal: an impossible code, rule, status or plan, a typed nil
// pointer, a [Code] or [Sentinel] returned as an error. It returns nil for nil and for errors that are not ours.
func Validate(err error) error {
	if e, ok := find(err); ok {
		if problem := saidBy(e).problem; problem != "" {
			return fmt.Errorf("%T: %s", e, problem)
		}
		return nil
	}
	if problem := targetProblem(err); problem != "" {
		return errors.New(problem)
	}
	return nil
}

// targetProblem says that something to match errors with was returned as one.
func targetProblem(err error) string {
	target := newWalker().find(err, func(inner error) bool {
		switch inner.(type) { //nolint:errorlint // this very error
		case Code, Sentinel, *Code, *Sentinel:
			return true
		default:
			return false
		}
	})
	switch t := target.(type) { //nolint:errorlint // this very error
	case Code:
		return "code " + string(t) + " was returned as an error: it is a target to match with, raise its definition"
	case nil:
		return ""
	default:
		return "a Sentinel was returned as an error: it is a target to match with, raise its definition"
	}
}
