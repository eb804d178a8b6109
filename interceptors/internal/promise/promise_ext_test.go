package promise_test

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/interceptors/internal/promise"
)

func TestMethod(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		servicev1.ToolService_CallTool_FullMethodName: true,
		servicev1.ToolService_GetTool_FullMethodName:  true,
		"/remedy.service.v1.ToolService/Unheard":      false,
		"/remedy.service.v1.ToolService":              false,
		"/remedy.v1.ToolError/code":                   false, // a field
		"/unheard.Of/Method":                          false,
		"remedy.service.v1.ToolService.CallTool":      false,
		"//":                                          false,
		"":                                            false,
		"/a b/c":                                      false,
	} {
		if got := promise.Method(name); (got != nil) != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
	if got := promise.Contract(promise.Method(servicev1.ToolService_CallTool_FullMethodName)); !got.GetEffect() || len(got.GetErrors()) == 0 {
		t.Errorf("CallTool promises %v", got)
	}
	if got := promise.Contract(nil); got != nil {
		t.Errorf("no method promises %v", got)
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	domain, options := promise.Error("remedy.v1.ServiceError")
	if domain != "remedy.v1" || len(options.GetCases()) == 0 {
		t.Errorf("got %q, %v", domain, options)
	}
	for _, name := range []string{"remedy.v1.RepairPlan", "unheard.v1.Of", "", "remedy.v1"} {
		if _, options := promise.Error(name); options != nil {
			t.Errorf("%q: got %v", name, options)
		}
	}
}

// TestOptionsOfAnotherRegistry are read however the descriptor was made: with the types of this binary, with others, with
// none, and where there is no contract.
func TestOptionsOfAnotherRegistry(t *testing.T) {
	t.Parallel()
	want := &remedyv1.MethodContract{Effect: true, Tool: "pay", Errors: []string{"a.v1.B"}}
	ours := &descriptorpb.MethodOptions{}
	proto.SetExtension(ours, remedyv1.E_Contract, want)
	raw, err := proto.Marshal(ours)
	if err != nil {
		t.Fatal(err)
	}
	without, others := &descriptorpb.MethodOptions{}, &descriptorpb.MethodOptions{}
	if err := (proto.UnmarshalOptions{Resolver: new(protoregistry.Types)}).Unmarshal(raw, without); err != nil {
		t.Fatal(err)
	}
	dynamic := new(protoregistry.Types)
	if err := dynamic.RegisterExtension(dynamicpb.NewExtensionType(remedyv1.E_Contract.TypeDescriptor().Descriptor())); err != nil {
		t.Fatal(err)
	}
	if err := (proto.UnmarshalOptions{Resolver: dynamic}).Unmarshal(raw, others); err != nil {
		t.Fatal(err)
	}
	unrelated := &descriptorpb.MethodOptions{}
	unrelated.ProtoReflect().SetUnknown([]byte{0xf8, 0xff, 0x3f, 1}) // somebody's own option
	for name, test := range map[string]struct{ options, want proto.Message }{
		"ours": {ours, want}, "none known": {without, want}, "others": {others, want},
		"somebody's": {unrelated, nil}, "none": {nil, nil}, "empty": {&descriptorpb.MethodOptions{}, nil},
	} {
		got := promise.Contract(methodWith(t, test.options))
		if test.want == nil && got != nil || test.want != nil && !proto.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// methodWith is a method with these options.
func methodWith(t *testing.T, options proto.Message) protoreflect.MethodDescriptor {
	t.Helper()
	message := ".google.protobuf.MethodOptions"
	m := &descriptorpb.MethodDescriptorProto{Name: new("Pay"), InputType: &message, OutputType: &message}
	if options != nil {
		m.Options = options.(*descriptorpb.MethodOptions)
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("pay.proto"), Package: new("pay.v1"), Dependency: []string{"google/protobuf/descriptor.proto"},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: new("Bank"), Method: []*descriptorpb.MethodDescriptorProto{m}}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	return file.Services().Get(0).Methods().Get(0)
}
