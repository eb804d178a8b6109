// Package tcptest runs gRPC services on real TCP connections that a test can cut.
package tcptest

import (
	"errors"
	"net"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Server is a service on a port of its own.
type Server struct {
	// Addr is where it listens, as host:port.
	Addr string

	listener *listener
}

// Serve starts what register registers; it ends with the test.
func Serve(tb testing.TB, register func(grpc.ServiceRegistrar), options ...grpc.ServerOption) *Server {
	tb.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // no name to resolve, nothing to wait for
	if err != nil {
		tb.Fatalf("listening: %v", err)
	}
	s := &Server{Addr: inner.Addr().String(), listener: &listener{Listener: inner}}
	server := grpc.NewServer(options...)
	register(server)
	done := make(chan error, 1)
	go func() { done <- server.Serve(s.listener) }()
	tb.Cleanup(func() {
		server.Stop()
		if err := <-done; err != nil && !errors.Is(err, grpc.ErrServerStopped) && !errors.Is(err, net.ErrClosed) {
			tb.Errorf("serving: %v", err)
		}
	})
	return s
}

// Kill closes the listener and every connection, the way a machine that loses its power does to its clients: handlers
// that are running send nothing any more.
func (s *Server) Kill() { s.listener.kill() }

// Cut closes every connection and goes on listening.
func (s *Server) Cut() { s.listener.cut() }

// Refused returns an address where nobody listens.
func Refused(tb testing.TB) string {
	tb.Helper()
	closed, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // no name to resolve, nothing to wait for
	if err != nil {
		tb.Fatalf("listening: %v", err)
	}
	defer func() { _ = closed.Close() }()
	return closed.Addr().String()
}

// Dial connects to target without TLS; the connection ends with the test.
func Dial(tb testing.TB, target string, options ...grpc.DialOption) *grpc.ClientConn {
	tb.Helper()
	options = append([]grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}, options...)
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		tb.Fatalf("dialing: %v", err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	return conn
}

// listener remembers the connections it accepted.
type listener struct {
	net.Listener

	mu     sync.Mutex
	conns  []net.Conn
	killed bool
}

func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err //nolint:wrapcheck // this is a listener, too
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.killed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	l.conns = append(l.conns, conn)
	return conn, nil
}

func (l *listener) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.killed = true
	_ = l.Close()
	l.cutLocked()
}

func (l *listener) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cutLocked()
}

func (l *listener) cutLocked() {
	for _, conn := range l.conns {
		_ = conn.Close()
	}
	l.conns = nil
}
