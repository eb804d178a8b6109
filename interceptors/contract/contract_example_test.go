package contract_test

import (
	"context"
	"errors"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors/contract"
)

// lossy is a service behind a proxy that lost it. The contract of CallTool says that a call may have an effect, and names
// the field with the operation key.
type lossy struct {
	servicev1.UnimplementedToolServiceServer
}

func (lossy) CallTool(context.Context, *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
	return nil, status.Error(codes.Unavailable, "upstream connect error")
}

// A generated client needs no dial option to know that a lost answer leaves open what happened.
func Example() {
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer()
	servicev1.RegisterToolServiceServer(server, lossy{})
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()
	conn, err := grpc.NewClient("passthrough:///in-memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = conn.Close() }()

	tools := servicev1.NewTypedToolServiceClient(conn)
	request := &servicev1.CallToolRequest{Tool: "cancel_order", OperationKey: "order-17:cancel"}
	_, err = tools.CallTool(context.Background(), request)
	if lost, ok := errors.AsType[*errs.OutcomeUnknownError](err); ok {
		fmt.Println(status.Code(lost.Cause), "may have happened:", lost.OperationKey)
	}

	over, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = tools.CallTool(over, request)
	fmt.Println(errs.CodeOf(err), "before it was sent:", contract.NeverSent(err))
	// Output:
	// Unavailable may have happened: order-17:cancel
	// canceled before it was sent: true
}

// A test of a service fails for each error that a handler returns and its contract does not list.
func ExampleWithReport() {
	report := func(_ context.Context, u contract.Undeclared) { fmt.Println(u) } // in a test, t.Error(u)
	intercept := contract.UnaryServerInterceptor(contract.WithReport(report))

	handler := func(context.Context, any) (any, error) { return nil, &errs.AuthorizationError{Tool: "cancel_order"} }
	_, _ = intercept(context.Background(), nil, &grpc.UnaryServerInfo{FullMethod: servicev1.ToolService_GetTool_FullMethodName}, handler)
	// Output: /remedy.service.v1.ToolService/GetTool returned remedy.v1/authorization_denied, which its contract does not list
}
