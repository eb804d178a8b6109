package main

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/remedyrpc/remedy/internal/declared"
)

// serviceData is what the template shows of one service.
type serviceData struct {
	Name       string // the Go name
	Descriptor string // the variable of the file's descriptor
	ProtoName  string
	Doc        string
}

func (r *run) serviceData(g *protogen.GeneratedFile, file *protogen.File, service *protogen.Service) *serviceData {
	d := &serviceData{
		Name: service.GoName, Descriptor: file.GoDescriptorIdent.GoName, ProtoName: string(service.Desc.Name()),
	}
	var b strings.Builder
	for _, method := range service.Methods {
		m := r.methods[method.Desc.FullName()]
		b.WriteString("  - " + method.GoName + methodNote(m) + ": " + r.errorList(g, file, m) + "\n")
	}
	d.Doc = b.String()
	if options, ok := service.Desc.Options().(*descriptorpb.ServiceOptions); ok && options.GetDeprecated() {
		d.Doc += "\nDeprecated: Marked as deprecated in " + file.Desc.Path() + ".\n"
	}
	return d
}

// methodNote says what a caller has to know before calling.
func methodNote(m *declared.Method) string {
	if !m.Contract.GetEffect() {
		return ""
	}
	if key := m.Contract.GetOperationKeyField(); key != "" {
		return " (has an effect; its operation key is " + key + ")"
	}
	return " (has an effect)"
}

// errorList names the errors that a method may return. It imports the packages of those that are declared elsewhere: an error
// is typed only where its message is linked in.
func (r *run) errorList(g *protogen.GeneratedFile, file *protogen.File, m *declared.Method) string {
	if m.Contract == nil {
		return "promises nothing"
	}
	var names []string
	if slices.Contains(m.Contract.GetErrors(), declared.AnyTool) {
		names = append(names, "errs.ToolError (every code)")
	}
	for _, e := range m.Errors {
		names = append(names, r.errorName(g, file, e))
	}
	if len(names) == 0 {
		return "declares no error"
	}
	return strings.Join(names, ", ")
}

func (r *run) errorName(g *protogen.GeneratedFile, file *protogen.File, e *declared.Error) string {
	if e.IsBuiltin() {
		return "errs." + string(e.Message.Name())
	}
	rule := " (" + e.Options.GetCode() + ", " + strings.ToLower(word(e.Options.GetRetry(), "RETRY_POLICY_")) + ")"
	of := r.files[e.Message.FullName()]
	name := r.messages[e.Message.FullName()].GoIdent.GoName + "Error"
	if of.GoImportPath == file.GoImportPath {
		return "[" + name + "]" + rule
	}
	g.Import(of.GoImportPath)
	return string(of.GoPackageName) + "." + name + rule
}
