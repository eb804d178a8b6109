package generate

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/declared"
)

// errorData is what the template shows of one error.
type errorData struct {
	Message string // the Go name of the message
	Type    string // the Go name of the error
	Code    string
	Doc     string // of the type
	NewDoc  string // of the constructor
	Getters []*getterData
}

// getterData is what the template shows of one field.
type getterData struct {
	Name string
	Type string
	Doc  string
}

func (r *run) errorData(g *protogen.GeneratedFile, m *protogen.Message, e *declared.Error) *errorData {
	d := &errorData{
		Message: m.GoIdent.GoName, Type: m.GoIdent.GoName + "Error", Code: e.Options.GetCode(),
		Doc: errorDoc(m, e), NewDoc: r.newDoc(m, e),
	}
	for _, field := range m.Fields {
		name, _ := field.MethodName("Get") // where names collide it depends on the level of the Go API
		d.Getters = append(d.Getters, &getterData{Name: name, Type: goType(g, field), Doc: getterDoc(field)})
	}
	return d
}

// errorDoc is the documentation of an error type, without its first words.
func errorDoc(m *protogen.Message, e *declared.Error) string {
	var b strings.Builder
	o := e.Options
	row := func(name, value string) {
		for line := range wrapped(value, rowWidth) {
			fmt.Fprintf(&b, "\t%-10s%s\n", name, line)
			name = ""
		}
	}
	row("code", o.GetCode())
	row("status", word(remedyv1.StatusCode(declared.Status(o)), "STATUS_CODE_")) //nolint:gosec // an enum with the same numbers
	row("retry", strings.ToLower(word(o.GetRetry(), "RETRY_POLICY_")))
	if o.GetEffect() != 0 {
		row("effect", strings.ToLower(word(o.GetEffect(), "EFFECT_")))
	}
	row("message", o.GetMessage())
	for i, step := range o.GetRepair().GetSteps() {
		text := strings.ToLower(word(step.GetAction(), "REPAIR_ACTION_"))
		if step.GetTool() != "" {
			text += " " + step.GetTool()
		}
		if step.GetInstruction() != "" {
			text += ": " + step.GetInstruction()
		}
		row("step "+strconv.Itoa(i+1), text)
	}
	row("preserve", strings.Join(o.GetRepair().GetPreserve(), ", "))
	row("update", strings.Join(o.GetRepair().GetUpdate(), ", "))
	if text := written(m.Comments); text != "" {
		b.WriteString("\n" + text)
	}
	if o.GetDoc() != "" {
		b.WriteString("\nSee " + o.GetDoc() + "\n")
	}
	return withDeprecation(b.String(), m.Desc)
}

// rowWidth is how much of a text stands on one line of a table.
const rowWidth = 110

// wrapped yields text in lines of at most width bytes, or of one long word; nothing where there is no text.
func wrapped(text string, width int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > width {
			at := strings.LastIndexByte(text[:width+1], ' ')
			if at <= 0 {
				if at = strings.IndexByte(text, ' '); at < 0 {
					break
				}
			}
			if !yield(text[:at]) {
				return
			}
			text = text[at+1:]
		}
		if text != "" {
			yield(text)
		}
	}
}

// newDoc says which methods may return the error.
func (r *run) newDoc(m *protogen.Message, e *declared.Error) string {
	var names []string
	for _, method := range r.set.Methods {
		if !slices.Contains(method.Errors, e) {
			continue
		}
		name, own := string(method.Method.FullName()), e.Domain()+"."
		if method.Method.ParentFile().Package() == m.Desc.ParentFile().Package() {
			name = strings.TrimPrefix(name, own)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	text := ""
	if len(names) > 0 {
		text = "\nMay be returned by " + strings.Join(names, ", ") + ".\n"
	}
	return withDeprecation(text, m.Desc)
}

func getterDoc(field *protogen.Field) string {
	text := ""
	if comments := written(field.Comments); comments != "" {
		text = "\n" + comments
	}
	return withDeprecation("returns the field "+string(field.Desc.Name())+".\n"+text, field.Desc)
}

// withDeprecation is the documentation of d, which ends with that it is deprecated where it is.
func withDeprecation(text string, d protoreflect.Descriptor) string {
	if strings.Contains("\n"+text, "\n\nDeprecated: ") {
		return text
	}
	return text + deprecation(d)
}

// deprecation is the last paragraph of what documents d, empty where d is not deprecated.
func deprecation(d protoreflect.Descriptor) string {
	options, ok := d.Options().(interface{ GetDeprecated() bool })
	if !ok || !options.GetDeprecated() {
		return ""
	}
	return "\nDeprecated: Marked as deprecated in " + d.ParentFile().Path() + ".\n"
}

// written is the comment above a declaration or, where there is none, behind it, a line each.
func written(c protogen.CommentSet) string {
	comment := c.Leading
	if strings.TrimSpace(string(comment)) == "" {
		comment = c.Trailing
	}
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(string(comment), "\n"), "\n") {
		b.WriteString(strings.TrimPrefix(line, " ") + "\n")
	}
	return strings.TrimLeft(b.String(), "\n")
}

// word is the name of an enum value without its prefix.
func word(value fmt.Stringer, prefix string) string {
	return strings.TrimPrefix(value.String(), prefix)
}

// goType is the type that the getter of a field returns.
func goType(g *protogen.GeneratedFile, field *protogen.Field) string {
	switch {
	case field.Desc.IsMap():
		return "map[" + scalarType(g, field.Message.Fields[0]) + "]" + scalarType(g, field.Message.Fields[1])
	case field.Desc.IsList():
		return "[]" + scalarType(g, field)
	default:
		return scalarType(g, field)
	}
}

func scalarType(g *protogen.GeneratedFile, field *protogen.Field) string {
	switch field.Desc.Kind() {
	case protoreflect.BoolKind:
		return "bool"
	case protoreflect.EnumKind:
		return g.QualifiedGoIdent(field.Enum.GoIdent)
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return "int32"
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return "uint32"
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return "int64"
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return "uint64"
	case protoreflect.FloatKind:
		return "float32"
	case protoreflect.DoubleKind:
		return "float64"
	case protoreflect.StringKind:
		return "string"
	case protoreflect.BytesKind:
		return "[]byte"
	default: // a message, or a group, which is one
		return "*" + g.QualifiedGoIdent(field.Message.GoIdent)
	}
}
