package declared_test

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/remedyrpc/remedy/internal/declared"
)

// A file that imports the options for the types in them has lost nothing.
func TestBare(t *testing.T) {
	t.Parallel()
	const options = "remedy/v1/options.proto"
	nested := &descriptorpb.DescriptorProto{Name: new("Status"), Field: []*descriptorpb.FieldDescriptorProto{{
		Name: new("code"), Number: new(int32(1)), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		Type: descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum(), TypeName: new(".remedy.v1.StatusCode"),
	}}}
	var files []protoreflect.FileDescriptor
	for _, file := range []*descriptorpb.FileDescriptorProto{
		{Name: new("bare.proto"), Dependency: []string{options}, MessageType: []*descriptorpb.DescriptorProto{{Name: new("A")}}},
		{Name: new("types.proto"), Dependency: []string{options}, MessageType: []*descriptorpb.DescriptorProto{
			{Name: new("B"), NestedType: []*descriptorpb.DescriptorProto{nested}},
		}},
		{Name: new("other.proto"), MessageType: []*descriptorpb.DescriptorProto{{Name: new("C")}}},
	} {
		file.Syntax = new("proto3")
		descriptor, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, descriptor)
	}
	if got, want := declared.Read(files).Bare, []string{"bare.proto"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
