package generate

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/remedyrpc/remedy/internal/declared"
)

// goProblems finds what is right as a proto and does not compile as Go, in the files that are generated.
func (r *run) goProblems(clients bool) []*declared.Problem {
	var problems []*declared.Problem
	names, imports := r.goNames(), r.imports()
	for _, file := range r.byPlace() {
		if declared.IsContract(file.Desc) {
			continue
		}
		problems = append(problems, r.copyProblems(file)...)
		for m := range everyMessage(file.Messages) {
			if r.set.Error(m.Desc.FullName()) != nil {
				problems = append(problems, names.errorProblems(file, m)...)
			}
		}
		if clients {
			for _, service := range file.Services {
				problems = append(problems, names.claim(file, service.Desc, "NewTyped"+service.GoName+"Client")...)
				problems = append(problems, r.cycles(imports, file, service)...)
			}
		}
	}
	return slices.DeleteFunc(problems, func(p *declared.Problem) bool { return !r.gen.FilesByPath[p.File].Generate })
}

// byPlace returns the files sorted by path, those first that are not generated: what takes a name of theirs is refused.
func (r *run) byPlace() []*protogen.File {
	return slices.SortedFunc(slices.Values(r.gen.Files), func(a, b *protogen.File) int {
		switch {
		case a.Generate == b.Generate:
			return cmp.Compare(a.Desc.Path(), b.Desc.Path())
		case b.Generate:
			return -1
		default:
			return 1
		}
	})
}

// copyProblems refuses a copy of the contract that has another Go package, where its types would be registered a second time.
// The files that import it are those that are generated.
func (r *run) copyProblems(file *protogen.File) []*declared.Problem {
	for i := range file.Desc.Imports().Len() {
		of := r.gen.FilesByPath[file.Desc.Imports().Get(i).Path()]
		if of == nil || !declared.IsContract(of.Desc) || of.GoImportPath == remedyPackage {
			continue
		}
		return []*declared.Problem{declared.NewProblem(file.Desc, []int32{fileImports, int32(i)},
			"%s has the Go package %s, not %s: leave its go_package as it is (managed mode: disable it for the path remedy/v1), "+
				"and generate no code for it", of.Desc.Path(), of.GoImportPath, remedyPackage)}
	}
	return nil
}

// goNames are the names that the other generators give, by Go package.
type goNames map[protogen.GoIdent]protoreflect.FullName

func (r *run) goNames() goNames {
	names := make(goNames)
	for _, file := range r.gen.Files {
		names.addDeclared(file, file.GoImportPath)
		names.addServices(file)
		for i := range file.Desc.Imports().Len() {
			of := file.Desc.Imports().Get(i)
			if imported := r.gen.FilesByPath[of.Path()]; of.IsPublic && imported != nil {
				names.addDeclared(imported, file.GoImportPath) // protoc-gen-go declares all of it a second time
			}
		}
	}
	return names
}

// addServices adds what protoc-gen-go-grpc declares.
func (n goNames) addServices(file *protogen.File) {
	for _, s := range file.Services {
		for _, name := range []string{
			s.GoName + "Client", "New" + s.GoName + "Client", s.GoName + "Server", "Unimplemented" + s.GoName + "Server",
			"Unsafe" + s.GoName + "Server", "Register" + s.GoName + "Server",
		} {
			n[file.GoImportPath.Ident(name)] = s.Desc.FullName()
		}
	}
}

// addDeclared adds what protoc-gen-go declares for a file, in a Go package that is that of the file or imports it publicly.
func (n goNames) addDeclared(file *protogen.File, in protogen.GoImportPath) {
	add := func(name string, d protoreflect.Descriptor) { n[in.Ident(name)] = d.FullName() }
	addEnums := func(enums []*protogen.Enum) {
		for _, e := range enums {
			add(e.GoIdent.GoName, e.Desc)
			for _, value := range e.Values {
				add(value.GoIdent.GoName, value.Desc)
			}
		}
	}
	addExtensions := func(extensions []*protogen.Extension) {
		for _, x := range extensions {
			add("E_"+x.GoIdent.GoName, x.Desc)
		}
	}
	addEnums(file.Enums)
	addExtensions(file.Extensions)
	for m := range everyMessage(file.Messages) {
		add(m.GoIdent.GoName, m.Desc)
		addEnums(m.Enums)
		addExtensions(m.Extensions)
		for _, field := range m.Fields {
			if field.Oneof != nil && !field.Oneof.Desc.IsSynthetic() {
				add(field.GoIdent.GoName, field.Desc)
			}
		}
	}
}

// errorProblems refuses an error whose names are taken.
func (n goNames) errorProblems(file *protogen.File, m *protogen.Message) []*declared.Problem {
	problems := n.claim(file, m.Desc, m.GoIdent.GoName+"Error")
	problems = append(problems, n.claim(file, m.Desc, "New"+m.GoIdent.GoName)...)
	taken := func(d protoreflect.Descriptor, name string) {
		if name == "RemedyError" {
			problems = append(problems, declared.NewProblem(d, nil,
				"its name in Go is RemedyError, that of the method by which the error is found: choose another one"))
		}
	}
	for _, field := range m.Fields {
		taken(field.Desc, field.GoName)
	}
	for _, oneof := range m.Oneofs {
		taken(oneof.Desc, oneof.GoName)
	}
	return problems
}

func (n goNames) claim(file *protogen.File, d protoreflect.Descriptor, name string) []*declared.Problem {
	id := file.GoImportPath.Ident(name)
	other, taken := n[id]
	if !taken {
		n[id] = d.FullName()
		return nil
	}
	return []*declared.Problem{declared.NewProblem(d, nil,
		"%s is generated for it in Go, and is the name of what is generated for %s: rename one of them", name, other)}
}

// cycles refuses a contract that lists an error of a package which imports that of the contract: the client has to import the
// errors it returns.
func (r *run) cycles(imports goImports, file *protogen.File, service *protogen.Service) []*declared.Problem {
	var problems []*declared.Problem
	for _, method := range service.Methods {
		for i, name := range r.methods[method.Desc.FullName()].Contract.GetErrors() {
			of := r.files[protoreflect.FullName(name)]
			if of == nil || declared.IsContract(of.Desc) || of.GoImportPath == file.GoImportPath ||
				!imports.reach(of.GoImportPath, file.GoImportPath, make(map[protogen.GoImportPath]bool)) {
				continue
			}
			problems = append(problems, declared.NewProblem(method.Desc, []int32{contractErrors, int32(i)},
				"contract.errors lists %s, whose Go package %s imports that of this file: declare it in a package that does not, "+
					"or in that of this file", name, of.GoImportPath))
		}
	}
	return problems
}

// Numbers of fields that lead to what is wrong: the imports of a file, and the errors of a contract.
const (
	fileImports    = 3
	contractErrors = 1
)

// goImports are the Go packages that each Go package imports: those of the protos that its protos import, and of the errors in
// its contracts.
type goImports map[protogen.GoImportPath][]protogen.GoImportPath

func (r *run) imports() goImports {
	imports := make(goImports)
	for _, file := range r.gen.Files {
		add := func(of *protogen.File) {
			if of != nil && of.GoImportPath != file.GoImportPath {
				imports[file.GoImportPath] = append(imports[file.GoImportPath], of.GoImportPath)
			}
		}
		for i := range file.Desc.Imports().Len() {
			add(r.gen.FilesByPath[file.Desc.Imports().Get(i).Path()])
		}
		for _, service := range file.Services {
			for _, method := range service.Methods {
				for _, e := range r.methods[method.Desc.FullName()].Errors {
					add(r.files[e.Message.FullName()])
				}
			}
		}
	}
	return imports
}

// reach reports whether one package imports another, through others too.
func (g goImports) reach(from, to protogen.GoImportPath, seen map[protogen.GoImportPath]bool) bool {
	if from == to {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	return slices.ContainsFunc(g[from], func(next protogen.GoImportPath) bool { return g.reach(next, to, seen) })
}
