package corpus_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/internal/corpus/service"
)

// store answers every call with the same error, streams after a message.
type store struct {
	service.UnimplementedStoreServer

	err error
}

func (s store) Put(context.Context, *service.PutRequest) (*service.PutResponse, error) {
	return nil, s.err
}

func (s store) GetHTTPState(context.Context, *service.PutRequest) (*service.PutResponse, error) {
	return nil, s.err
}

func (s store) Watch(_ *service.WatchRequest, stream grpc.ServerStreamingServer[service.PutResponse]) error {
	return errors.Join(stream.Send(&service.PutResponse{}), s.err)
}

func (s store) Upload(stream grpc.ClientStreamingServer[service.PutRequest, service.PutResponse]) error {
	if _, err := stream.Recv(); err != nil {
		return err
	}
	return s.err
}

func (s store) Chat(stream grpc.BidiStreamingServer[service.PutRequest, service.PutResponse]) error {
	if _, err := stream.Recv(); err != nil {
		return err
	}
	return errors.Join(stream.Send(&service.PutResponse{}), s.err)
}

// dialed serves s on a connection in memory, with no dial option of ours.
func dialed(t *testing.T, s store) *grpc.ClientConn {
	t.Helper()
	options, err := interceptors.ServerOptions()
	if err != nil {
		t.Fatal(err)
	}
	const buffer = 1 << 16
	listener := bufconn.Listen(buffer)
	server := grpc.NewServer(options...)
	service.RegisterStoreServer(server, s)
	go func() { _ = server.Serve(listener) }() // ends with Stop
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient("passthrough:///corpus", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// calls are the methods of the store; each returns what ends the call.
var calls = map[string]func(ctx context.Context, client service.StoreClient) error{
	"Put": func(ctx context.Context, client service.StoreClient) error {
		_, err := client.Put(ctx, &service.PutRequest{OperationKey: "key_1"})
		return err
	},
	"GetHTTPState": func(ctx context.Context, client service.StoreClient) error {
		_, err := client.GetHTTPState(ctx, &service.PutRequest{})
		return err
	},
	"Watch": func(ctx context.Context, client service.StoreClient) error {
		stream, err := client.Watch(ctx, &service.WatchRequest{})
		for err == nil {
			_, err = stream.Recv()
		}
		return err
	},
	"Upload": func(ctx context.Context, client service.StoreClient) error {
		stream, err := client.Upload(ctx)
		if err != nil {
			return err
		}
		if err := stream.Send(&service.PutRequest{}); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		_, err = stream.CloseAndRecv()
		return err
	},
	"Chat": func(ctx context.Context, client service.StoreClient) error {
		stream, err := client.Chat(ctx)
		if err != nil {
			return err
		}
		if err := stream.Send(&service.PutRequest{}); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for err == nil {
			_, err = stream.Recv()
		}
		return err
	},
}

// TestTypedClient: a generated client has the type on every kind of call, and says what a contract does not list.
func TestTypedClient(t *testing.T) {
	t.Parallel()
	conn := dialed(t, store{err: service.NewBusy(&service.Busy{Wait: &durationpb.Duration{Seconds: 2}})})
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			undeclared := 0
			client := service.NewTypedStoreClient(conn, contract.WithUndeclared(func(context.Context, contract.Undeclared) { undeclared++ }))
			got, ok := errors.AsType[*service.BusyError](call(t.Context(), client))
			if !ok || got.GetWait().GetSeconds() != 2 || got.RetryPolicy() != errs.AsIs {
				t.Errorf("got %v", got)
			}
			// GetHTTPState lists ToolError, which stands for every code; Chat promises that there is none.
			if want := map[string]int{"Chat": 1}[name]; undeclared != want {
				t.Errorf("undeclared: got %d, want %d", undeclared, want)
			}
		})
	}
}

// TestLostAnswer: nobody knows what became of a call that may have had an effect.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	conn := dialed(t, store{err: errors.New("plain")})
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := call(t.Context(), service.NewTypedStoreClient(conn))
			_, unknown := errors.AsType[*errs.OutcomeUnknownError](err)
			if want := name == "Put" || name == "Upload"; unknown != want {
				t.Errorf("got %T", err)
			}
		})
	}
}
