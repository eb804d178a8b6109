package main

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/declared"
)

// goProblems finds what is right as a proto and does not compile as Go, in the files that are generated.
func (r *run) goProblems(clients bool) []*declared.Problem {
	var problems []*declared.Problem
	names := r.goNames()
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
				problems = append(problems, r.cycles(file, service)...)
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
		return []*declared.Problem{{
			File: file.Desc.Path(), Name: string(file.Desc.Package()),
			Text: of.Desc.Path() + " has the Go package " + string(of.GoImportPath) + ", not " + string(remedyPackage) +
				": leave its go_package as it is (managed mode: disable it for the path remedy/v1), and generate no code for it",
		}}
	}
	return nil
}

// goNames are the names that the other generators give, by Go package.
type goNames map[protogen.GoIdent]protoreflect.FullName

func (r *run) goNames() goNames {
	names := make(goNames)
	for _, file := range r.gen.Files {
		add := func(name string, d protoreflect.Descriptor) { names[file.GoImportPath.Ident(name)] = d.FullName() }
		addEnums := func(enums []*protogen.Enum) {
			for _, e := range enums {
				add(e.GoIdent.GoName, e.Desc)
				for _, value := range e.Values {
					add(value.GoIdent.GoName, value.Desc)
				}
			}
		}
		addEnums(file.Enums)
		for m := range everyMessage(file.Messages) {
			add(m.GoIdent.GoName, m.Desc)
			addEnums(m.Enums)
			for _, field := range m.Fields {
				if field.Oneof != nil && !field.Oneof.Desc.IsSynthetic() {
					add(field.GoIdent.GoName, field.Desc)
				}
			}
			for _, x := range m.Extensions {
				add("E_"+x.GoIdent.GoName, x.Desc)
			}
		}
		for _, x := range file.Extensions {
			add("E_"+x.GoIdent.GoName, x.Desc)
		}
		for _, s := range file.Services {
			for _, name := range []string{
				s.GoName + "Client", "New" + s.GoName + "Client", s.GoName + "Server", "Unimplemented" + s.GoName + "Server",
				"Unsafe" + s.GoName + "Server", "Register" + s.GoName + "Server",
			} {
				add(name, s.Desc)
			}
		}
	}
	return names
}

// errorProblems refuses an error whose names are taken.
func (n goNames) errorProblems(file *protogen.File, m *protogen.Message) []*declared.Problem {
	problems := n.claim(file, m.Desc, m.GoIdent.GoName+"Error")
	problems = append(problems, n.claim(file, m.Desc, "New"+m.GoIdent.GoName)...)
	taken := func(name string) {
		problems = append(problems, declared.NewProblem(m.Desc, nil,
			"%s is RemedyError in Go, the method by which the error is found: name it something else", name))
	}
	for _, field := range m.Fields {
		if field.GoName == "RemedyError" {
			taken("field " + string(field.Desc.Name()))
		}
	}
	for _, oneof := range m.Oneofs {
		if oneof.GoName == "RemedyError" {
			taken("oneof " + string(oneof.Desc.Name()))
		}
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
	return []*declared.Problem{declared.NewProblem(d, nil, "%s would be generated for it, and is the Go name of %s: rename one of them", name, other)}
}

// cycles refuses a contract that lists an error of a package which imports that of the contract: the client has to import the
// errors it returns.
func (r *run) cycles(file *protogen.File, service *protogen.Service) []*declared.Problem {
	var problems []*declared.Problem
	for _, method := range service.Methods {
		for i, name := range r.methods[method.Desc.FullName()].Contract.GetErrors() {
			of := r.files[protoreflect.FullName(name)]
			if of == nil || declared.IsContract(of.Desc) || of.GoImportPath == file.GoImportPath ||
				!r.reaches(of.GoImportPath, file.GoImportPath, make(map[protogen.GoImportPath]bool)) {
				continue
			}
			path := []int32{int32((&remedyv1.MethodContract{}).ProtoReflect().Descriptor().Fields().ByName("errors").Number()), int32(i)} //nolint:gosec // an index
			problems = append(problems, declared.NewProblem(method.Desc, path,
				"contract.errors lists %s, whose Go package %s imports that of this file: declare it in a package that does not, "+
					"or in that of this file", name, of.GoImportPath))
		}
	}
	return problems
}

// reaches reports whether one Go package imports another, through others too.
func (r *run) reaches(from, to protogen.GoImportPath, seen map[protogen.GoImportPath]bool) bool {
	if from == to {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	for _, file := range r.gen.Files {
		if file.GoImportPath != from {
			continue
		}
		for i := range file.Desc.Imports().Len() {
			if of := r.gen.FilesByPath[file.Desc.Imports().Get(i).Path()]; of != nil && r.reaches(of.GoImportPath, to, seen) {
				return true
			}
		}
		for _, service := range file.Services {
			for _, method := range service.Methods {
				for _, e := range r.methods[method.Desc.FullName()].Errors {
					if of := r.files[e.Message.FullName()]; of != nil && r.reaches(of.GoImportPath, to, seen) {
						return true
					}
				}
			}
		}
	}
	return false
}
