package generate

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"

	"github.com/remedyrpc/remedy/internal/declared"
)

// serviceData is what the template shows of one service.
type serviceData struct {
	Name       string // the Go name
	Descriptor string // the variable of the file's descriptor
	ProtoName  string
	Doc        string // the methods and their errors
	Deprecated string // the last paragraph of the documentation
}

func (r *run) serviceData(g *protogen.GeneratedFile, file *protogen.File, service *protogen.Service) *serviceData {
	d := &serviceData{
		Name: service.GoName, Descriptor: file.GoDescriptorIdent.GoName, ProtoName: string(service.Desc.Name()),
		Deprecated: deprecation(service.Desc),
	}
	var b strings.Builder
	for _, method := range service.Methods {
		m := r.methods[method.Desc.FullName()]
		lead := "  - "
		for line := range wrapped(method.GoName+methodNote(m)+": "+r.errorList(g, file, m), rowWidth) {
			b.WriteString(lead + line + "\n")
			lead = "    "
		}
	}
	d.Doc = cmp.Or(b.String(), "It has no methods.")
	return d
}

// methodNote says what a caller has to know before calling.
func methodNote(m *declared.Method) string {
	var notes []string
	if m.Contract.GetEffect() {
		notes = append(notes, "has an effect")
	}
	if key := m.Contract.GetOperationKeyField(); key != "" {
		notes = append(notes, "its operation key is "+key)
	}
	if deprecation(m.Method) != "" {
		notes = append(notes, "deprecated")
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
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
