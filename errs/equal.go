package errs

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/types/known/anypb"
)

// Equal reports whether two errors say the same: type, code, rule, plan, effect and every detail but the causes and what
// they say of the call they belong to. An error equals itself after any number of trips. Two nil errors are equal; errors
// that are not ours never are.
func Equal(a, b error) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	x, okX := find(a)
	y, okY := find(b)
	if !okX || !okY {
		return false
	}
	v, w := saidBy(x), saidBy(y)
	if v.st.Code() != w.st.Code() || v.code != w.code || v.retry != w.retry ||
		v.domain != w.domain || v.effect != w.effect {
		return false
	}
	return slices.EqualFunc(telling(v), telling(w), func(d, e *anypb.Any) bool {
		return d.GetTypeUrl() == e.GetTypeUrl() && bytes.Equal(d.GetValue(), e.GetValue())
	})
}

// telling returns the details that Equal compares.
func telling(w *wire) []*anypb.Any {
	return slices.DeleteFunc(w.st.Proto().GetDetails(), func(d *anypb.Any) bool {
		return messageName(d) == errorInfoName || messageName(d) == causesName
	})
}
