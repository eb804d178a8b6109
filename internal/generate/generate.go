package generate

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"go/build/constraint"
	"strings"
	"text/template"
	"unicode"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/remedyrpc/remedy/internal/declared"
)

// Packages that generated code imports.
const (
	remedyPackage   = protogen.GoImportPath("github.com/remedyrpc/remedy/gen/remedy/v1")
	errsPackage     = protogen.GoImportPath("github.com/remedyrpc/remedy/errs")
	contractPackage = protogen.GoImportPath("github.com/remedyrpc/remedy/interceptors/contract")
)

// Run writes the files of one run, or refuses all of them with everything that is wrong.
func Run(gen *protogen.Plugin, s *Settings) error {
	gen.SupportedFeatures = uint64(pluginpb.CodeGeneratorResponse_FEATURE_PROTO3_OPTIONAL) |
		uint64(pluginpb.CodeGeneratorResponse_FEATURE_SUPPORTS_EDITIONS)
	gen.SupportedEditionsMinimum, gen.SupportedEditionsMaximum = descriptorpb.Edition_EDITION_PROTO2, descriptorpb.Edition_EDITION_2024
	r := newRun(gen)
	problems := r.set.Check(declared.WithExternalTools(s.External...), declared.WithFiles(func(path string) bool {
		return gen.FilesByPath[path].Generate
	}))
	if problems = declared.Sort(append(problems, r.goProblems(!s.NoClients)...)); len(problems) > 0 {
		texts := make([]string, 0, len(problems))
		for _, p := range problems {
			texts = append(texts, p.String())
		}
		return errors.New(strings.Join(texts, "\n"))
	}
	for _, file := range gen.Files {
		if !file.Generate || declared.IsContract(file.Desc) {
			continue
		}
		if err := r.generateFile(file, !s.NoClients); err != nil {
			return fmt.Errorf("%s: %w", file.Desc.Path(), err)
		}
	}
	return nil
}

// run is everything that one run of the plugin knows.
type run struct {
	gen      *protogen.Plugin
	set      *declared.Set
	messages map[protoreflect.FullName]*protogen.Message
	files    map[protoreflect.FullName]*protogen.File // of the messages
	methods  map[protoreflect.FullName]*declared.Method
}

func newRun(gen *protogen.Plugin) *run {
	r := &run{
		gen: gen, messages: make(map[protoreflect.FullName]*protogen.Message),
		files: make(map[protoreflect.FullName]*protogen.File), methods: make(map[protoreflect.FullName]*declared.Method),
	}
	descriptors := make([]protoreflect.FileDescriptor, 0, len(gen.Files))
	for _, file := range gen.Files {
		descriptors = append(descriptors, file.Desc)
		for m := range everyMessage(file.Messages) {
			r.messages[m.Desc.FullName()], r.files[m.Desc.FullName()] = m, file
		}
	}
	r.set = declared.Read(descriptors)
	for _, m := range r.set.Methods {
		r.methods[m.Method.FullName()] = m
	}
	return r
}

//go:embed file.go.tmpl
var fileTemplate string

// fileData is what the template shows.
type fileData struct {
	Path     string
	Package  protogen.GoPackageName
	Errors   []*errorData
	Services []*serviceData
}

func (r *run) generateFile(file *protogen.File, clients bool) error {
	data := &fileData{Path: file.Desc.Path(), Package: file.GoPackageName}
	name := file.GeneratedFilenamePrefix + ".remedy.go"
	g := r.gen.NewGeneratedFile(name, file.GoImportPath)
	for m := range everyMessage(file.Messages) {
		if e := r.set.Error(m.Desc.FullName()); e != nil {
			data.Errors = append(data.Errors, r.errorData(g, m, e))
		}
	}
	if clients {
		for _, service := range file.Services {
			data.Services = append(data.Services, r.serviceData(g, file, service))
		}
	}
	if len(data.Errors) == 0 && len(data.Services) == 0 {
		g.Skip()
		return nil
	}
	t, err := template.New(name).Funcs(template.FuncMap{"comment": comment, "q": qualify(g)}).Parse(fileTemplate)
	if err != nil {
		return fmt.Errorf("parsing the template: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return fmt.Errorf("filling the template: %w", err)
	}
	g.P(b.String())
	return nil
}

// qualify names something of another package in g, which then imports it.
func qualify(g *protogen.GeneratedFile) func(path, name string) string {
	return func(path, name string) string {
		switch path {
		case "errs":
			path = string(errsPackage)
		case "contract":
			path = string(contractPackage)
		}
		return g.QualifiedGoIdent(protogen.GoImportPath(path).Ident(name))
	}
}

// everyMessage yields messages and what is nested in them, without the entries of maps, in the order of the file.
func everyMessage(messages []*protogen.Message) func(yield func(*protogen.Message) bool) {
	return func(yield func(*protogen.Message) bool) {
		walkMessages(messages, yield)
	}
}

func walkMessages(messages []*protogen.Message, yield func(*protogen.Message) bool) bool {
	for _, m := range messages {
		if m.Desc.IsMapEntry() {
			continue
		}
		if !yield(m) || !walkMessages(m.Messages, yield) {
			return false
		}
	}
	return true
}

// comment writes text as lines of a comment. Empty lines at the ends are left out, and what would not stay a comment.
func comment(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r != '\ufeff' && !unicode.In(r, unicode.Cc, unicode.Bidi_Control) {
			return r
		}
		return -1 // Go does not compile it, or shows something else than there is
	}, strings.ToValidUTF8(text, "\ufffd"))
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, line := range lines {
		if constraint.IsPlusBuild("// " + line) {
			line = strings.Replace(line, "+", "+ ", 1) // gofmt would make it a constraint of the file
		}
		lines[i] = strings.TrimRight("// "+strings.TrimRight(line, " \t"), " ")
	}
	return strings.Join(lines, "\n")
}
