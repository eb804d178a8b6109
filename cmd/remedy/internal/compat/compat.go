package compat

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/remedyrpc/remedy/internal/declared"
)

// comparison is one comparison of two versions.
type comparison struct {
	before, after *declared.Set
	matched       map[protoreflect.FullName]bool // the errors of the new version that the old one has in some way
	findings      []*Finding
}

// Compare returns what differs: the changes of errors in the order of the old version, new errors, and the changes of contracts.
func Compare(before, after *declared.Set) []*Finding {
	c := &comparison{before: before, after: after, matched: make(map[protoreflect.FullName]bool)}
	for _, e := range before.Errors {
		c.compareError(e)
	}
	for _, e := range after.Errors {
		if name := e.Message.FullName(); before.Error(name) == nil && !c.matched[name] {
			c.add((&Finding{Kind: ErrorAdded, What: "new, with code " + codes(e)}).place(e.Message))
		}
	}
	c.compareMethods()
	return c.findings
}

func (c *comparison) add(f *Finding) { c.findings = append(c.findings, f) }
