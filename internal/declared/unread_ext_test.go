package declared_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/declared"
)

// TestUnreadOptions: a parser that does not know our options keeps bytes that nobody looked at.
func TestUnreadOptions(t *testing.T) {
	t.Parallel()
	bad := protowire.AppendTag(nil, remedyv1.E_Error.TypeDescriptor().Number(), protowire.BytesType)
	bad = protowire.AppendBytes(bad, []byte{1<<3 | 2, 1, 0xff}) // text in field 1 that is not UTF-8
	message, method := new(descriptorpb.MessageOptions), new(descriptorpb.MethodOptions)
	message.ProtoReflect().SetUnknown(bad)
	method.ProtoReflect().SetUnknown(bad)
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("a.proto"), Package: new("a.v1"), Syntax: new("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{Name: new("Bad"), Options: message}},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: new("Shop"), Method: []*descriptorpb.MethodDescriptorProto{
			{Name: new("Get"), InputType: new(".a.v1.Bad"), OutputType: new(".a.v1.Bad"), Options: method},
		}}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := declared.Read([]protoreflect.FileDescriptor{file}).Check()
	for i, want := range []string{
		"a.proto: a.v1.Bad: the option (remedy.v1.error) cannot be read: ",
		"a.proto: a.v1.Shop.Get: the option (remedy.v1.contract) cannot be read: ",
	} {
		if len(got) != 2 || !strings.HasPrefix(got[i].String(), want) {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}
