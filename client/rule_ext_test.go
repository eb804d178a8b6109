package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/internal/tcptest"
)

const key = "order-17:cancel"

// call makes one call without caring for its result.
func call(ctx context.Context, c *client.Client, options ...client.CallOption) error {
	_, err := c.CallJSON(ctx, "cancel_order", nil, append([]client.CallOption{client.WithOperationKey(key)}, options...)...)
	return err
}

// wantUnknown wants an unknown outcome that this client inferred, with the received status behind it.
func wantUnknown(t *testing.T, err error, received codes.Code) {
	t.Helper()
	lost, ok := errors.AsType[*errs.OutcomeUnknownError](err)
	if !ok || !lost.Inferred {
		t.Fatalf("got %T %v, want an inferred OutcomeUnknownError", err, err)
	}
	info := errs.InfoOf(err)
	if lost.Tool != "cancel_order" || lost.OperationKey != key || info.OperationKey != key || info.Tool != "cancel_order" {
		t.Errorf("tool %q, key %q, info %+v", lost.Tool, lost.OperationKey, info)
	}
	if got := status.Code(err); got != codes.Unknown {
		t.Errorf("status %v, want that of the catalog, %v", got, codes.Unknown)
	}
	if got := status.Code(errors.Unwrap(lost)); got != received {
		t.Errorf("behind it is %v, want %v (%v)", got, received, errors.Unwrap(lost))
	}
	if errs.EffectOf(err) != errs.EffectUnknown || errs.Retryable(err) {
		t.Errorf("effect %v, retryable %v", errs.EffectOf(err), errs.Retryable(err))
	}
}

func TestKilledServer(t *testing.T) {
	t.Parallel()
	s, addr := killed(t)
	wantUnknown(t, call(t.Context(), dial(t, addr)), codes.Unavailable)
	if calls := s.calls.Load(); calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

func TestKilledServerOverAStrangersConnection(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]grpc.DialOption{"bare": nil, "decoding": interceptors.DialOptions()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, addr := killed(t)
			wantUnknown(t, call(t.Context(), newClient(t, tcptest.Dial(t, addr, options...))), codes.Unavailable)
		})
	}
}

func TestAnswerOverTheReceiveLimit(t *testing.T) {
	t.Parallel()
	s := &service{call: func(context.Context, *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
		return output(`"` + strings.Repeat("a", 4<<20) + `"`), nil
	}}
	wantUnknown(t, call(t.Context(), dial(t, serveTCP(t, s).Addr)), codes.ResourceExhausted)
	if calls := s.calls.Load(); calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
}

// deadline is a context whose deadline comes when the test says so.
type deadline struct {
	context.Context //nolint:containedctx // it is one

	done chan struct{}
}

func (d *deadline) Done() <-chan struct{} { return d.done }

func (d *deadline) Err() error {
	select {
	case <-d.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestDeadlineAndCancel(t *testing.T) {
	t.Parallel()
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		ctx := &deadline{Context: t.Context(), done: make(chan struct{})}
		s := &service{call: func(handler context.Context, _ *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
			close(ctx.done)
			<-handler.Done()
			return nil, handler.Err()
		}}
		wantUnknown(t, call(ctx, dial(t, serveTCP(t, s).Addr)), codes.DeadlineExceeded)
	})
	t.Run("cancel", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := &service{call: func(ctx context.Context, _ *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		wantUnknown(t, call(ctx, dial(t, serveTCP(t, s).Addr)), codes.Canceled)
	})
}

// TestNeverSent keeps the error that was received where it is proven that nothing was sent.
func TestNeverSent(t *testing.T) {
	t.Parallel()
	served := &service{call: func(context.Context, *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
		return output("{}"), nil
	}}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancelLate := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancelLate()
	closed := dial(t, serveTCP(t, served).Addr)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	addr := serveTCP(t, served).Addr
	tests := []struct {
		name    string
		ctx     context.Context //nolint:containedctx // a table of contexts
		client  *client.Client
		options []grpc.CallOption
		code    codes.Code
		is      error
	}{
		{"connection refused", t.Context(), dial(t, tcptest.Refused(t)), nil, codes.Unavailable, nil},
		{"request over the send limit", t.Context(), dial(t, addr), []grpc.CallOption{grpc.MaxCallSendMsgSize(1)}, codes.ResourceExhausted, nil},
		{"canceled before", over, dial(t, addr), nil, codes.Canceled, context.Canceled},
		{"deadline before", late, dial(t, addr), nil, codes.DeadlineExceeded, context.DeadlineExceeded},
		{"client closed before", t.Context(), closed, nil, codes.Canceled, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := call(test.ctx, test.client, client.WithGRPC(test.options...))
			if status.Code(err) != test.code || errs.CodeOf(err) == errs.CodeOutcomeUnknown {
				t.Errorf("got %v, want the error as it came, %v", err, test.code)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v does not match %v", err, test.is)
			}
			if errs.CodeOf(err) != "" && errs.InfoOf(err).OperationKey != key {
				t.Errorf("info %+v has no key", errs.InfoOf(err))
			}
			if calls := served.calls.Load(); calls != 0 {
				t.Errorf("%d calls reached the service", calls)
			}
		})
	}
}

// TestAnswers goes through what a service may say: what is known stays as it came.
func TestAnswers(t *testing.T) {
	t.Parallel()
	shipped := &errs.ToolError{Code: "order_already_shipped", Message: "Shipped orders cannot be cancelled."}
	of := func(code errs.Code) error { return &errs.ServiceError{Code: code} }
	none := errs.Info{Effect: errs.EffectNone}
	late := &errs.OperationTimeoutError{Operation: "cancel_order", Timeout: time.Second}
	tests := []struct {
		name    string
		err     error
		code    errs.Code // empty for a status that is not ours
		status  codes.Code
		unknown bool
	}{
		{"typed, effect none", errs.WithInfo(shipped, none), "order_already_shipped", codes.FailedPrecondition, false},
		{"typed, nothing said of an effect", shipped, "order_already_shipped", codes.FailedPrecondition, false},
		{"typed, UNAVAILABLE", of(errs.CodeOverloaded), errs.CodeOverloaded, codes.Unavailable, false},
		{"typed, effect applied", of(errs.CodeOperationExpired), errs.CodeOperationExpired, codes.FailedPrecondition, false},
		{"operation timeout", late, errs.CodeOperationTimeout, codes.DeadlineExceeded, false},
		{"internal", of(errs.CodeInternal), errs.CodeInternal, codes.Internal, true},
		{"internal, effect none", errs.WithInfo(of(errs.CodeInternal), none), errs.CodeInternal, codes.Internal, false},
		{"canceled", of(errs.CodeCanceled), errs.CodeCanceled, codes.Canceled, true},
		{"deadline exceeded", of(errs.CodeDeadlineExceeded), errs.CodeDeadlineExceeded, codes.DeadlineExceeded, true},
		{"foreign INVALID_ARGUMENT", status.Error(codes.InvalidArgument, "no"), "", codes.InvalidArgument, false},
		{"foreign UNIMPLEMENTED", status.Error(codes.Unimplemented, "no"), "", codes.Unimplemented, false},
		{"foreign ABORTED", status.Error(codes.Aborted, "no"), "", codes.Aborted, false},
		{"foreign CANCELLED", status.Error(codes.Canceled, "no"), "", codes.Canceled, true},
		{"foreign UNKNOWN", status.Error(codes.Unknown, "no"), "", codes.Unknown, true},
		{"foreign DEADLINE_EXCEEDED", status.Error(codes.DeadlineExceeded, "no"), "", codes.DeadlineExceeded, true},
		{"foreign RESOURCE_EXHAUSTED", status.Error(codes.ResourceExhausted, "no"), "", codes.ResourceExhausted, true},
		{"foreign INTERNAL", status.Error(codes.Internal, "no"), "", codes.Internal, true},
		{"foreign UNAVAILABLE", status.Error(codes.Unavailable, "no"), "", codes.Unavailable, true},
		{"foreign DATA_LOSS", status.Error(codes.DataLoss, "no"), "", codes.DataLoss, true},
		{"foreign 17", status.Error(17, "no"), "", 17, true},
		{"foreign 99", status.Error(99, "no"), "", 99, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := answering(test.err)
			server := grpctest.ServeAny
			options := serverOptions(t)
			if test.code == "" {
				options = nil // a service, or a proxy before it, that does not speak Remedy
			}
			for name, c := range map[string]*client.Client{
				"New":           newClient(t, server(t, s.register, options, nil)),
				"New, decoding": newClient(t, server(t, s.register, options, interceptors.DialOptions())),
				"DialOptions":   newClient(t, server(t, s.register, options, client.DialOptions())),
				"Dial":          dial(t, tcptest.Serve(t, s.register, options...).Addr),
			} {
				err := call(t.Context(), c)
				if test.unknown {
					wantUnknown(t, err, test.status)
					if test.code != "" && !errors.Is(errors.Unwrap(err), test.code) {
						t.Errorf("%s: %v is not behind %v", name, test.code, err)
					}
					continue
				}
				if status.Code(err) != test.status || errs.CodeOf(err) != test.code {
					t.Errorf("%s: got %v %q, want %v %q", name, status.Code(err), errs.CodeOf(err), test.status, test.code)
				}
				if test.code != "" && (errs.InfoOf(err).OperationKey != key || errs.InfoOf(err).Tool != "cancel_order") {
					t.Errorf("%s: info %+v", name, errs.InfoOf(err))
				}
			}
		})
	}
}

// TestReportedUnknown leaves what the service says of an outcome alone.
func TestReportedUnknown(t *testing.T) {
	t.Parallel()
	reported := &errs.OutcomeUnknownError{Tool: "cancel_order", OperationKey: key, OperationID: "op-1", Reason: "timeout"}
	err := call(t.Context(), serve(t, answering(reported), client.WithLedger()))
	if errs.IsInferred(err) || !errors.Is(err, errs.CodeOutcomeUnknown) || !errs.Equal(err, reported) {
		t.Errorf("got %v", err)
	}
	if errs.Retryable(err) || errs.InfoOf(err).OperationID != "op-1" {
		t.Errorf("retryable %v, info %+v", errs.Retryable(err), errs.InfoOf(err))
	}
}

// TestOuterRetry chains the usual retry interceptor around a lost answer, in each place where a user can: the service is
// called once.
func TestOuterRetry(t *testing.T) {
	t.Parallel()
	places := map[string]func(tb testing.TB, addr string) func(context.Context) error{
		"interceptor of Dial": func(tb testing.TB, addr string) func(context.Context) error {
			tb.Helper()
			c := dial(tb, addr, client.WithDialOptions(grpc.WithChainUnaryInterceptor(retrying)))
			return func(ctx context.Context) error { return call(ctx, c) }
		},
		"interceptor before DialOptions": func(tb testing.TB, addr string) func(context.Context) error {
			tb.Helper()
			options := append([]grpc.DialOption{grpc.WithChainUnaryInterceptor(retrying)}, client.DialOptions()...)
			c := newClient(tb, tcptest.Dial(tb, addr, options...))
			return func(ctx context.Context) error { return call(ctx, c) }
		},
		"around the connection": func(tb testing.TB, addr string) func(context.Context) error {
			tb.Helper()
			c := newClient(tb, retryingConn{tcptest.Dial(tb, addr, client.DialOptions()...)})
			return func(ctx context.Context) error { return call(ctx, c) }
		},
		"around Call": func(tb testing.TB, addr string) func(context.Context) error {
			tb.Helper()
			c := dial(tb, addr)
			invoke := func(ctx context.Context, _ string, _, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
				return call(ctx, c)
			}
			return func(ctx context.Context) error { return retrying(ctx, "", nil, nil, nil, invoke) }
		},
		"grpc's own client over DialOptions": func(tb testing.TB, addr string) func(context.Context) error {
			tb.Helper()
			c := servicev1.NewToolServiceClient(retryingConn{tcptest.Dial(tb, addr, client.DialOptions()...)})
			return func(ctx context.Context) error {
				_, err := c.CallTool(ctx, &servicev1.CallToolRequest{Tool: "cancel_order", OperationKey: key})
				return err
			}
		},
	}
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answering(status.Error(codes.Unavailable, "upstream connect error"))
			bare := tcptest.Serve(t, s.register).Addr // what a proxy answers when it lost the service
			wantUnknown(t, place(t, bare)(t.Context()), codes.Unavailable)
			if calls := s.calls.Load(); calls != 1 {
				t.Errorf("an answer was lost, and the call was sent %d times", calls)
			}
			s, addr := killed(t)
			wantUnknown(t, place(t, addr)(t.Context()), codes.Unavailable)
			if calls := s.calls.Load(); calls != 1 {
				t.Errorf("the server died, and the call was sent %d times", calls)
			}
		})
	}
}

// TestDialLeavesRetriesToWithRetry although a service config asks for them.
func TestDialLeavesRetriesToWithRetry(t *testing.T) {
	t.Parallel()
	s := answering(status.Error(codes.Unavailable, "gone"))
	c := dial(t, tcptest.Serve(t, s.register).Addr, client.WithDialOptions(grpc.WithDefaultServiceConfig(fmt.Sprintf(policy, ""))))
	wantUnknown(t, call(t.Context(), c), codes.Unavailable)
	if calls := s.calls.Load(); calls != 1 {
		t.Errorf("sent %d times", calls)
	}
}

// TestOuterRetryOfARefusal may go on: nothing was sent.
func TestOuterRetryOfARefusal(t *testing.T) {
	t.Parallel()
	tried := 0
	c := dial(t, tcptest.Refused(t), client.WithDialOptions(grpc.WithChainUnaryInterceptor(retrying, counting(&tried))))
	if err := call(t.Context(), c); status.Code(err) != codes.Unavailable {
		t.Errorf("got %v", err)
	}
	if tried != 4 {
		t.Errorf("tried %d times, want 4", tried)
	}
}

// TestReadOnly receives what was sent, and sends no key.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	s := answering(status.Error(codes.Unavailable, "gone"))
	sent := make(chan string, 1)
	answer := s.call
	s.call = func(ctx context.Context, request *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
		sent <- request.GetOperationKey()
		return answer(ctx, request)
	}
	result, err := serve(t, s).CallJSON(t.Context(), "get_order", nil, client.WithReadOnly())
	if status.Code(err) != codes.Unavailable || errs.CodeOf(err) != "" {
		t.Errorf("got %v, want what was received", err)
	}
	if got := <-sent; got != "" || result.OperationKey != "" {
		t.Errorf("sent the key %q, returned %q", got, result.OperationKey)
	}
}

// TestLedger makes a lost answer one that may be sent again under the same key.
func TestLedger(t *testing.T) {
	t.Parallel()
	_, addr := killed(t)
	err := call(t.Context(), dial(t, addr, client.WithLedger()))
	lost, ok := errors.AsType[*errs.OutcomeUnknownError](err)
	if !ok || !lost.Inferred || !lost.Keyed || !errs.Retryable(err) || status.Code(err) != codes.Unknown {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), "retry with the same operation key only") {
		t.Errorf("message %q", err)
	}
}

// TestInterceptorThatCopies the request keeps what is known of the call.
func TestInterceptorThatCopies(t *testing.T) {
	t.Parallel()
	copying := func(
		ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
	) error {
		return invoke(ctx, method, proto.Clone(req.(proto.Message)), reply, cc, options...)
	}
	s := answering(status.Error(codes.Unavailable, "gone"))
	c := dial(t, tcptest.Serve(t, s.register).Addr, client.WithLedger(), client.WithDialOptions(grpc.WithChainUnaryInterceptor(copying)))
	if err := call(t.Context(), c, client.WithReadOnly()); status.Code(err) != codes.Unavailable || errs.CodeOf(err) != "" {
		t.Errorf("a read: got %v", err)
	}
	if err := call(t.Context(), c); !errs.IsInferred(err) || !errs.Retryable(err) {
		t.Errorf("with a ledger: got %v", err)
	}
}

// TestOperationIDOfALostAnswer comes with the headers that a service sends at the crossing.
func TestOperationIDOfALostAnswer(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"New", "Dial"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := &service{}
			server := serveTCP(t, s)
			s.call = func(ctx context.Context, _ *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
				if err := grpc.SendHeader(ctx, metadata.Pairs("remedy-operation-id", "op-17")); err != nil {
					return nil, err
				}
				<-ctx.Done()
				return nil, ctx.Err()
			}
			options := []grpc.DialOption{grpc.WithStatsHandler(headerSignal(cancel))}
			c := dial(t, server.Addr, client.WithDialOptions(options...))
			if place == "New" {
				c = newClient(t, tcptest.Dial(t, server.Addr, options...))
			}
			err := call(ctx, c)
			wantUnknown(t, err, codes.Canceled)
			lost, _ := errors.AsType[*errs.OutcomeUnknownError](err)
			if lost.OperationID != "op-17" || errs.InfoOf(err).OperationID != "op-17" {
				t.Errorf("operation id %q, info %+v", lost.OperationID, errs.InfoOf(err))
			}
		})
	}
}

// headerSignal is called when the headers of an answer arrive.
type headerSignal func()

func (headerSignal) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

func (headerSignal) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (headerSignal) HandleConn(context.Context, stats.ConnStats)                       {}
func (s headerSignal) HandleRPC(_ context.Context, event stats.RPCStats) {
	if _, ok := event.(*stats.InHeader); ok {
		s()
	}
}

// TestRelay marks what it receives, so that a server does not answer for the one behind it.
func TestRelay(t *testing.T) {
	t.Parallel()
	upstream := answering(status.Error(codes.InvalidArgument, "your field is bad"))
	for name, dial := range map[string][]grpc.DialOption{
		"bare": nil, "decoding": interceptors.DialOptions(), "dial options": client.DialOptions(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			behind := newClient(t, grpctest.ServeAny(t, upstream.register, nil, dial))
			front := &service{call: func(ctx context.Context, _ *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
				return nil, call(ctx, behind)
			}}
			err := call(t.Context(), serve(t, front))
			if strings.Contains(fmt.Sprint(err, errors.Unwrap(err)), "your field") || status.Code(err) == codes.InvalidArgument {
				t.Errorf("the caller is blamed for what the server behind said: %v", err)
			}
		})
	}
}

func TestInsecureIsAsked(t *testing.T) {
	t.Parallel()
	s := answering(nil)
	c, err := client.Dial(tcptest.Serve(t, s.register).Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := call(t.Context(), c); status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "handshake") {
		t.Errorf("got %v, want a failed TLS handshake", err)
	}
}
