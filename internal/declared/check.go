package declared

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// CheckOption says what else is known when files are checked.
type CheckOption func(*checker)

// WithExternalTools names tools that plans may use although no contract of the files has them. The default is none.
func WithExternalTools(names ...string) CheckOption {
	return func(c *checker) {
		for _, name := range names {
			c.external[name] = true
		}
	}
}

// WithFiles says by their paths which files are checked; the others are what these are held against. The default is all files.
func WithFiles(checked func(path string) bool) CheckOption {
	return func(c *checker) { c.checked = checked }
}

// checker looks at one set.
type checker struct {
	*Set

	checked  func(path string) bool // whether a file is
	external map[string]bool        // tools that plans may use besides
	tools    map[string][]*Method   // those that the contracts have
	listed   map[*Error][]*Method
	problems []*Problem
}

// Check returns everything that is refused, sorted by file and position. Errors of remedy.v1 are not checked.
func (s *Set) Check(options ...CheckOption) []*Problem {
	c := &checker{
		Set: s, checked: func(string) bool { return true }, external: make(map[string]bool), tools: make(map[string][]*Method),
		listed: make(map[*Error][]*Method),
	}
	for _, option := range options {
		option(c)
	}
	for _, m := range s.Methods {
		if m.Contract != nil {
			c.tools[m.Tool()] = append(c.tools[m.Tool()], m)
		}
		for _, e := range m.Errors {
			c.listed[e] = append(c.listed[e], m)
		}
	}
	for _, e := range s.Errors {
		if !e.IsBuiltin() {
			c.checkError(e)
		}
	}
	c.checkDuplicates()
	for _, p := range s.unread {
		if c.checked(p.File) {
			c.problems = append(c.problems, p)
		}
	}
	for _, m := range s.Methods {
		if m.Contract != nil {
			c.checkContract(m)
		}
	}
	return Sort(c.problems)
}

// checkDuplicates refuses a code that two errors of one package have: a caller could not tell them apart.
func (c *checker) checkDuplicates() {
	type identity struct{ domain, code string }
	first := make(map[identity]*Error)
	byPlace := slices.SortedStableFunc(slices.Values(c.Errors), func(a, b *Error) int {
		switch a, b := a.Message.ParentFile().Path(), b.Message.ParentFile().Path(); {
		case c.checked(a) == c.checked(b):
			return cmp.Compare(a, b)
		case c.checked(b):
			return -1 // so that b is refused
		default:
			return 1
		}
	})
	for _, e := range byPlace {
		id := identity{e.Domain(), e.Options.GetCode()}
		if e.IsBuiltin() || id.code == "" {
			continue
		}
		other := first[id]
		if other == nil {
			first[id] = e
			continue
		}
		c.refusef(e.Message, in(optionCode), "code %q is that of %s (%s) too: give one of them another code",
			id.code, other.Message.FullName(), NewProblem(other.Message, in(optionCode), "").Position())
	}
}

func (c *checker) refusef(d protoreflect.Descriptor, path []int32, format string, arguments ...any) {
	if c.checked(d.ParentFile().Path()) {
		c.problems = append(c.problems, NewProblem(d, path, format, arguments...))
	}
}
