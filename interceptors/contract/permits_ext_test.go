package contract_test

import (
	"context"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

// answered is a connection on which every call ends like this.
type answered struct {
	grpc.ClientConnInterface

	err error
}

func (a answered) Invoke(context.Context, string, any, any, ...grpc.CallOption) error { return a.err }

// promising describes a service with one method, /a.B/Call.
func promising(tb testing.TB, promised *remedyv1.MethodContract, request protoreflect.MessageDescriptor) protoreflect.ServiceDescriptor {
	tb.Helper()
	options := &descriptorpb.MethodOptions{}
	proto.SetExtension(options, remedyv1.E_Contract, promised)
	described, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("a.proto"), Package: new("a"), Dependency: []string{request.ParentFile().Path()},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: new("B"), Method: []*descriptorpb.MethodDescriptorProto{{
			Name: new("Call"), InputType: new("." + string(request.FullName())),
			OutputType: new("." + string(request.FullName())), Options: options,
		}}}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		tb.Fatal(err)
	}
	return described.Services().Get(0)
}

// of is an error of a service that declares its own.
func of(domain, reason string) error {
	st, err := status.New(codes.NotFound, "Gone.").WithDetails(&errdetails.ErrorInfo{
		Reason: reason, Domain: domain, Metadata: map[string]string{"retry": "never"},
	})
	if err != nil {
		panic(err)
	}
	return st.Err()
}

// TestPermits goes through what a contract may list.
func TestPermits(t *testing.T) {
	t.Parallel()
	slot, shelf := errs.ToStatus(shopv1.NewSlotStale(nil)).Err(), errs.ToStatus(shopv1.NewShelfStale(nil)).Err()
	catalog, adHoc := errs.ToStatus(&errs.AuthorizationError{}).Err(), errs.ToStatus(slotLost.New()).Err()
	tests := []struct {
		name     string
		listed   []string
		permits  []error
		breaking []error
	}{
		{"nothing", nil, []error{catalog, status.Error(codes.Internal, "no")}, []error{slot, shelf, adHoc, of("a.v1", "GONE")}},
		{"one", []string{"shop.v1.SlotStale"}, []error{slot, catalog}, []error{shelf, adHoc, of("shop.v1", "GONE")}},
		{"several", []string{"shop.v1.SlotStale", "stock.v1.ShelfStale"}, []error{slot, shelf}, []error{adHoc}},
		{"every ToolError", []string{"remedy.v1.ToolError"}, []error{slot, shelf, adHoc, catalog, of("a.v1", "GONE")}, nil},
		{
			"not linked in",
			[]string{"shop.v1.SlotStale", "far.away.v1.Gone"},
			[]error{slot, of("far.away.v1", "GONE"), of("far.away.v1", "ANOTHER"), of("far.away", "NESTED"), catalog},
			[]error{shelf, of("far.away.v2", "GONE"), of("far.away.v", "GONE"), of("far.away.v1.Gone", "GONE")},
		},
		{"no error", []string{"shop.v1.Slot"}, []error{slot, of("shop.v1", "GONE")}, []error{shelf, adHoc}},
		{"the empty name", []string{""}, []error{catalog}, []error{slot, of("a.v1", "GONE")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service := promising(t, &remedyv1.MethodContract{Errors: test.listed}, (&descriptorpb.MethodOptions{}).ProtoReflect().Descriptor())
			told := func(err error) bool {
				var h hook
				got := contract.Client(answered{err: err}, service, contract.WithUndeclared(h.tell)).Invoke(t.Context(), "/a.B/Call", nil, nil)
				if status.Code(got) != status.Code(err) || errs.CodeOf(got) != errs.CodeOf(err) {
					t.Errorf("got %v, want %v as it was", got, err)
				}
				return len(h.take()) == 1
			}
			for _, err := range test.permits {
				if told(err) {
					t.Errorf("%s/%s is taken for undeclared", errs.InfoOf(err).Domain, errs.CodeOf(err))
				}
			}
			for _, err := range test.breaking {
				if !told(err) {
					t.Errorf("%s/%s is not taken for undeclared", errs.InfoOf(err).Domain, errs.CodeOf(err))
				}
			}
		})
	}
}

// TestNames of calls whose contract or request does not have them.
func TestNames(t *testing.T) {
	t.Parallel()
	lost := status.Error(codes.Unavailable, "lost")
	text := "k-1"
	message := &descriptorpb.MethodDescriptorProto{Name: &text}
	for name, test := range map[string]struct {
		contract  *remedyv1.MethodContract
		request   any
		tool, key string
	}{
		"all":          {&remedyv1.MethodContract{Tool: "pay", OperationKeyField: "name"}, message, "pay", "k-1"},
		"no tool":      {&remedyv1.MethodContract{OperationKeyField: "name"}, message, "call", "k-1"},
		"no field":     {&remedyv1.MethodContract{}, message, "call", ""},
		"wrong field":  {&remedyv1.MethodContract{OperationKeyField: "key"}, message, "call", ""},
		"not a string": {&remedyv1.MethodContract{OperationKeyField: "options"}, message, "call", ""},
		"nil":          {&remedyv1.MethodContract{OperationKeyField: "name"}, (*descriptorpb.MethodDescriptorProto)(nil), "call", ""},
		"nothing":      {&remedyv1.MethodContract{OperationKeyField: "name"}, nil, "call", ""},
		"a list":       {&remedyv1.MethodContract{OperationKeyField: "dependency"}, &descriptorpb.FileDescriptorProto{}, "call", ""},
		"no proto":     {&remedyv1.MethodContract{OperationKeyField: "name"}, "k-1", "call", ""},
	} {
		test.contract.Effect = true
		service := promising(t, test.contract, message.ProtoReflect().Descriptor())
		err := contract.Client(answered{err: lost}, service).Invoke(t.Context(), "/a.B/Call", test.request, nil)
		if e, ok := err.(*errs.OutcomeUnknownError); !ok || e.Tool != test.tool || e.OperationKey != test.key { //nolint:errorlint // itself
			t.Errorf("%s: got %#v", name, err)
		}
	}
}
