package errs

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// maxWalk is how many errors of one tree are looked at, whatever its shape: somebody else's tree may be a circle, and a
// join of joins of itself is large in no memory at all.
const maxWalk = 1000

// walker goes through the errors that an error wraps, depth first. Methods of foreign errors may panic: a typed nil
// pointer is enough.
type walker struct {
	left int
}

func newWalker() *walker { return &walker{left: maxWalk} }

// step takes one error from what may still be looked at.
func (w *walker) step(err error) bool {
	if err == nil || w.left == 0 {
		return false
	}
	w.left--
	return true
}

// find returns the first error in the tree for which match holds.
func (w *walker) find(err error, match func(error) bool) (found error) {
	if !w.step(err) {
		return nil
	}
	if match(err) {
		return err
	}
	w.children(err, func(inner error) bool {
		found = w.find(inner, match)
		return found == nil
	})
	return found
}

// outermost returns the typed errors of the tree that no other typed error wraps.
func (w *walker) outermost(err error) []Error {
	if !w.step(err) {
		return nil
	}
	if e, ok := asError(err); ok {
		return []Error{e}
	}
	var found []Error
	w.children(err, func(inner error) bool {
		found = append(found, w.outermost(inner)...)
		return true
	})
	return found
}

// innermostStatus returns the first error with a status that wraps no other, so that no wrapping text gets in. A received
// one is taken as it is.
//
//nolint:nilnil // nil is the answer where there is none
func (w *walker) innermostStatus(err error) (st *status.Status, found error) {
	if !w.step(err) {
		return nil, nil
	}
	if received, ok := err.(*foreignError); ok { //nolint:errorlint // this very error
		st = received.GRPCStatus()
		return st, received
	}
	w.children(err, func(inner error) bool {
		st, found = w.innermostStatus(inner)
		return found == nil
	})
	if found != nil {
		return st, found
	}
	if s, ok := err.(statusError); ok { //nolint:errorlint // this very error
		if own := statusSafely(s); own != nil {
			return own, err
		}
	}
	return nil, nil
}

// children calls f for what err wraps directly, until f returns false.
func (w *walker) children(err error, f func(error) bool) {
	many, one := unwrapSafely(err)
	if one != nil {
		f(one)
		return
	}
	for _, inner := range many {
		if !f(inner) {
			return
		}
	}
}

func unwrapSafely(err error) (many []error, one error) {
	defer func() {
		if recover() != nil {
			many, one = nil, nil
		}
	}()
	switch u := err.(type) { //nolint:errorlint // this very error
	case interface{ Unwrap() error }:
		return nil, u.Unwrap()
	case interface{ Unwrap() []error }:
		return u.Unwrap(), nil
	default:
		return nil, nil
	}
}

// isSafely reports whether err itself, not what it wraps, is the target.
func isSafely(err, target error) (is bool) {
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	if err == target { //nolint:errorlint // the targets are comparable
		return true
	}
	x, ok := err.(interface{ Is(error) bool })
	return ok && x.Is(target)
}

// contextCode returns the code of the context error in the tree, a deadline before a cancellation; zero when there is none.
func contextCode(err error) Code {
	if newWalker().find(err, func(e error) bool { return isSafely(e, context.DeadlineExceeded) }) != nil {
		return CodeDeadlineExceeded
	}
	if newWalker().find(err, func(e error) bool { return isSafely(e, context.Canceled) }) != nil {
		return CodeCanceled
	}
	return ""
}

// statusError is what grpc looks for in an error.
type statusError interface {
	error
	GRPCStatus() *status.Status
}

func statusSafely(s statusError) (st *status.Status) {
	defer func() {
		if recover() != nil {
			st = nil
		}
	}()
	return s.GRPCStatus()
}

// asError returns err itself as one of ours: a typed error, or a status that says it is one. A struct of this package is
// behind whatever it returns.
func asError(err error) (Error, bool) {
	if e, ok := asTyped(err); ok {
		return e, true
	}
	if s, ok := err.(statusError); ok { //nolint:errorlint // this very error
		if st := statusSafely(s); st.Code() != codes.OK {
			if e := decode(st, maxCauseDepth); e != nil {
				return e, true
			}
		}
	}
	return nil, false
}

// asTyped returns err itself as a typed error.
func asTyped(err error) (Error, bool) {
	switch e := err.(type) { //nolint:errorlint // this very error, not what it wraps
	case typed:
		return e, true
	case *sent:
		return e, true
	case Declared:
		return e, true
	default:
		return nil, false
	}
}

// baseOf returns the struct of this package behind an error that asError returned.
func baseOf(e Error) typed {
	switch e := e.(type) {
	case typed:
		return e
	case *sent:
		return baseOf(e.ours)
	case Declared:
		return e.Base()
	default:
		return (*ToolError)(nil) // answered as internal
	}
}
