package generate

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/remedyrpc/remedy/internal/declared"
)

// What compilers say about positions.
const (
	noPositions     = protocompile.SourceInfoNone
	protocPositions = protocompile.SourceInfoStandard             // where options are
	bufPositions    = protocompile.SourceInfoExtraOptionLocations // where the parts of them are
)

// compiled compiles all protos of folders. It returns what a compiler gives to a plugin: every file after its imports.
func compiled(tb testing.TB, positions protocompile.SourceInfoMode, folders ...string) []*descriptorpb.FileDescriptorProto {
	tb.Helper()
	var names []string
	for _, folder := range folders {
		names = append(names, protosOf(tb, folder)...)
	}
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(protocompile.CompositeResolver{
			&protocompile.SourceResolver{ImportPaths: folders}, protocompile.ResolverFunc(linkedIn),
		}),
		SourceInfoMode: positions,
	}
	files, err := compiler.Compile(tb.Context(), names...)
	if err != nil {
		tb.Fatal(err)
	}
	var all []*descriptorpb.FileDescriptorProto
	seen := make(map[string]bool)
	var add func(protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		if seen[file.Path()] {
			return
		}
		seen[file.Path()] = true
		for i := range file.Imports().Len() {
			add(file.Imports().Get(i).FileDescriptor)
		}
		all = append(all, protoutil.ProtoFromFileDescriptor(file))
	}
	for _, file := range slices.SortedFunc(slices.Values(files), byPath) {
		add(file)
	}
	return all
}

// linkedIn finds the protos of the contract, which need not be compiled again and again.
func linkedIn(path string) (protocompile.SearchResult, error) {
	file, err := protoregistry.GlobalFiles.FindFileByPath(path)
	if err != nil || !declared.IsContract(file) {
		return protocompile.SearchResult{}, protoregistry.NotFound
	}
	return protocompile.SearchResult{Desc: file}, nil
}

func byPath(a, b linker.File) int {
	if a.Path() < b.Path() {
		return -1
	}
	return 1
}

// protosOf lists the protos of a folder, as imports name them, but for those of edition 2024, which the newest release of
// protocompile does not know; buf does.
func protosOf(tb testing.TB, folder string) []string {
	tb.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".proto" && !strings.Contains(read(tb, filepath.Join(folder, path)), `edition = "2024"`) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return names
}

// generated runs the plugin in process as protoc does, over a request that has been marshaled.
func generated(
	tb testing.TB, files []*descriptorpb.FileDescriptorProto, parameter string, names ...string,
) *pluginpb.CodeGeneratorResponse {
	tb.Helper()
	b, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{FileToGenerate: names, Parameter: &parameter, ProtoFile: files})
	if err != nil {
		tb.Fatal(err)
	}
	var request pluginpb.CodeGeneratorRequest
	if err := proto.Unmarshal(b, &request); err != nil {
		tb.Fatal(err)
	}
	var s Settings
	gen, err := protogen.Options{ParamFunc: s.Flags().Set}.New(&request)
	if err != nil {
		return &pluginpb.CodeGeneratorResponse{Error: new(err.Error())}
	}
	if err := Run(gen, &s); err != nil {
		gen.Error(err)
	}
	return gen.Response()
}

// contents are the files of a response by name.
func contents(tb testing.TB, response *pluginpb.CodeGeneratorResponse) map[string]string {
	tb.Helper()
	if response.Error != nil {
		tb.Fatal(response.GetError())
	}
	all := make(map[string]string)
	for _, file := range response.GetFile() {
		all[file.GetName()] = file.GetContent()
	}
	return all
}
