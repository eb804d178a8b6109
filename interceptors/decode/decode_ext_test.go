package decode_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

// failing fails every bidi call at once.
type failing struct {
	testgrpc.UnimplementedTestServiceServer
}

func (failing) FullDuplexCall(testgrpc.TestService_FullDuplexCallServer) error {
	return &errs.AuthorizationError{Tool: "x"}
}

// TestEarlyFailureOfAStream is grpc's own rule: Send ends with io.EOF, the error itself comes from Recv.
func TestEarlyFailureOfAStream(t *testing.T) {
	t.Parallel()
	options, err := interceptors.ServerOptions()
	if err != nil {
		t.Fatal(err)
	}
	conn := grpctest.ServeAny(t, func(r grpc.ServiceRegistrar) { testgrpc.RegisterTestServiceServer(r, failing{}) },
		options, interceptors.DialOptions())
	stream, err := testgrpc.NewTestServiceClient(conn).FullDuplexCall(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for err == nil { // until the failure has arrived
		err = stream.Send(&testgrpc.StreamingOutputCallRequest{})
	}
	if err != io.EOF { //nolint:errorlint // exactly this value
		t.Errorf("Send: got %v, want exactly io.EOF", err)
	}
	_, err = stream.Recv()
	if e, ok := errors.AsType[*errs.AuthorizationError](err); !ok || e.Tool != "x" {
		t.Errorf("Recv: got %T %v", err, err)
	}
}

func TestForeignErrorsKeepMatching(t *testing.T) {
	t.Parallel()
	conn := grpctest.Serve(t, &grpctest.Service{Handle: func(context.Context) error { return status.Error(codes.NotFound, "no such row") }},
		nil, interceptors.DialOptions())
	for _, kind := range grpctest.Kinds() {
		err := grpctest.Call(t.Context(), conn, kind).Err
		st, ok := status.FromError(err)
		if !ok || st.Code() != codes.NotFound || st.Message() != "no such row" {
			t.Errorf("%s: got %v", kind, err)
		}
		if !errors.Is(err, status.Error(codes.NotFound, "no such row")) {
			t.Errorf("%s: errors.Is is false", kind)
		}
		if errs.CodeOf(err) != "" {
			t.Errorf("%s: it is taken for one of ours", kind)
		}
	}
}

func TestCanceledByTheCaller(t *testing.T) {
	t.Parallel()
	started := make(chan struct{}, 1)
	conn := grpctest.Serve(t, &grpctest.Service{Handle: func(ctx context.Context) error {
		started <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}}, nil, interceptors.DialOptions())
	for _, kind := range grpctest.Kinds() {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-started
			cancel()
		}()
		if err := grpctest.Call(ctx, conn, kind).Err; status.Code(err) != codes.Canceled {
			t.Errorf("%s: got %v", kind, err)
		}
	}
}
