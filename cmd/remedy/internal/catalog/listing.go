package catalog

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/remedyrpc/remedy/internal/declared"
)

// Listing is what some protos declare.
type Listing struct {
	Errors  []*Row    `json:"errors"`
	Methods []*Method `json:"methods"`
	// Gaps say what seems to be missing, Notes what cannot be known.
	Gaps  []string `json:"gaps,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// Method is what a method promises.
type Method struct {
	// Name is the full name, File the proto.
	Name string `json:"name"`
	File string `json:"file"`
	// Tool is the name that plans have for it.
	Tool string `json:"tool"`
	// Effect says that a call may change something.
	Effect bool `json:"effect"`
	// KeyField is the field of the request that holds the operation key; empty for none.
	KeyField string `json:"operationKeyField,omitempty"`
	// Errors are the full names of the errors that it may return.
	Errors []string `json:"errors,omitempty"`
}

func (m *Method) effect() string {
	if m.Effect {
		return "yes"
	}
	return "no"
}

// Of lists the errors of a set, the built-in ones that a contract lists too, and the methods that have a contract. The paths of
// files are what path makes of their names.
func Of(set *declared.Set, path func(name string) string) *Listing {
	l := &Listing{Errors: []*Row{}, Methods: []*Method{}}
	returned := make(map[*declared.Error][]string)
	errors := slices.Clone(set.Errors)
	for _, m := range set.Methods {
		if m.Contract == nil {
			continue
		}
		name := string(m.Method.FullName())
		l.Methods = append(l.Methods, &Method{
			Name: name, File: path(m.Method.ParentFile().Path()), Tool: m.Tool(), Effect: m.Contract.GetEffect(),
			KeyField: m.Contract.GetOperationKeyField(), Errors: m.Contract.GetErrors(),
		})
		for _, e := range m.Errors {
			if !slices.Contains(errors, e) { // a built-in one, of a file that nothing imports
				errors = append(errors, e)
			}
			returned[e] = append(returned[e], name)
		}
	}
	for _, e := range errors {
		for _, r := range rowsOf(e) {
			r.Methods = returned[e]
			if !e.IsBuiltin() {
				r.About, r.File = comment(e.Message), path(e.Message.ParentFile().Path())
			}
			l.Errors = append(l.Errors, r)
		}
	}
	return l
}

// comment is what stands before a declaration, on one line.
func comment(d protoreflect.Descriptor) string {
	text := d.ParentFile().SourceLocations().ByDescriptor(d).LeadingComments
	return strings.Join(strings.Fields(text), " ")
}
