// Package grpctest runs grpc's own test service on a connection in memory, so that an interceptor can be tested on all
// four kinds of calls without a proto of our own.
package grpctest

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/test/bufconn"
)

// Kind is a kind of call.
type Kind string

// The four kinds.
const (
	Unary        Kind = "unary"
	ServerStream Kind = "server stream"
	ClientStream Kind = "client stream"
	Bidi         Kind = "bidi"
)

// Kinds returns all four.
func Kinds() []Kind { return []Kind{Unary, ServerStream, ClientStream, Bidi} }

// Service answers every kind of call by Handle.
type Service struct {
	testgrpc.UnimplementedTestServiceServer

	// Handle decides how a call ends; nil ends it well.
	Handle func(ctx context.Context) error
	// Messages is how many messages the streams send first.
	Messages int
	// Calls counts the calls that reached a handler.
	Calls atomic.Int64
}

func (s *Service) end(ctx context.Context) error {
	s.Calls.Add(1)
	if s.Handle == nil {
		return nil
	}
	return s.Handle(ctx)
}

// EmptyCall is a unary call.
func (s *Service) EmptyCall(ctx context.Context, _ *testgrpc.Empty) (*testgrpc.Empty, error) {
	if err := s.end(ctx); err != nil {
		return nil, err
	}
	return &testgrpc.Empty{}, nil
}

// StreamingOutputCall is a server stream.
func (s *Service) StreamingOutputCall(
	_ *testgrpc.StreamingOutputCallRequest, stream grpc.ServerStreamingServer[testgrpc.StreamingOutputCallResponse],
) error {
	for range s.Messages {
		if err := stream.Send(&testgrpc.StreamingOutputCallResponse{}); err != nil {
			return err
		}
	}
	return s.end(stream.Context())
}

// StreamingInputCall is a client stream: it reads to the end first.
func (s *Service) StreamingInputCall(
	stream grpc.ClientStreamingServer[testgrpc.StreamingInputCallRequest, testgrpc.StreamingInputCallResponse],
) error {
	for {
		_, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if err := s.end(stream.Context()); err != nil {
		return err
	}
	return stream.SendAndClose(&testgrpc.StreamingInputCallResponse{})
}

// FullDuplexCall is a bidi stream: it reads one message, then answers.
func (s *Service) FullDuplexCall(
	stream grpc.BidiStreamingServer[testgrpc.StreamingOutputCallRequest, testgrpc.StreamingOutputCallResponse],
) error {
	if _, err := stream.Recv(); err != nil {
		return err
	}
	for range s.Messages {
		if err := stream.Send(&testgrpc.StreamingOutputCallResponse{}); err != nil {
			return err
		}
	}
	return s.end(stream.Context())
}

// Serve starts the service on a connection in memory and returns a connection to it. Both end with the test.
func Serve(tb testing.TB, s *Service, server []grpc.ServerOption, dial []grpc.DialOption) *grpc.ClientConn {
	tb.Helper()
	return ServeAny(tb, func(r grpc.ServiceRegistrar) { testgrpc.RegisterTestServiceServer(r, s) }, server, dial)
}

// ServeAny does the same for any service.
func ServeAny(
	tb testing.TB, register func(grpc.ServiceRegistrar), server []grpc.ServerOption, dial []grpc.DialOption,
) *grpc.ClientConn {
	tb.Helper()
	listener := bufconn.Listen(1 << 20)
	srv := grpc.NewServer(server...)
	register(srv)
	done := make(chan error, 1)
	go func() { done <- srv.Serve(listener) }()
	dial = append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
	}, dial...)
	conn, err := grpc.NewClient("passthrough:///grpctest", dial...)
	if err != nil {
		tb.Fatalf("dialing: %v", err)
	}
	tb.Cleanup(func() {
		_ = conn.Close()
		srv.Stop()
		if err := <-done; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			tb.Errorf("serving: %v", err)
		}
	})
	return conn
}

// Result is how a call ended.
type Result struct {
	// Err is the error at the end; nil for a call that ended well.
	Err error
	// Messages is how many messages came before.
	Messages int
	// EOF is the error that ended a stream well.
	EOF error
}

// Call makes one call of a kind and reads it to its end.
func Call(ctx context.Context, conn grpc.ClientConnInterface, kind Kind, options ...grpc.CallOption) Result {
	client := testgrpc.NewTestServiceClient(conn)
	switch kind {
	case ServerStream:
		stream, err := client.StreamingOutputCall(ctx, &testgrpc.StreamingOutputCallRequest{}, options...)
		if err != nil {
			return Result{Err: err}
		}
		return drain(stream.Recv)
	case ClientStream:
		stream, err := client.StreamingInputCall(ctx, options...)
		if err != nil {
			return Result{Err: err}
		}
		if err := stream.Send(&testgrpc.StreamingInputCallRequest{}); err != nil && !errors.Is(err, io.EOF) {
			return Result{Err: err}
		}
		_, err = stream.CloseAndRecv()
		return Result{Err: err}
	case Bidi:
		stream, err := client.FullDuplexCall(ctx, options...)
		if err != nil {
			return Result{Err: err}
		}
		if err := stream.Send(&testgrpc.StreamingOutputCallRequest{}); err != nil && !errors.Is(err, io.EOF) {
			return Result{Err: err}
		}
		if err := stream.CloseSend(); err != nil {
			return Result{Err: err}
		}
		return drain(stream.Recv)
	default: // Unary
		_, err := client.EmptyCall(ctx, &testgrpc.Empty{}, options...)
		return Result{Err: err}
	}
}

func drain[M any](recv func() (M, error)) Result {
	var r Result
	for {
		_, err := recv()
		switch {
		case errors.Is(err, io.EOF):
			r.EOF = err
			return r
		case err != nil:
			r.Err = err
			return r
		}
		r.Messages++
	}
}
