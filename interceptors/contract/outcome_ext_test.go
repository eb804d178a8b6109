package contract_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/interceptors/neversent"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/internal/tcptest"
)

// TestLostAnswer kills the server while a handler runs.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	eachCall(t, func(t *testing.T, f flavor, kind grpctest.Kind) {
		t.Helper()
		for _, ledger := range []bool{false, true} {
			s, addr := killed(t)
			var options []contract.ClientOption
			if ledger {
				options = append(options, contract.WithLedger(), nil)
			}
			err := call(t.Context(), client(tcptest.Dial(t, addr, neversent.DialOption()), options...), f, kind).err
			if s.calls.Load() != 1 {
				t.Errorf("%d calls", s.calls.Load())
			}
			if f != effect {
				if status.Code(err) != codes.Unavailable || errs.CodeOf(err) != "" {
					t.Errorf("got %v, want it as it came", err)
				}
				continue
			}
			lost := wantLost(t, err, codes.Unavailable)
			if lost.OperationKey != key || errs.InfoOf(err).OperationKey != key {
				t.Errorf("key %q, info %+v", lost.OperationKey, errs.InfoOf(err))
			}
			if lost.Keyed != ledger || errs.Retryable(err) != ledger {
				t.Errorf("ledger %v: keyed %v, retryable %v", ledger, lost.Keyed, errs.Retryable(err))
			}
		}
	})
}

// TestNoEffect says of one call what the contract does not say of its method.
func TestNoEffect(t *testing.T) {
	t.Parallel()
	for _, kind := range grpctest.Kinds() {
		_, addr := killed(t)
		err := call(t.Context(), client(tcptest.Dial(t, addr, rulesInside()...)), effect, kind, contract.NoEffect()).err
		if status.Code(err) != codes.Unavailable || errs.CodeOf(err) != "" {
			t.Errorf("%s: got %v, want it as it came", kind, err)
		}
	}
}

// TestNeverSent keeps the error that was received, and marks it, where it is proven that nothing was sent.
func TestNeverSent(t *testing.T) {
	t.Parallel()
	eachCall(t, func(t *testing.T, f flavor, kind grpctest.Kind) {
		t.Helper()
		for name, dial := range map[string][]grpc.DialOption{
			"proving": {neversent.DialOption()}, "proving, with rules inside": rulesInside(),
		} {
			err := call(t.Context(), client(tcptest.Dial(t, tcptest.Refused(t), dial...)), f, kind).err
			if status.Code(err) != codes.Unavailable || errs.CodeOf(err) != "" {
				t.Errorf("%s: got %v, want it as it came", name, err)
			}
			if got := contract.NeverSent(err); got != (f == effect) {
				t.Errorf("%s: never sent: %v", name, got)
			}
		}
		plain := tcptest.Dial(t, tcptest.Refused(t))
		err := call(t.Context(), client(plain), f, kind).err
		proven := f == effect && kind == grpctest.Unary
		if contract.NeverSent(err) != proven || errs.IsInferred(err) != (f == effect && !proven) {
			t.Errorf("over a connection with no option of ours: %v", err)
		}
		err = call(t.Context(), client(struct{ grpc.ClientConnInterface }{plain}), f, kind).err
		if contract.NeverSent(err) || errs.IsInferred(err) != (f == effect) {
			t.Errorf("over a connection that proves nothing: %v", err)
		}
	})
}

// TestRetryPolicy has a policy of the service config, which repeats what is UNAVAILABLE: a lost call of a method with an
// effect is not, whether the server's answer or the connection was lost, and nothing is taken for never sent.
func TestRetryPolicy(t *testing.T) {
	t.Parallel()
	policy := grpc.WithDefaultServiceConfig(`{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 4,
		"initialBackoff": "0.001s", "maxBackoff": "0.001s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`)
	eachCall(t, func(t *testing.T, f flavor, kind grpctest.Kind) {
		t.Helper()
		unavailable := answering(status.Error(codes.Unavailable, "upstream connect error"))
		cutting := &service{}
		server := tcptest.Serve(t, cutting.register)
		cutting.handle = func(context.Context) error { server.Cut(); return nil }
		for name, test := range map[string]struct {
			service *service
			conn    *grpc.ClientConn
		}{
			"answered": {unavailable, serve(t, unavailable, nil, policy)},
			"cut":      {cutting, tcptest.Dial(t, server.Addr, policy)},
		} {
			for _, option := range [][]contract.ClientOption{nil, {contract.WithLedger()}} {
				test.service.calls.Store(0)
				err := call(t.Context(), client(test.conn, option...), f, kind).err
				keyed := option != nil && kind == grpctest.Unary // then it may be sent again
				if got := test.service.calls.Load(); f == effect && !keyed && (got != 1 || !errs.IsInferred(err)) {
					t.Errorf("%s: sent %d times, %v", name, got, err)
				}
				if contract.NeverSent(err) {
					t.Errorf("%s: taken for never sent: %v", name, err)
				}
			}
		}
	})
}

// TestTooLargeToSend is refused by grpc, when the request of a client stream may be one of several.
func TestTooLargeToSend(t *testing.T) {
	t.Parallel()
	s := &service{}
	conn := client(serve(t, s, serverOptions(t), neversent.DialOption()))
	for _, kind := range grpctest.Kinds() {
		err := call(t.Context(), conn, effect, kind, grpc.MaxCallSendMsgSize(1)).err
		streams := kind == grpctest.ClientStream || kind == grpctest.Bidi
		if contract.NeverSent(err) == streams || errs.IsInferred(err) != streams {
			t.Errorf("%s: got %v", kind, err)
		}
		if streams {
			wantLost(t, err, codes.ResourceExhausted)
		}
	}
}

// TestRefused sends nothing of a call that is over before it begins.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := &service{}
	open := serve(t, s, nil)
	closed := serve(t, s, nil)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancelLate := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancelLate()
	for name, test := range map[string]struct {
		ctx  context.Context //nolint:containedctx // a table of contexts
		conn *grpc.ClientConn
		code errs.Code
		is   error
	}{
		"canceled": {over, open, errs.CodeCanceled, context.Canceled},
		"late":     {late, open, errs.CodeDeadlineExceeded, context.DeadlineExceeded},
		"closed":   {t.Context(), closed, errs.CodeCanceled, nil},
	} {
		for f := range contracts {
			for _, kind := range grpctest.Kinds() {
				err := call(test.ctx, client(test.conn), f, kind).err
				if errs.CodeOf(err) != test.code || !contract.NeverSent(err) || test.is != nil && !errors.Is(err, test.is) {
					t.Errorf("%s: %s %s: got %v", name, f, kind, err)
				}
			}
		}
	}
	if s.calls.Load() != 0 {
		t.Errorf("%d calls reached the service", s.calls.Load())
	}
}

// TestCanceledDuring leaves open what became of a call with an effect.
func TestCanceledDuring(t *testing.T) {
	t.Parallel()
	eachCall(t, func(t *testing.T, f flavor, kind grpctest.Kind) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		conn := client(serve(t, &service{handle: func(ctx context.Context) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}}, nil, neversent.DialOption()))
		err := call(ctx, conn, f, kind).err
		if f == effect {
			wantLost(t, err, codes.Canceled)
		} else if status.Code(err) != codes.Canceled {
			t.Errorf("got %v", err)
		}
	})
}
