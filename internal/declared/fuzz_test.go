package declared

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

// FuzzCheck reads and checks whatever protobuf takes for a file, complete or not.
func FuzzCheck(f *testing.F) {
	for _, file := range []protoreflect.FileDescriptor{
		shopv1.File_shopv1_shop_proto, shopv1.File_shopv1_stock_proto, remedyv1.File_remedy_v1_repair_proto,
	} {
		f.Add(marshaled(f, protodesc.ToFileDescriptorProto(file)))
	}
	f.Add(marshaled(f, hostileFile()))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p descriptorpb.FileDescriptorProto
		if proto.Unmarshal(b, &p) != nil {
			return
		}
		file, err := protodesc.FileOptions{AllowUnresolvable: true}.New(&p, protoregistry.GlobalFiles)
		if err != nil {
			return
		}
		set := Read([]protoreflect.FileDescriptor{file})
		problems := set.Check(WithExternalTools("list_slots"))
		for i, problem := range problems {
			if problem.File != file.Path() || problem.Name == "" || problem.Text == "" || problem.Line < 0 ||
				problem.Line > 0 != (problem.Column > 0) {
				t.Errorf("%+v", problem)
			}
			if i > 0 && problem.Line < problems[i-1].Line {
				t.Errorf("%s comes after %s", problem, problems[i-1])
			}
		}
		for _, m := range set.Methods {
			_ = m.Tool()
		}
		for _, e := range set.Errors {
			_, _, _ = costOf(e), Rows(e.Options), Status(e.Options)
		}
	})
}

func marshaled(tb testing.TB, m proto.Message) []byte {
	tb.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// hostileFile is a file whose messages, tools and names are not there, with positions that lead nowhere.
func hostileFile() *descriptorpb.FileDescriptorProto {
	message, method := new(descriptorpb.MessageOptions), new(descriptorpb.MethodOptions)
	proto.SetExtension(message, remedyv1.E_Error, &remedyv1.ErrorOptions{
		Code: "slot_stale", Message: "{a} {b", Status: -1, Retry: 99, Effect: -1, Doc: "https://",
		Repair: &remedyv1.RepairPlan{
			Steps: []*remedyv1.RepairStep{{Action: -1, Tool: "x y"}, nil}, Preserve: []string{"a", "a"}, Update: []string{"a"},
		},
		Cases: []*remedyv1.ErrorCase{nil, {Error: &remedyv1.ErrorOptions{Cases: []*remedyv1.ErrorCase{nil}}}},
	})
	proto.SetExtension(method, remedyv1.E_Contract, &remedyv1.MethodContract{
		Errors: []string{"", ".", "a.v1.Missing", "a.v1.SlotStale", "a.v1.SlotStale"}, Tool: "x y", OperationKeyField: "missing",
	})
	number := int32(remedyv1.E_Error.TypeDescriptor().Number())
	return &descriptorpb.FileDescriptorProto{
		Name: new("a.proto"), Package: new("a.v1"), Syntax: new("proto3"), Dependency: []string{"missing.proto"},
		MessageType: []*descriptorpb.DescriptorProto{{Name: new("SlotStale"), Options: message}},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: new("Shop"), Method: []*descriptorpb.MethodDescriptorProto{
			{Name: new("Get"), InputType: new(".a.v1.Missing"), OutputType: new(".b.v1.Missing"), Options: method},
		}}},
		SourceCodeInfo: &descriptorpb.SourceCodeInfo{Location: []*descriptorpb.SourceCodeInfo_Location{
			{Path: []int32{fileMessages, 0, messageOptions, number, 1, 2, 3}, Span: []int32{3, 1, 1}},
			{Path: []int32{fileMessages, 0}, Span: []int32{2, 0, 9, 9}},
			{Path: []int32{-1}, Span: []int32{0, 0, 0}},
		}},
	}
}
