package client_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/internal/tcptest"
)

// service is a ToolService whose tools are functions.
type service struct {
	servicev1.UnimplementedToolServiceServer

	call  func(context.Context, *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error)
	tools []*servicev1.Tool
	list  func(*servicev1.ListToolsRequest) (*servicev1.ListToolsResponse, error)
	calls atomic.Int64
}

func (s *service) CallTool(ctx context.Context, request *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
	s.calls.Add(1)
	return s.call(ctx, request)
}

func (s *service) ListTools(_ context.Context, request *servicev1.ListToolsRequest) (*servicev1.ListToolsResponse, error) {
	return s.list(request)
}

func (s *service) GetTool(_ context.Context, request *servicev1.GetToolRequest) (*servicev1.GetToolResponse, error) {
	for _, tool := range s.tools {
		if tool.GetName() == request.GetName() {
			return &servicev1.GetToolResponse{Tool: tool}, nil
		}
	}
	return nil, &errs.ServiceError{Code: errs.CodeToolNotFound, Subject: request.GetName()}
}

func (s *service) register(r grpc.ServiceRegistrar) { servicev1.RegisterToolServiceServer(r, s) }

// answering is a service whose every call ends like this.
func answering(err error) *service {
	return &service{call: func(context.Context, *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
		return nil, err
	}}
}

func output(json string) *servicev1.CallToolResponse {
	return &servicev1.CallToolResponse{Result: &servicev1.ToolResult{Output: &servicev1.ToolResult_OutputJson{OutputJson: json}}}
}

// serverOptions are those of a service that speaks Remedy and logs nothing.
func serverOptions(tb testing.TB) []grpc.ServerOption {
	tb.Helper()
	options, err := interceptors.ServerOptions(interceptors.WithEncode(encode.WithLogger(slog.New(slog.DiscardHandler))))
	if err != nil {
		tb.Fatal(err)
	}
	return options
}

// serve returns a client of a service in memory.
func serve(tb testing.TB, s *service, options ...client.Option) *client.Client {
	tb.Helper()
	return newClient(tb, grpctest.ServeAny(tb, s.register, serverOptions(tb), client.DialOptions()), options...)
}

func newClient(tb testing.TB, conn grpc.ClientConnInterface, options ...client.Option) *client.Client {
	tb.Helper()
	c, err := client.New(conn, options...)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// dial returns a client of a service on a real connection.
func dial(tb testing.TB, addr string, options ...client.Option) *client.Client {
	tb.Helper()
	c, err := client.Dial(addr, append([]client.Option{client.WithInsecure()}, options...)...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

func serveTCP(tb testing.TB, s *service) *tcptest.Server {
	tb.Helper()
	return tcptest.Serve(tb, s.register, serverOptions(tb)...)
}

// killed is a service on a server that loses its connections while a tool runs.
func killed(tb testing.TB) (*service, string) {
	tb.Helper()
	s := &service{}
	server := serveTCP(tb, s)
	s.call = func(ctx context.Context, _ *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
		server.Kill()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s, server.Addr
}

// retrying is the usual interceptor that sends a call again on UNAVAILABLE, four times in all.
func retrying(
	ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) (err error) {
	for range 4 {
		if err = invoke(ctx, method, req, reply, cc, options...); status.Code(err) != codes.Unavailable {
			return err
		}
	}
	return err
}

// retryingConn does the same around a connection.
type retryingConn struct{ grpc.ClientConnInterface }

func (c retryingConn) Invoke(ctx context.Context, method string, req, reply any, options ...grpc.CallOption) error {
	return retrying(ctx, method, req, reply, nil, func(
		ctx context.Context, method string, req, reply any, _ *grpc.ClientConn, options ...grpc.CallOption,
	) error {
		return c.ClientConnInterface.Invoke(ctx, method, req, reply, options...)
	}, options...)
}

// counting counts the attempts that come by.
func counting(n *int) grpc.UnaryClientInterceptor {
	return func(
		ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
	) error {
		*n++
		return invoke(ctx, method, req, reply, cc, options...)
	}
}
