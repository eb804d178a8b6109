package contract

import (
	"context"
	"io"
	"sync"

	"google.golang.org/grpc"
)

// UnaryServerInterceptor tells of errors that the handler of a unary call returned and its contract does not list: in the
// log, at WARN, or as [WithReport] says. It changes none. It belongs next to the handler, inside every other interceptor;
// contracts are those that are linked in.
//
// Here the list has to be complete. Errors of remedy.v1 count as well, and so do a plain error, a status that is not ours
// and a panic: no caller can tell them from a failure of the server. What every method may return is never undeclared:
// that its context ended, an unknown outcome where the contract says effect, and what its stream returned to it. A method
// without a contract promises nothing.
func UnaryServerInterceptor(options ...ServerOption) grpc.UnaryServerInterceptor {
	return checkerOf(options).unary
}

// StreamServerInterceptor does the same for streaming calls.
func StreamServerInterceptor(options ...ServerOption) grpc.StreamServerInterceptor {
	return checkerOf(options).stream
}

func (c *checker) unary(
	ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler,
) (response any, err error) {
	err = panicked{} // until it has returned
	defer func() { c.check(ctx, info.FullMethod, err, nil) }()
	return handler(ctx, request)
}

func (c *checker) stream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	watched := &serverStream{ServerStream: stream}
	err = panicked{} // until it has returned
	defer func() { c.check(stream.Context(), info.FullMethod, err, watched) }()
	return handler(server, watched)
}

// serverStream remembers what it returned to the handler.
type serverStream struct {
	grpc.ServerStream

	mu             sync.Mutex
	received, sent error // the last ones
}

func (s *serverStream) RecvMsg(message any) error {
	err := s.ServerStream.RecvMsg(message)
	if err != nil && err != io.EOF { //nolint:errorlint // the end of a stream is exactly this value
		s.mu.Lock()
		defer s.mu.Unlock()
		s.received = err
	}
	return err
}

func (s *serverStream) SendMsg(message any) error {
	err := s.ServerStream.SendMsg(message)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sent = err
	}
	return err
}

// errors returns what the handler may return because the stream did; nothing for a nil stream.
func (s *serverStream) errors() []error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return []error{s.received, s.sent}
}
