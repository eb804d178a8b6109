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
	p, q := x.GRPCStatus().Proto(), y.GRPCStatus().Proto()
	i, okI := readErrorInfo(p.GetDetails())
	j, okJ := readErrorInfo(q.GetDetails())
	if !okI || !okJ || p.GetCode() != q.GetCode() || i.code != j.code || i.retry != j.retry ||
		i.info.Domain != j.info.Domain || i.info.Effect != j.info.Effect {
		return false
	}
	return slices.EqualFunc(telling(p.GetDetails()), telling(q.GetDetails()), func(d, e *anypb.Any) bool {
		return d.GetTypeUrl() == e.GetTypeUrl() && bytes.Equal(d.GetValue(), e.GetValue())
	})
}

// telling returns the details that Equal compares.
func telling(details []*anypb.Any) []*anypb.Any {
	return slices.DeleteFunc(slices.Clone(details), func(d *anypb.Any) bool {
		return messageName(d) == errorInfoName || messageName(d) == causesName
	})
}
