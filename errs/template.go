package errs

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// fieldShown reads a placeholder such as tool or auth.provider out of a message. Only the built-in errors use it: their
// fields are names, shown bare when nothing else can be read into them.
func fieldShown(m protoreflect.Message, path string) string {
	head, rest, nested := strings.Cut(path, ".")
	field := m.Descriptor().Fields().ByName(protoreflect.Name(head))
	switch {
	case field == nil || field.IsList() || field.IsMap():
		return named("")
	case nested:
		if field.Kind() != protoreflect.MessageKind {
			return named("")
		}
		return fieldShown(m.Get(field).Message(), rest)
	case field.Kind() == protoreflect.StringKind:
		return named(m.Get(field).String())
	default:
		return m.Get(field).String()
	}
}
