package generate

import (
	"fmt"
	"path"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/remedyrpc/remedy/internal/declared"
)

// Lint returns what the plugin would refuse of files for the sake of Go, in those that are checked. Files without go_package
// are taken for a Go package of their folder.
func Lint(files []protoreflect.FileDescriptor, checked func(path string) bool) ([]*declared.Problem, error) {
	request := &pluginpb.CodeGeneratorRequest{}
	l := linting{request: request, seen: make(map[string]bool)}
	for _, file := range files {
		l.add(file, checked)
	}
	request.Parameter = new(l.parameter)
	if len(request.GetFileToGenerate()) == 0 {
		return nil, nil
	}
	var s Settings
	gen, err := protogen.Options{ParamFunc: s.Flags().Set}.New(request)
	if err != nil {
		return nil, fmt.Errorf("reading go_package: %w", err)
	}
	return declared.Sort(newRun(gen).goProblems(true)), nil
}

// linting makes a request of descriptors.
type linting struct {
	request   *pluginpb.CodeGeneratorRequest
	parameter string
	seen      map[string]bool
}

// add adds a file after its imports.
func (l *linting) add(file protoreflect.FileDescriptor, checked func(path string) bool) {
	if l.seen[file.Path()] || file.IsPlaceholder() {
		return
	}
	l.seen[file.Path()] = true
	for i := range file.Imports().Len() {
		l.add(file.Imports().Get(i).FileDescriptor, checked)
	}
	p := protodesc.ToFileDescriptorProto(file)
	p.SourceCodeInfo = positionsOf(file)
	if p.GetOptions().GetGoPackage() == "" {
		l.parameter += ",M" + file.Path() + "=lint.invalid/" + path.Join("go", path.Dir(file.Path()))
	}
	l.request.ProtoFile = append(l.request.ProtoFile, p)
	if checked(file.Path()) {
		l.request.FileToGenerate = append(l.request.FileToGenerate, file.Path())
	}
}

// positionsOf are the places that a descriptor knows, which its proto leaves out.
func positionsOf(file protoreflect.FileDescriptor) *descriptorpb.SourceCodeInfo {
	info := &descriptorpb.SourceCodeInfo{}
	for i := range file.SourceLocations().Len() {
		at := file.SourceLocations().Get(i)
		span := make([]int32, 0, 4) //nolint:mnd // as descriptor.proto has it
		for _, n := range []int{at.StartLine, at.StartColumn, at.EndLine, at.EndColumn} {
			span = append(span, int32(n)) //nolint:gosec // of a file
		}
		info.Location = append(info.Location, &descriptorpb.SourceCodeInfo_Location{Path: at.Path, Span: span})
	}
	return info
}
