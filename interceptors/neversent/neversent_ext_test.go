package neversent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/interceptors/neversent"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/internal/tcptest"
)

// methods are the names of the methods that grpctest.Call calls.
var methods = map[grpctest.Kind]string{
	grpctest.Unary:        testgrpc.TestService_EmptyCall_FullMethodName,
	grpctest.ServerStream: testgrpc.TestService_StreamingOutputCall_FullMethodName,
	grpctest.ClientStream: testgrpc.TestService_StreamingInputCall_FullMethodName,
	grpctest.Bidi:         testgrpc.TestService_FullDuplexCall_FullMethodName,
}

// counts is what grpc tells a stats handler, the facts that the proof is built on.
type counts struct {
	mu                          sync.Mutex
	begin, header, payload, end int
}

func (c *counts) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (c *counts) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (c *counts) HandleConn(context.Context, stats.ConnStats)                       {}
func (c *counts) HandleRPC(_ context.Context, event stats.RPCStats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch event.(type) {
	case *stats.Begin:
		c.begin++
	case *stats.OutHeader:
		c.header++
	case *stats.OutPayload:
		c.payload++
	case *stats.End:
		c.end++
	}
}

func (c *counts) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("begin %d, header %d, payload %d, end %d", c.begin, c.header, c.payload, c.end)
}

// brokenCredentials fail to make the metadata of a call.
type brokenCredentials struct{ err error }

func (b brokenCredentials) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return nil, b.err
}
func (brokenCredentials) RequireTransportSecurity() bool { return false }

func register(s *grpctest.Service) func(grpc.ServiceRegistrar) {
	return func(r grpc.ServiceRegistrar) { testgrpc.RegisterTestServiceServer(r, s) }
}

// scenario is one way for a call to fail.
type scenario struct {
	name string
	// setup returns where to connect, and what comes before and after the call.
	setup func(tb testing.TB, s *grpctest.Service) (target string, dial []grpc.DialOption)
	call  []grpc.CallOption
	// cut ends the context of the call after this time, when it is not zero; an instant when negative.
	cut time.Duration
	// cancel ends the context once the handler runs.
	cancel bool

	code codes.Code
	// facts are the counts of a unary call.
	facts string
	// reached says that the handler ran.
	reached bool
	// proven says for a call whose client sends one message that nothing was sent; provenStream for the others.
	proven, provenStream bool
}

const retryPolicy = `{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.001s",
	"maxBackoff": "0.001s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

const (
	nothing = "begin 0, header 0, payload 0, end 0"
	unsent  = "begin 1, header 0, payload 0, end 1"
	sent    = "begin 1, header 1, payload 1, end 1"
)

func serving(options ...grpc.DialOption) func(testing.TB, *grpctest.Service) (string, []grpc.DialOption) {
	return func(tb testing.TB, s *grpctest.Service) (string, []grpc.DialOption) {
		tb.Helper()
		return tcptest.Serve(tb, register(s)).Addr, options
	}
}

func refusing(options ...grpc.DialOption) func(testing.TB, *grpctest.Service) (string, []grpc.DialOption) {
	return func(tb testing.TB, _ *grpctest.Service) (string, []grpc.DialOption) {
		tb.Helper()
		return tcptest.Refused(tb), options
	}
}

func scenarios() []scenario {
	return []scenario{{
		name: "connection refused", setup: refusing(),
		code: codes.Unavailable, facts: unsent, proven: true, provenStream: true,
	}, {
		name: "connection refused, three attempts of a retryPolicy", setup: refusing(grpc.WithDefaultServiceConfig(retryPolicy)),
		// Two of the five never end: see Record.begin.
		code: codes.Unavailable, facts: "begin 5, header 0, payload 0, end 3", proven: true, provenStream: true,
	}, {
		// What ends the call is not what ended an attempt, so it is not proven; the safe side.
		name: "deadline between two attempts of a retryPolicy", setup: refusing(grpc.WithDefaultServiceConfig(
			strings.ReplaceAll(retryPolicy, "0.001s", "60s"))), cut: 30 * time.Millisecond,
		code: codes.DeadlineExceeded, facts: unsent,
	}, {
		name: "wait for ready until the deadline", setup: refusing(),
		call: []grpc.CallOption{grpc.WaitForReady(true)}, cut: 30 * time.Millisecond,
		code: codes.DeadlineExceeded, facts: unsent, proven: true, provenStream: true,
	}, {
		name: "context over before the call", setup: serving(), cut: -1,
		code: codes.DeadlineExceeded, facts: nothing,
	}, {
		name: "credentials of the connection fail", setup: serving(grpc.WithPerRPCCredentials(brokenCredentials{errors.New("no token")})),
		code: codes.Unauthenticated, facts: unsent, proven: true, provenStream: true,
	}, {
		name: "credentials of the call fail", setup: serving(),
		call: []grpc.CallOption{grpc.PerRPCCredentials(brokenCredentials{errors.New("no token")})},
		code: codes.Internal, facts: unsent, proven: true, provenStream: true,
	}, {
		name:  "credentials fail with a status",
		setup: serving(grpc.WithPerRPCCredentials(brokenCredentials{status.Error(codes.Unavailable, "no issuer")})),
		code:  codes.Unavailable, facts: unsent, proven: true, provenStream: true,
	}, {
		name: "name does not resolve",
		setup: func(testing.TB, *grpctest.Service) (string, []grpc.DialOption) {
			r := manual.NewBuilderWithScheme("broken")
			r.BuildCallback = func(_ resolver.Target, cc resolver.ClientConn, _ resolver.BuildOptions) {
				cc.ReportError(errors.New("no such host"))
			}
			return "broken:///somewhere", []grpc.DialOption{grpc.WithResolvers(r)}
		},
		code: codes.Unavailable, facts: unsent, proven: true, provenStream: true,
	}, {
		name: "name resolution takes too long",
		setup: func(testing.TB, *grpctest.Service) (string, []grpc.DialOption) {
			return "silent:///somewhere", []grpc.DialOption{grpc.WithResolvers(manual.NewBuilderWithScheme("silent"))}
		},
		cut:  30 * time.Millisecond,
		code: codes.DeadlineExceeded, facts: nothing,
	}, {
		name: "request over the send limit", setup: serving(), call: []grpc.CallOption{grpc.MaxCallSendMsgSize(-1)},
		code: codes.ResourceExhausted, facts: "begin 1, header 1, payload 0, end 1", proven: true,
	}, {
		name: "metadata over the server's limit",
		setup: func(tb testing.TB, s *grpctest.Service) (string, []grpc.DialOption) {
			tb.Helper()
			return tcptest.Serve(tb, register(s), grpc.MaxHeaderListSize(50)).Addr, nil
		},
		code: codes.Internal, facts: unsent, proven: true, provenStream: true,
	}, {
		name:  "metadata that is not valid",
		setup: serving(grpc.WithChainUnaryInterceptor(badMetadata), grpc.WithChainStreamInterceptor(badStreamMetadata)),
		code:  codes.Internal, facts: nothing,
	}, {
		name: "connection closed before the call",
		setup: func(tb testing.TB, s *grpctest.Service) (string, []grpc.DialOption) {
			tb.Helper()
			return tcptest.Serve(tb, register(s)).Addr, []grpc.DialOption{
				grpc.WithChainUnaryInterceptor(closeFirst), grpc.WithChainStreamInterceptor(closeStreamFirst),
			}
		},
		code: codes.Canceled, facts: nothing,
	}, {
		name: "server killed while the handler runs",
		setup: func(tb testing.TB, s *grpctest.Service) (string, []grpc.DialOption) {
			tb.Helper()
			server := tcptest.Serve(tb, register(s))
			s.Handle = func(ctx context.Context) error {
				server.Kill()
				<-ctx.Done()
				return ctx.Err()
			}
			return server.Addr, nil
		},
		code: codes.Unavailable, facts: sent, reached: true,
	}, {
		name: "server killed while the handler runs, then refused under a retryPolicy",
		setup: func(tb testing.TB, s *grpctest.Service) (string, []grpc.DialOption) {
			tb.Helper()
			server := tcptest.Serve(tb, register(s))
			s.Handle = func(ctx context.Context) error {
				server.Kill()
				<-ctx.Done()
				return ctx.Err()
			}
			return server.Addr, []grpc.DialOption{grpc.WithDefaultServiceConfig(retryPolicy)}
		},
		code: codes.Unavailable, facts: "begin 3, header 1, payload 1, end 3", reached: true,
	}, {
		name: "canceled while the handler runs", setup: serving(), cancel: true,
		code: codes.Canceled, facts: sent, reached: true,
	}, {
		name: "answer of the handler",
		setup: func(tb testing.TB, s *grpctest.Service) (string, []grpc.DialOption) {
			tb.Helper()
			s.Handle = func(context.Context) error { return status.Error(codes.Unavailable, "busy") }
			return tcptest.Serve(tb, register(s)).Addr, nil
		},
		code: codes.Unavailable, facts: sent, reached: true,
	}}
}

func badMetadata(
	ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	return invoke(metadata.AppendToOutgoingContext(ctx, "x", "\n"), method, req, reply, cc, opts...)
}

func badStreamMetadata(
	ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption,
) (grpc.ClientStream, error) {
	return streamer(metadata.AppendToOutgoingContext(ctx, "x", "\n"), desc, cc, method, opts...)
}

func closeFirst(
	ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	_ = cc.Close()
	return invoke(ctx, method, req, reply, cc, opts...)
}

func closeStreamFirst(
	ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption,
) (grpc.ClientStream, error) {
	_ = cc.Close()
	return streamer(ctx, desc, cc, method, opts...)
}

// TestProof holds grpc to the facts that the proof is built on, on real connections.
func TestProof(t *testing.T) {
	t.Parallel()
	for _, test := range scenarios() {
		for _, kind := range grpctest.Kinds() {
			t.Run(test.name+"/"+string(kind), func(t *testing.T) {
				t.Parallel()
				service, seen := &grpctest.Service{}, &counts{}
				target, dial := test.setup(t, service)
				conn := tcptest.Dial(t, target, append(dial, neversent.DialOption(), grpc.WithStatsHandler(seen))...)
				if strings.HasPrefix(test.name, "metadata over") {
					awaitSettings(t, conn)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.cancel {
					service.Handle = func(ctx context.Context) error {
						cancel()
						<-ctx.Done()
						return ctx.Err()
					}
				}
				if test.cut != 0 {
					ctx, cancel = context.WithTimeout(ctx, test.cut)
					defer cancel()
				}
				before := service.Calls.Load()
				seen.reset()
				ctx, record := neversent.Watch(ctx, methods[kind])
				err := grpctest.Call(ctx, conn, kind, test.call...).Err
				if got := status.Code(err); got != test.code {
					t.Errorf("code %v, want %v (%v)", got, test.code, err)
				}
				want := test.proven
				if kind == grpctest.ClientStream || kind == grpctest.Bidi {
					want = test.provenStream
				}
				if got := record.Proves(err); got != want {
					t.Errorf("proven %v, want %v (%s, %v)", got, want, seen, err)
				}
				if got := seen.String(); kind == grpctest.Unary && got != test.facts {
					t.Errorf("grpc told: %s; want: %s", got, test.facts)
				}
				if got := service.Calls.Load() > before; got != test.reached {
					t.Errorf("handler reached: %v, want %v", got, test.reached)
				}
				if record.Proves(nil) || record.Proves(errors.New("another error")) {
					t.Error("something is proven of an error that is not the one of the call")
				}
			})
		}
	}
}

func (c *counts) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begin, c.header, c.payload, c.end = 0, 0, 0, 0
}

// awaitSettings calls until the limits of the server have arrived, which it announces when the connection is made.
func awaitSettings(t *testing.T, conn *grpc.ClientConn) {
	t.Helper()
	for t.Context().Err() == nil {
		if status.Code(grpctest.Call(t.Context(), conn, grpctest.Unary).Err) == codes.Internal {
			return
		}
	}
}
