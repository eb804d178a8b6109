package errs

import (
	"context"
	"errors"

	"google.golang.org/grpc/status"
)

// kinds of the errors in a tree, the most telling first.
type kind int

const (
	kindUnknown kind = iota // ours, effect unknown
	kindApplied             // ours, effect applied
	kindOurs
	kindForeign // a status that is not ours
	kindContext
	kindPlain
)

// statusError is what grpc looks for in an error.
type statusError interface {
	error
	GRPCStatus() *status.Status
}

// asError returns err itself as one of ours: a typed error, or a status that is one.
func asError(err error) (Error, bool) {
	if e, ok := err.(Error); ok { //nolint:errorlint // this very error, not what it wraps
		return e, true
	}
	if s, ok := err.(statusError); ok { //nolint:errorlint // this very error
		if e := decodeSafely(s); e != nil {
			return e, true
		}
	}
	return nil, false
}

// decodeSafely reads the status of somebody else's error type; a nil pointer in it is not ours to crash on.
func decodeSafely(s statusError) (e Error) {
	st := statusSafely(s)
	if st == nil {
		return nil
	}
	return decode(st, maxCauseDepth)
}

func statusSafely(s statusError) (st *status.Status) {
	defer func() {
		if recover() != nil {
			st = nil
		}
	}()
	return s.GRPCStatus()
}

// baseOf returns the struct of this package behind e.
func baseOf(e Error) (typed, bool) {
	switch e := e.(type) {
	case typed:
		return e, true
	case *sent:
		return baseOf(e.ours)
	case Declared:
		if base := e.Base(); base != nil {
			return base, true
		}
	}
	return nil, false
}

// unwrapAll returns what err wraps directly.
func unwrapAll(err error) []error {
	switch u := err.(type) { //nolint:errorlint // this very error
	case interface{ Unwrap() error }:
		if inner := u.Unwrap(); inner != nil {
			return []error{inner}
		}
	case interface{ Unwrap() []error }:
		return u.Unwrap()
	}
	return nil
}

// outermost returns the typed errors of the tree that no other typed error wraps, depth first.
func outermost(err error, walk *int) []Error {
	if err == nil || *walk == 0 {
		return nil
	}
	*walk--
	if e, ok := asError(err); ok {
		return []Error{e}
	}
	var found []Error
	for _, inner := range unwrapAll(err) {
		found = append(found, outermost(inner, walk)...)
	}
	return found
}

// head is what an error tree is answered with.
type head struct {
	kind   kind
	ours   Error
	others []error        // the other typed errors
	status *status.Status // kindForeign
	err    error          // the error chosen
}

// choose picks the head of a tree: effect unknown before effect applied before other typed errors, then statuses that
// are not ours, context errors, and the rest; ties depth first.
func choose(err error) head {
	walk := maxWalk
	if found := outermost(err, &walk); len(found) > 0 {
		best := 0
		for i := range found {
			if kindOf(found[i]) < kindOf(found[best]) {
				best = i
			}
		}
		h := head{kind: kindOf(found[best]), ours: found[best], err: found[best]}
		for i, e := range found {
			if i != best {
				h.others = append(h.others, e)
			}
		}
		return h
	}
	walk = maxWalk
	if st, e := innermostStatus(err, &walk); st != nil {
		return head{kind: kindForeign, status: st, err: e}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return head{kind: kindContext, err: err}
	}
	return head{kind: kindPlain, err: err}
}

func kindOf(e Error) kind {
	switch EffectOf(e) {
	case EffectUnknown:
		return kindUnknown
	case EffectApplied:
		return kindApplied
	default:
		return kindOurs
	}
}

// innermostStatus finds the first status of the tree that wraps no other, so that no wrapping text gets in.
func innermostStatus(err error, walk *int) (*status.Status, error) {
	if err == nil || *walk == 0 {
		return nil, nil
	}
	*walk--
	for _, inner := range unwrapAll(err) {
		if st, e := innermostStatus(inner, walk); st != nil {
			return st, e
		}
	}
	if s, ok := err.(statusError); ok { //nolint:errorlint // this very error
		if st := statusSafely(s); st != nil {
			return st, err
		}
	}
	return nil, nil
}
