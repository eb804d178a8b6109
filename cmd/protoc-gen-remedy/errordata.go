package main

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

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
		d.Getters = append(d.Getters, &getterData{Name: "Get" + field.GoName, Type: goType(g, field), Doc: getterDoc(field)})
	}
	return d
}

// errorDoc is the documentation of an error type, without its first words.
func errorDoc(m *protogen.Message, e *declared.Error) string {
	var b strings.Builder
	o := e.Options
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "\t%-10s%s\n", name, value)
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
	if text := leading(m.Comments); text != "" {
		b.WriteString("\n" + text)
	}
	if o.GetDoc() != "" {
		b.WriteString("\nSee " + o.GetDoc() + "\n")
	}
	if options, ok := m.Desc.Options().(*descriptorpb.MessageOptions); ok && options.GetDeprecated() {
		b.WriteString("\nDeprecated: Marked as deprecated in " + m.Desc.ParentFile().Path() + ".\n")
	}
	return b.String()
}

// newDoc says which methods may return the error.
func (r *run) newDoc(m *protogen.Message, e *declared.Error) string {
	var names []string
	for _, method := range r.set.Methods {
		for _, listed := range method.Errors {
			if listed == e {
				names = append(names, string(method.Method.Parent().Name())+"."+string(method.Method.Name()))
			}
		}
	}
	text := ""
	if len(names) > 0 {
		text = "\nMay be returned by " + strings.Join(names, ", ") + ".\n"
	}
	if options, ok := m.Desc.Options().(*descriptorpb.MessageOptions); ok && options.GetDeprecated() {
		text += "\nDeprecated: Marked as deprecated in " + m.Desc.ParentFile().Path() + ".\n"
	}
	return text
}

func getterDoc(field *protogen.Field) string {
	text := ""
	if comments := leading(field.Comments); comments != "" {
		text = "\n" + comments
	}
	if options, ok := field.Desc.Options().(*descriptorpb.FieldOptions); ok && options.GetDeprecated() {
		text += "\nDeprecated: Marked as deprecated in " + field.Desc.ParentFile().Path() + ".\n"
	}
	return "returns the field " + string(field.Desc.Name()) + ".\n" + text
}

// leading is the comment above a declaration, a line each.
func leading(c protogen.CommentSet) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(string(c.Leading), "\n"), "\n") {
		b.WriteString(strings.TrimPrefix(line, " ") + "\n")
	}
	return strings.TrimLeft(b.String(), "\n")
}

// word is the name of an enum value without its prefix.
func word(value fmt.Stringer, prefix string) string { return strings.TrimPrefix(value.String(), prefix) }

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
