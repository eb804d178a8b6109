package contract_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/internal/tcptest"
)

// The test service is orders.test.v1.Orders. Its methods are named by what they promise and by their kind; request and
// answer are a StringValue, whose text is the operation key.

// flavor is what a method promises.
type flavor string

const (
	effect flavor = "Change" // may have an effect, and lists errors
	read   flavor = "Read"   // lists errors
	bare   flavor = "Do"     // has no contract
)

var kindNames = map[grpctest.Kind]string{
	grpctest.Unary: "Unary", grpctest.ServerStream: "ServerStream", grpctest.ClientStream: "ClientStream", grpctest.Bidi: "Bidi",
}

const (
	serviceName = "orders.test.v1.Orders"
	toolName    = "change_order"
	key         = "order-17:change"
)

// methodOf is the full name of a method.
func methodOf(f flavor, kind grpctest.Kind) string {
	return "/" + serviceName + "/" + string(f) + kindNames[kind]
}

var contracts = map[flavor]*remedyv1.MethodContract{
	effect: {Errors: listed, Effect: true, Tool: toolName, OperationKeyField: "value"},
	read:   {Errors: listed},
	bare:   nil,
}

var listed = []string{"shop.v1.SlotStale", "remedy.v1.ValidationError"}

// file describes a service of a package with a method of each flavor and kind.
func file(pkg string) protoreflect.FileDescriptor {
	message := "." + string((&wrapperspb.StringValue{}).ProtoReflect().Descriptor().FullName())
	service := &descriptorpb.ServiceDescriptorProto{Name: new("Orders")}
	for f, promised := range contracts {
		for kind, name := range kindNames {
			options := &descriptorpb.MethodOptions{}
			if promised != nil {
				proto.SetExtension(options, remedyv1.E_Contract, promised)
			}
			service.Method = append(service.Method, &descriptorpb.MethodDescriptorProto{
				Name: new(string(f) + name), InputType: &message, OutputType: &message, Options: options,
				ClientStreaming: new(desc(kind).ClientStreams), ServerStreaming: new(desc(kind).ServerStreams),
			})
		}
	}
	described, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new(strings.ReplaceAll(pkg, ".", "/") + "/orders.proto"), Package: &pkg, Syntax: new("proto3"),
		Dependency: []string{"google/protobuf/wrappers.proto", "remedy/v1/options.proto"},
		Service:    []*descriptorpb.ServiceDescriptorProto{service},
	}, protoregistry.GlobalFiles)
	if err != nil {
		panic(err)
	}
	return described
}

// orders is linked in, as the services of generated code are.
var orders = sync.OnceValue(func() protoreflect.ServiceDescriptor {
	described := file("orders.test.v1")
	if err := protoregistry.GlobalFiles.RegisterFile(described); err != nil {
		panic(err)
	}
	return described.Services().ByName("Orders")
})

func desc(kind grpctest.Kind) *grpc.StreamDesc {
	return &grpc.StreamDesc{
		ClientStreams: kind == grpctest.ClientStream || kind == grpctest.Bidi,
		ServerStreams: kind == grpctest.ServerStream || kind == grpctest.Bidi,
	}
}

// service answers every call by handle, nil for a good end; the streams send two messages first.
type service struct {
	header metadata.MD
	handle func(ctx context.Context) error
	calls  atomic.Int64
}

func (s *service) begin(ctx context.Context) error {
	if s.header == nil {
		return nil
	}
	return grpc.SendHeader(ctx, s.header)
}

func (s *service) end(ctx context.Context) error {
	s.calls.Add(1)
	if s.handle == nil {
		return nil
	}
	return s.handle(ctx)
}

// answering ends every call like this.
func answering(err error) *service {
	return &service{handle: func(context.Context) error { return err }}
}

// register registers the service under the name of a package.
func (s *service) register(r grpc.ServiceRegistrar) {
	d := &grpc.ServiceDesc{ServiceName: serviceName, HandlerType: (*any)(nil)}
	for f := range contracts {
		d.Methods = append(d.Methods, grpc.MethodDesc{
			MethodName: string(f) + kindNames[grpctest.Unary],
			Handler: func(_ any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
				request := &wrapperspb.StringValue{}
				if err := decode(request); err != nil {
					return nil, err
				}
				handler := func(ctx context.Context, _ any) (any, error) {
					if err := s.begin(ctx); err != nil {
						return nil, err
					}
					return wrapperspb.String("done"), s.end(ctx)
				}
				if intercept == nil {
					return handler(ctx, request)
				}
				return intercept(ctx, request, &grpc.UnaryServerInfo{Server: s, FullMethod: methodOf(f, grpctest.Unary)}, handler)
			},
		})
		for _, kind := range grpctest.Kinds()[1:] {
			stream := *desc(kind)
			stream.StreamName = string(f) + kindNames[kind]
			stream.Handler = func(_ any, stream grpc.ServerStream) error { return s.stream(kind, stream) }
			d.Streams = append(d.Streams, stream)
		}
	}
	r.RegisterService(d, s)
}

func (s *service) stream(kind grpctest.Kind, stream grpc.ServerStream) error {
	for {
		err := stream.RecvMsg(&wrapperspb.StringValue{})
		if kind == grpctest.ClientStream && errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if kind != grpctest.ClientStream {
			break
		}
	}
	if err := s.begin(stream.Context()); err != nil {
		return err
	}
	if kind != grpctest.ClientStream {
		for range 2 {
			if err := stream.SendMsg(wrapperspb.String("more")); err != nil {
				return err
			}
		}
	}
	if err := s.end(stream.Context()); err != nil {
		return err
	}
	if kind == grpctest.ClientStream {
		return stream.SendMsg(wrapperspb.String("done"))
	}
	return nil
}

// result is how a call ended.
type result struct {
	err      error
	messages int
	eof      error // what ended a stream well
}

// call makes one call and reads it to its end.
func call(ctx context.Context, conn grpc.ClientConnInterface, f flavor, kind grpctest.Kind, options ...grpc.CallOption) result {
	request, reply := wrapperspb.String(key), &wrapperspb.StringValue{}
	if kind == grpctest.Unary {
		return result{err: conn.Invoke(ctx, methodOf(f, kind), request, reply, options...)}
	}
	stream, err := conn.NewStream(ctx, desc(kind), methodOf(f, kind), options...)
	if err != nil {
		return result{err: err}
	}
	if err := stream.SendMsg(request); err != nil && err != io.EOF { //nolint:errorlint // exactly this value
		return result{err: err}
	}
	if kind == grpctest.ClientStream { // its first message has the key
		if err := stream.SendMsg(wrapperspb.String("another")); err != nil && err != io.EOF { //nolint:errorlint // as above
			return result{err: err}
		}
	}
	if err := stream.CloseSend(); err != nil {
		return result{err: err}
	}
	var r result
	for {
		err := stream.RecvMsg(reply)
		switch {
		case err == io.EOF: //nolint:errorlint // as above
			r.eof = err
			return r
		case err != nil:
			r.err = err
			return r
		case kind == grpctest.ClientStream:
			return r
		}
		r.messages++
	}
}

// serve returns a connection in memory to the service.
func serve(tb testing.TB, s *service, server []grpc.ServerOption, dial ...grpc.DialOption) *grpc.ClientConn {
	tb.Helper()
	orders()
	return grpctest.ServeAny(tb, s.register, server, dial)
}

// client holds the calls over a connection to the contracts of the test service.
func client(conn grpc.ClientConnInterface, options ...contract.ClientOption) grpc.ClientConnInterface {
	return contract.Client(conn, orders(), options...)
}

// killed is a service on a server that loses its connections while a handler runs.
func killed(tb testing.TB) (*service, string) {
	tb.Helper()
	orders()
	s := &service{}
	server := tcptest.Serve(tb, s.register)
	s.handle = func(ctx context.Context) error {
		server.Kill()
		<-ctx.Done()
		return ctx.Err()
	}
	return s, server.Addr
}
