// Package chain reads errors that others made, whatever their methods do: nil pointers whose methods panic, and errors that
// unwrap to themselves without end.
package chain

import (
	"iter"
	"reflect"
	"slices"
)

// maxErrors bounds how many errors of a tree are looked at.
const maxErrors = 64

// All yields an error and those that it wraps in the order of [errors.As], the outermost first, at most 64 of them. Nil has
// none.
func All(err error) iter.Seq[error] {
	return func(yield func(error) bool) {
		left := []error{err}
		for seen := 0; len(left) > 0 && seen < maxErrors; {
			next := left[len(left)-1]
			left = left[:len(left)-1]
			if next == nil {
				continue
			}
			seen++
			if !yield(next) {
				return
			}
			inner := unwrap(next)
			for _, e := range slices.Backward(inner) {
				left = append(left, e)
			}
		}
	}
}

// unwrap returns what an error wraps, of many no more than are looked at.
func unwrap(err error) (inner []error) {
	defer func() {
		if recover() != nil {
			inner = nil
		}
	}()
	switch e := err.(type) { //nolint:errorlint // it is this error that is taken apart
	case interface{ Unwrap() error }:
		return []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
		return inner[:min(len(inner), maxErrors)]
	default:
		return nil
	}
}

// As returns the outermost error of a type that is no nil pointer, and reports whether there is one.
func As[E any](err error) (E, bool) {
	for e := range All(err) {
		if found, ok := e.(E); ok && !isNil(e) {
			return found, true
		}
	}
	var none E
	return none, false
}

func isNil(err error) bool {
	v := reflect.ValueOf(err)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// Is is [errors.Is] within the bounds of [All].
func Is(err, target error) bool {
	for e := range All(err) {
		if is(e, target) {
			return true
		}
	}
	return false
}

// is reports whether one error, and none that it wraps, is the target.
func is(err, target error) (found bool) {
	defer func() {
		if recover() != nil {
			found = false
		}
	}()
	if same, ok := err.(interface{ Is(target error) bool }); ok && same.Is(target) {
		return true
	}
	return err == target //nolint:errorlint // as above
}

// Text returns what an error says; empty where it is nil or panics.
func Text(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	if err == nil {
		return ""
	}
	return err.Error()
}
