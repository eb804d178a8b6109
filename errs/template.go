package errs

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// template is a headline with {field} placeholders, parsed once.
type template struct {
	text  string
	parts []part
}

// part is literal text, or the name of a placeholder.
type part struct {
	text  string
	field bool
}

// parseTemplate splits text; a brace that belongs to no placeholder is literal.
func parseTemplate(text string) template {
	t := template{text: text}
	literal := 0 // where the literal text begins that is not in parts yet
	for at := 0; at < len(text); at++ {
		if text[at] != '{' {
			continue
		}
		end := strings.IndexByte(text[at:min(len(text), at+maxNameBytes+len("{}"))], '}')
		if end < 0 || !isField(text[at+1:at+end]) {
			continue
		}
		name := text[at+1 : at+end]
		if literal < at {
			t.parts = append(t.parts, part{text: text[literal:at]})
		}
		t.parts = append(t.parts, part{text: name, field: true})
		at += end
		literal = at + 1
	}
	if literal < len(text) {
		t.parts = append(t.parts, part{text: text[literal:]})
	}
	return t
}

// fields returns the names of the placeholders.
func (t template) fields() []string {
	var names []string
	for _, p := range t.parts {
		if p.field {
			names = append(names, p.text)
		}
	}
	return names
}

// fill renders the template; value returns what to show for a placeholder, already made safe.
func (t template) fill(value func(name string) string) string {
	if len(t.parts) == 1 && !t.parts[0].field {
		return t.parts[0].text
	}
	var b strings.Builder
	for _, p := range t.parts {
		if p.field {
			b.WriteString(value(p.text))
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

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
