package contract_test

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/interceptors/neversent"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/internal/tcptest"
)

// rulesInside are the options of a connection that holds its calls to contracts itself.
func rulesInside(options ...contract.ClientOption) []grpc.DialOption {
	return []grpc.DialOption{
		neversent.DialOption(),
		grpc.WithChainUnaryInterceptor(contract.UnaryClientInterceptor(options...)),
		grpc.WithChainStreamInterceptor(contract.StreamClientInterceptor(options...)),
	}
}

// retrying are interceptors that make a call again on UNAVAILABLE, as many do: four times in all. A stream is made again
// where it did not start.
func retrying() []grpc.DialOption {
	again := func(once func() error) (err error) {
		for range 4 {
			if err = once(); status.Code(err) != codes.Unavailable {
				return err
			}
		}
		return err
	}
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(func(
			ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
		) error {
			return again(func() error { return invoke(ctx, method, req, reply, cc, options...) })
		}),
		grpc.WithChainStreamInterceptor(func(
			ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, options ...grpc.CallOption,
		) (stream grpc.ClientStream, err error) {
			err = again(func() (err error) { stream, err = streamer(ctx, desc, cc, method, options...); return err })
			return stream, err
		}),
	}
}

// TestOuterRetry sends no lost call again, with a client of contracts around the retries and without one.
func TestOuterRetry(t *testing.T) {
	t.Parallel()
	lost := status.Error(codes.Unavailable, "upstream connect error")
	for name, around := range map[string]bool{"alone": false, "in a client": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachCall(t, func(t *testing.T, f flavor, kind grpctest.Kind) {
				t.Helper()
				s := answering(lost)
				direct := serve(t, s, nil, append(retrying(), rulesInside()...)...)
				conn := grpc.ClientConnInterface(direct)
				if around {
					conn = client(direct, contract.WithLedger())
				}
				err := call(t.Context(), conn, f, kind).err
				if f == effect {
					if got := wantLost(t, err, codes.Unavailable); got.Keyed != around || got.OperationKey != key {
						t.Errorf("keyed %v, key %q: the rules inside do not know what those around do", got.Keyed, got.OperationKey)
					}
				}
				want := int64(1)
				if f != effect && kind == grpctest.Unary {
					want = 4
				}
				if got := s.calls.Load(); got != want {
					t.Errorf("sent %d times, want %d", got, want)
				}
			})
		})
	}
}

// TestProofOfAllAttempts is that of the call, not that of its last attempt.
func TestProofOfAllAttempts(t *testing.T) {
	t.Parallel()
	refused := tcptest.Dial(t, tcptest.Refused(t), neversent.DialOption())
	busy := serve(t, answering(&errs.ServiceError{Code: errs.CodeOverloaded}), serverOptions(t), neversent.DialOption())
	err := call(t.Context(), client(failover{busy, refused}), effect, grpctest.Unary).err
	if contract.NeverSent(err) {
		t.Errorf("the first attempt was sent: %v", err)
	}
	err = call(t.Context(), client(failover{client(busy), client(refused)}), effect, grpctest.Unary).err
	if contract.NeverSent(err) {
		t.Errorf("the first attempt was sent: %v", err)
	}
	err = call(t.Context(), client(failover{refused, refused}), effect, grpctest.Unary).err
	if !contract.NeverSent(err) {
		t.Errorf("nothing was sent: %v", err)
	}
}

// failover makes a call over the first connection, then over the second, and forgets the options.
type failover struct{ first, second grpc.ClientConnInterface }

func (f failover) Invoke(ctx context.Context, method string, request, reply any, _ ...grpc.CallOption) error {
	if err := f.first.Invoke(ctx, method, request, reply); err == nil {
		return nil
	}
	return f.second.Invoke(ctx, method, request, reply)
}

func (f failover) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	return f.first.NewStream(ctx, desc, method)
}

// TestInterceptorsAlone do what a client does, but for the mark.
func TestInterceptorsAlone(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	eachCall(t, func(t *testing.T, f flavor, kind grpctest.Kind) {
		t.Helper()
		var h hook
		orders()
		conn := serve(t, answering(slotLost.New()), serverOptions(t), rulesInside(contract.WithUndeclared(h.tell))...)
		if err := call(t.Context(), conn, f, kind).err; errs.CodeOf(err) != slotLost.Code() {
			t.Errorf("got %v", err)
		}
		if told := h.take(); (len(told) == 1) != (f != bare) {
			t.Errorf("told of %v", told)
		}
		if err := call(over, conn, f, kind).err; errs.CodeOf(err) != errs.CodeCanceled || contract.NeverSent(err) {
			t.Errorf("of a context that has ended: %v", err)
		}
		err := call(t.Context(), tcptest.Dial(t, tcptest.Refused(t), rulesInside()...), f, kind).err
		if status.Code(err) != codes.Unavailable || errs.CodeOf(err) != "" {
			t.Errorf("refused: got %v, want it as it came", err)
		}
	})
}

// TestStranger calls a service that no descriptor is linked in of.
func TestStranger(t *testing.T) {
	t.Parallel()
	conn := grpctest.Serve(t, &grpctest.Service{Handle: func(context.Context) error { return slotLost.New() }}, serverOptions(t),
		rulesInside())
	for _, kind := range grpctest.Kinds() {
		if err := grpctest.Call(t.Context(), conn, kind).Err; errs.CodeOf(err) != slotLost.Code() {
			t.Errorf("%s: got %v", kind, err)
		}
	}
	err := conn.Invoke(t.Context(), "/unheard.Of/Method", nil, nil)
	if err == nil {
		t.Error("it was answered")
	}
}
