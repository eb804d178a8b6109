package interceptors_test

import (
	"context"
	"errors"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/test/bufconn"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
)

// stranger is a service that knows nothing of this module but the error it returns: grpc's own test service.
type stranger struct {
	testgrpc.UnimplementedTestServiceServer
}

func (stranger) EmptyCall(context.Context, *testgrpc.Empty) (*testgrpc.Empty, error) {
	return nil, slotStale.New(errs.Detail("slotId", "17"))
}

// A service adopts typed errors with one line on each side and no change to its proto.
func ExampleServerOptions() {
	options, err := interceptors.ServerOptions() // the line of the server
	if err != nil {
		fmt.Println(err)
		return
	}
	server := grpc.NewServer(options...)
	testgrpc.RegisterTestServiceServer(server, stranger{})
	listener := bufconn.Listen(1 << 20)
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()

	conn, err := grpc.NewClient("passthrough:///in-memory", append(interceptors.DialOptions(), // the line of the client
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))...)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = conn.Close() }()

	_, err = testgrpc.NewTestServiceClient(conn).EmptyCall(context.Background(), &testgrpc.Empty{})
	if e, ok := errors.AsType[*errs.ToolError](err); ok && e.Code == "slot_stale" {
		fmt.Println(e.RetryPolicy(), e.Plan().Steps()[0].Tool(), e.Details["slotId"])
	}
	// Output: after_repair list_available_slots 17
}
