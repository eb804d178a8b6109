package validate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	bufvalidate "buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/validate"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

func newStage(tb testing.TB) *validate.Stage {
	tb.Helper()
	stage, err := validate.New(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return stage
}

func TestCheckNamesFieldAndExpectation(t *testing.T) {
	t.Parallel()
	stage := newStage(t)
	const secret = "hunter2 \x01"
	err := stage.Check(&servicev1.CallToolRequest{
		Tool: secret, OperationKey: secret, Input: &servicev1.CallToolRequest_InputJson{InputJson: strings.Repeat("x", 1<<20+1)},
	})
	e, ok := errors.AsType[*errs.ValidationError](err)
	if !ok {
		t.Fatalf("got %T: %v", err, err)
	}
	want := []errs.Issue{
		{Path: "/input_json", Keyword: "string.max_bytes", Message: "must be at most 1048576 bytes"},
		{Path: "/operation_key", Keyword: "string.pattern", Message: "must be 1 to 64 characters of A-Za-z0-9_.:-"},
		{Path: "/tool", Keyword: "string.pattern", Message: "must be 1 to 64 characters of A-Za-z0-9_./-"},
	}
	if diff := cmp.Diff(want, e.Issues); diff != "" {
		t.Errorf("issues (-want +got):\n%s", diff)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a value is in the message: %v", err)
	}
	const prefix = "Input does not match the schema of remedy.service.v1.CallToolRequest: /input_json must be at most 1048576 bytes; "
	if !strings.HasPrefix(err.Error(), prefix) {
		t.Errorf("message %q", err)
	}
}

func TestCheckPassesWhatKeepsItsRules(t *testing.T) {
	t.Parallel()
	stage := newStage(t)
	for _, message := range []any{
		&servicev1.CallToolRequest{Tool: "cancel_order"},
		&servicev1.ListToolsRequest{PageSize: 1000},
		wrapperspb.String("no rules"),
		"not a message",
		nil,
	} {
		if err := stage.Check(message); err != nil {
			t.Errorf("%T: %v", message, err)
		}
	}
}

// TestComputedMessagesStayHere has a rule whose text holds the value it complains about.
func TestComputedMessagesStayHere(t *testing.T) {
	t.Parallel()
	rules := &bufvalidate.FieldRules{Cel: []*bufvalidate.Rule{{
		Id: new("name.free"), Expression: new(`this == 'free' ? '' : this + ' is taken'`),
	}}}
	options := &descriptorpb.FieldOptions{}
	proto.SetExtension(options, bufvalidate.E_Field, rules)
	message := dynamicMessage(t, options)
	message.Set(message.Descriptor().Fields().ByName("name"), protoreflect.ValueOfString("hunter2"))
	err := newStage(t).Check(message)
	e, ok := errors.AsType[*errs.ValidationError](err)
	if !ok {
		t.Fatalf("got %T: %v", err, err)
	}
	want := []errs.Issue{{Path: "/name", Keyword: "name.free", Message: "must satisfy the rule name.free"}}
	if diff := cmp.Diff(want, e.Issues); diff != "" {
		t.Errorf("issues (-want +got):\n%s", diff)
	}
}

// TestBrokenRuleIsNotTheCallersFault has a rule that does not compile.
func TestBrokenRuleIsNotTheCallersFault(t *testing.T) {
	t.Parallel()
	options := &descriptorpb.FieldOptions{}
	proto.SetExtension(options, bufvalidate.E_Field, &bufvalidate.FieldRules{Cel: []*bufvalidate.Rule{{
		Id: new("x"), Expression: new("this +"),
	}}})
	err := newStage(t).Check(dynamicMessage(t, options))
	if err == nil || errs.CodeOf(err) != "" {
		t.Errorf("got %v, want an error that is not typed", err)
	}
}

func dynamicMessage(t *testing.T, options *descriptorpb.FieldOptions) *dynamicpb.Message {
	t.Helper()
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("test.proto"), Package: new("test"), Syntax: new("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{
			Name: new("Account"),
			Field: []*descriptorpb.FieldDescriptorProto{{
				Name: new("name"), Number: new(int32(1)), Options: options,
				Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
			}},
		}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return dynamicpb.NewMessage(file.Messages().Get(0))
}

// refuseAll is a validator that refuses every message.
type refuseAll struct{}

func (refuseAll) Check(any) error {
	return &errs.ValidationError{Subject: "m", Issues: []errs.Issue{{Path: "/a", Keyword: "k", Message: "is required"}}}
}

func TestEveryKindIsValidated(t *testing.T) {
	t.Parallel()
	options, err := interceptors.ServerOptions(interceptors.WithValidate(refuseAll{}))
	if err != nil {
		t.Fatal(err)
	}
	service := &grpctest.Service{}
	conn := grpctest.Serve(t, service, options, interceptors.DialOptions())
	for _, kind := range grpctest.Kinds() {
		err := grpctest.Call(t.Context(), conn, kind).Err
		if _, ok := errors.AsType[*errs.ValidationError](err); !ok {
			t.Errorf("%s: got %v", kind, err)
		}
	}
	if got := service.Calls.Load(); got != 0 {
		t.Errorf("the handler ran %d times", got)
	}
}

func TestAlone(t *testing.T) {
	t.Parallel()
	stage := newStage(t)
	conn := grpctest.ServeAny(t, func(r grpc.ServiceRegistrar) { servicev1.RegisterToolServiceServer(r, lister{}) },
		[]grpc.ServerOption{
			grpc.ChainUnaryInterceptor(stage.UnaryServerInterceptor()), grpc.ChainStreamInterceptor(stage.StreamServerInterceptor()),
		},
		interceptors.DialOptions())
	_, err := servicev1.NewToolServiceClient(conn).ListTools(t.Context(), &servicev1.ListToolsRequest{PageSize: -1})
	if !errors.Is(err, errs.CodeInvalidInput) {
		t.Errorf("got %v", err)
	}
}

type lister struct {
	servicev1.UnimplementedToolServiceServer
}

func (lister) ListTools(context.Context, *servicev1.ListToolsRequest) (*servicev1.ListToolsResponse, error) {
	return &servicev1.ListToolsResponse{}, nil
}

func ExampleStage_Check() {
	stage, err := validate.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = stage.Check(&servicev1.GetToolRequest{Name: "no such name!"})
	if e, ok := errors.AsType[*errs.ValidationError](err); ok {
		fmt.Println(e.Issues[0].Path, e.Issues[0].Message)
	}
	// Output: /name must be 1 to 64 characters of A-Za-z0-9_./-
}
