package neversent_test

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/interceptors/neversent"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/internal/tcptest"
)

const method = testgrpc.TestService_EmptyCall_FullMethodName

func unary(ctx context.Context, conn grpc.ClientConnInterface, options ...grpc.CallOption) error {
	return grpctest.Call(ctx, conn, grpctest.Unary, options...).Err
}

// cutting is a server that loses its connections while a handler runs.
func cutting(tb testing.TB) string {
	tb.Helper()
	service := &grpctest.Service{}
	server := tcptest.Serve(tb, register(service))
	service.Handle = func(ctx context.Context) error {
		server.Kill()
		<-ctx.Done()
		return ctx.Err()
	}
	return server.Addr
}

// TestSecondConnection is a failover: what the first connection proves says nothing of the second.
func TestSecondConnection(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		second  func(tb testing.TB) string
		watched bool
		want    bool
	}{
		{"sent, and nobody watches", cutting, false, false},
		{"sent and watched", cutting, true, false},
		{"refused, and nobody watches", tcptest.Refused, false, false},
		{"refused and watched", tcptest.Refused, true, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var dial []grpc.DialOption
			if test.watched {
				dial = append(dial, neversent.DialOption())
			}
			first := tcptest.Dial(t, tcptest.Refused(t), neversent.DialOption())
			second := tcptest.Dial(t, test.second(t), dial...)
			ctx, record := neversent.Watch(t.Context(), method)
			if err := unary(ctx, first); !record.Proves(err) {
				t.Errorf("the first refusal is not proven: %v", err)
			}
			if err := unary(ctx, second); record.Proves(err) != test.want {
				t.Errorf("proven %v, want %v: %v", !test.want, test.want, err)
			}
		})
	}
}

// TestFirstConnection is a failover the other way: a refusal does not take back what was sent before.
func TestFirstConnection(t *testing.T) {
	t.Parallel()
	ctx, record := neversent.Watch(t.Context(), method)
	if err := unary(ctx, tcptest.Dial(t, cutting(t), neversent.DialOption())); record.Proves(err) {
		t.Errorf("proven of what was sent: %v", err)
	}
	if err := unary(ctx, tcptest.Dial(t, tcptest.Refused(t), neversent.DialOption())); record.Proves(err) {
		t.Errorf("proven of what was sent before: %v", err)
	}
}

// TestAttemptUnderWay hedges: nothing is proven while another attempt could still send.
func TestAttemptUnderWay(t *testing.T) {
	t.Parallel()
	refused := tcptest.Dial(t, tcptest.Refused(t), neversent.DialOption())
	began := make(chan struct{})
	waiting := tcptest.Dial(t, tcptest.Refused(t), neversent.DialOption(), grpc.WithStatsHandler(beginSignal(began)))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx, record := neversent.Watch(ctx, method)
	ended := make(chan error, 1)
	go func() { ended <- unary(ctx, waiting, grpc.WaitForReady(true)) }()
	<-began
	err := unary(ctx, refused)
	if record.Proves(err) {
		t.Error("proven while an attempt is under way")
	}
	cancel()
	if last := <-ended; !record.Proves(last) {
		t.Errorf("not proven once all have ended: %v", last)
	}
}

// beginSignal is closed when the one attempt of a connection begins.
type beginSignal chan struct{}

func (beginSignal) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (beginSignal) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (beginSignal) HandleConn(context.Context, stats.ConnStats)                       {}
func (s beginSignal) HandleRPC(_ context.Context, event stats.RPCStats) {
	if _, ok := event.(*stats.Begin); ok {
		close(s)
	}
}

// TestNested leaves calls of other methods out, and counts those of the same method for both records.
func TestNested(t *testing.T) {
	t.Parallel()
	service := &grpctest.Service{}
	good := tcptest.Dial(t, tcptest.Serve(t, register(service)).Addr, neversent.DialOption())
	refused := tcptest.Dial(t, tcptest.Refused(t), neversent.DialOption())

	ctx, outer := neversent.Watch(t.Context(), method)
	other, token := neversent.Watch(ctx, methods[grpctest.ServerStream])
	if err := grpctest.Call(other, good, grpctest.ServerStream).Err; err != nil {
		t.Fatal(err)
	}
	if err := unary(ctx, refused); !outer.Proves(err) || token.Proves(err) {
		t.Errorf("a call of another method changed the record, or the other way round: %v", err)
	}

	ctx, outer = neversent.Watch(t.Context(), method)
	inner, first := neversent.Watch(ctx, method)
	if err := unary(inner, good); err != nil {
		t.Fatal(err)
	}
	inner, second := neversent.Watch(ctx, method)
	err := unary(inner, refused)
	if first.Proves(err) || !second.Proves(err) || outer.Proves(err) {
		t.Errorf("first %v, second %v, outer %v; want false, true, false", first.Proves(err), second.Proves(err), outer.Proves(err))
	}
}

// TestCredentialsThatCall fetch a token with the context of the attempt; that call is none of its events.
func TestCredentialsThatCall(t *testing.T) {
	t.Parallel()
	service := &grpctest.Service{}
	issuer := tcptest.Dial(t, tcptest.Serve(t, register(service)).Addr, neversent.DialOption())
	conn := tcptest.Dial(t, tcptest.Serve(t, register(service)).Addr, neversent.DialOption())
	ctx, record := neversent.Watch(t.Context(), method)
	err := unary(ctx, conn, grpc.PerRPCCredentials(callingCredentials{issuer}))
	if !record.Proves(err) || status.Code(err) != codes.Unauthenticated {
		t.Errorf("not proven: %v", err)
	}
	if calls := service.Calls.Load(); calls != 1 {
		t.Errorf("%d calls reached a handler, want only that of the issuer", calls)
	}
}

type callingCredentials struct{ issuer *grpc.ClientConn }

func (c callingCredentials) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	if err := grpctest.Call(ctx, c.issuer, grpctest.ServerStream).Err; err != nil {
		return nil, err
	}
	return nil, status.Error(codes.Unauthenticated, "the issuer says no")
}
func (callingCredentials) RequireTransportSecurity() bool { return false }

// TestStreamQuota waits for a stream that the server does not allow yet.
func TestStreamQuota(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	service := &grpctest.Service{Handle: func(ctx context.Context) error {
		entered <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}}
	conn := tcptest.Dial(t, tcptest.Serve(t, register(service), grpc.MaxConcurrentStreams(1)).Addr, neversent.DialOption())
	holding, release := context.WithCancel(t.Context())
	held := make(chan error, 1)
	go func() { held <- unary(holding, conn) }()
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	ctx, record := neversent.Watch(ctx, method)
	err := unary(ctx, conn)
	if !record.Proves(err) || status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("not proven: %v", err)
	}
	release()
	<-held
	if calls := service.Calls.Load(); calls != 1 {
		t.Errorf("%d calls reached the handler, want 1", calls)
	}
}

// TestTransparentRetry sends a request, is told that it was not processed, and finds nobody when it sends it again. The
// server may be trusted in this; the proof does not need to.
func TestTransparentRetry(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- refuseStream(listener) }()
	seen := &counts{}
	conn := tcptest.Dial(t, listener.Addr().String(), neversent.DialOption(), grpc.WithStatsHandler(seen))
	ctx, record := neversent.Watch(t.Context(), method)
	err = unary(ctx, conn)
	if record.Proves(err) || status.Code(err) != codes.Unavailable {
		t.Errorf("proven of what was sent: %v (%s)", err, seen)
	}
	if got, want := seen.String(), "begin 2, header 1, payload 1, end 2"; got != want {
		t.Errorf("grpc told: %s; want: %s", got, want)
	}
	if err := <-done; err != nil {
		t.Errorf("serving: %v", err)
	}
}

// refuseStream accepts one connection, lets it send one request, says with GOAWAY that it processed none, and is gone.
func refuseStream(listener net.Listener) error {
	conn, err := listener.Accept()
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := listener.Close(); err != nil {
		return err
	}
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return err
	}
	framer := http2.NewFramer(conn, conn)
	if err := framer.WriteSettings(); err != nil {
		return err
	}
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return err
		}
		if data, ok := frame.(*http2.DataFrame); ok && data.StreamEnded() {
			return framer.WriteGoAway(0, http2.ErrCodeNo, nil)
		}
	}
}

func TestNilRecordProvesNothing(t *testing.T) {
	t.Parallel()
	var record *neversent.Record
	if record.Proves(io.EOF) {
		t.Error("a nil record proves something")
	}
}
