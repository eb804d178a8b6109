package contract_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

const secret = "dsn=postgres://u:hunter2@h"

// checking are the interceptors alone.
func checking(options ...contract.ServerOption) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(contract.UnaryServerInterceptor(options...)),
		grpc.ChainStreamInterceptor(contract.StreamServerInterceptor(options...)),
	}
}

// ending is something that a handler may do.
type ending struct {
	name       string
	handle     func(context.Context) error
	undeclared flavors
}

// flavors says for which methods an error is undeclared.
type flavors int

const (
	never flavors = iota
	always
	readOnly // only where the contract says nothing of an effect
)

func (of flavors) include(f flavor) bool {
	return f != bare && (of == always || of == readOnly && f == read)
}

func endings(tb testing.TB) []ending {
	tb.Helper()
	received := func(err error) error {
		return errs.Received(errs.ToStatus(err).Err(), errs.RelayDefault, errs.RelayDefault)
	}
	return []ending{
		{"ok", returning(nil), never},
		{"declared", returning(shopv1.NewSlotStale(nil)), never},
		{"declared, wrapped", returning(fmt.Errorf("x: %w", shopv1.NewSlotStale(nil))), never},
		{"declared, of another server", returning(received(shopv1.NewSlotStale(nil))), never},
		{"same code, another package", returning(shopv1.NewShelfStale(nil)), always},
		{"undeclared", returning(slotLost.New()), always},
		{"undeclared, of another server", returning(received(slotLost.New())), always},
		{"undeclared, because of the end of the context", returning(slotLost.New(errs.Cause(context.Canceled))), always},
		{"declared before undeclared", returning(errors.Join(shopv1.NewSlotStale(nil), slotLost.New())), never},
		{"undeclared that was applied after declared", returning(errors.Join(shopv1.NewSlotStale(nil), shopv1.NewChargedTwice(nil))), always},
		{"catalog, listed", returning(&errs.ValidationError{}), never},
		{"catalog, not listed", returning(&errs.AuthorizationError{}), always},
		{"catalog, internal", returning(&errs.ServiceError{Code: errs.CodeInternal, Cause: errors.New(secret)}), always},
		{"unknown outcome", returning(&errs.OutcomeUnknownError{}), readOnly},
		{"plain", returning(errors.New(secret)), always},
		{"foreign", returning(status.Error(codes.NotFound, secret)), always},
		{"foreign, masked", returning(status.Error(codes.Internal, secret)), always},
		{"typed nil", returning((*errs.ToolError)(nil)), always},
		{"a code", returning(errs.CodeInvalidInput), always},
		{"nil pointer of a foreign type", returning((*os.PathError)(nil)), always},
		{"panic", func(context.Context) error { panic(secret) }, always},
		{"canceled", returning(context.Canceled), never},
		{"late, wrapped", returning(fmt.Errorf("x: %w", context.DeadlineExceeded)), never},
		{"late, as a status", returning(status.FromContextError(context.DeadlineExceeded).Err()), never},
		{"late, typed", returning(&errs.ServiceError{Code: errs.CodeDeadlineExceeded}), never},
	}
}

// TestHandlers goes through what a handler can do, with the interceptors alone and in their place in the order. The error
// that is sent is the same with and without them.
func TestHandlers(t *testing.T) {
	t.Parallel()
	for _, end := range endings(t) {
		t.Run(end.name, func(t *testing.T) {
			t.Parallel()
			eachCall(t, func(t *testing.T, f flavor, kind grpctest.Kind) {
				t.Helper()
				var h hook
				s := &service{handle: end.handle}
				report := contract.WithReport(h.tell)
				want := call(t.Context(), serve(t, s, serverOptions(t)), f, kind)
				for name, options := range map[string][]grpc.ServerOption{
					"in the order": serverOptions(t, interceptors.WithContract(), interceptors.WithContract(report, nil)),
					"alone":        append(serverOptions(t), checking(report)...),
				} {
					got := call(t.Context(), serve(t, s, options), f, kind)
					if fmt.Sprint(got.messages, got.eof, status.Code(got.err), errs.CodeOf(got.err)) !=
						fmt.Sprint(want.messages, want.eof, status.Code(want.err), errs.CodeOf(want.err)) {
						t.Errorf("%s: got %+v, want %+v", name, got, want)
					}
					told := h.take()
					if (len(told) == 1) != end.undeclared.include(f) || len(told) > 1 {
						t.Errorf("%s: told of %v", name, told)
					}
					for _, u := range told {
						if u.Method != methodOf(f, kind) || strings.Contains(u.String(), "hunter2") {
							t.Errorf("%s: told of %v", name, u)
						}
					}
				}
			})
		})
	}
}

// TestErrorIsTheHandlers, the very one.
func TestErrorIsTheHandlers(t *testing.T) {
	t.Parallel()
	for _, want := range []error{nil, slotLost.New(), errors.New(secret)} {
		handler := func(context.Context, any) (any, error) { return "answer", want }
		unary := contract.UnaryServerInterceptor(contract.WithReport(func(context.Context, contract.Undeclared) {}))
		answer, err := unary(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: methodOf(read, grpctest.Unary)}, handler)
		if err != want || answer != "answer" { //nolint:errorlint // the very one
			t.Errorf("got %v, %v; want %v", answer, err, want)
		}
	}
}

// TestLog has method, code, domain and type, and nothing that somebody said.
func TestLog(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		handle func(context.Context) error
		want   string
	}{
		"typed": {
			returning(slotLost.New(errs.Detail("dsn", secret))), "code=slot_lost domain=tool.remedy.v1 type=*errs.ToolError",
		},
		"plain": {returning(errors.New(secret)), "type=*errors.errorString"},
		"panic": {func(context.Context) error { panic(secret) }, "type=contract.panicked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(locked{&mu, &log}, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}}))
			conn := serve(t, &service{handle: test.handle}, serverOptions(t, interceptors.WithContract(contract.WithLogger(logger))))
			_ = call(t.Context(), conn, read, grpctest.Unary)
			mu.Lock()
			defer mu.Unlock()
			want := `level=WARN msg="a handler returned an error that its contract does not list" method=` +
				methodOf(read, grpctest.Unary) + " " + test.want + "\n"
			if log.String() != want {
				t.Errorf("got  %s\nwant %s", log.String(), want)
			}
		})
	}
}

type locked struct {
	mu *sync.Mutex
	to *bytes.Buffer
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

func TestUndeclaredSaysWhich(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"/a.B/C returned shop.v1/slot_stale, which its contract does not list":                   shopv1.NewSlotStale(nil),
		"/a.B/C returned an error of type *errors.errorString, which its contract does not list": errors.New(secret),
		"/a.B/C returned an error of type *fmt.wrapError, which its contract does not list":      fmt.Errorf("x: %w", os.ErrClosed),
		"/a.B/C returned tool.remedy.v1/slot_lost, which its contract does not list":             fmt.Errorf("x: %w", slotLost.New()),
		"/a.B/C returned remedy.v1/outcome_unknown, which its contract does not list":            &errs.OutcomeUnknownError{},
		"/a.B/C returned an error of type <nil>, which its contract does not list":               nil,
	} {
		u := contract.Undeclared{Method: "/a.B/C", Err: err}
		if got := u.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", slog.Any("undeclared", u))
		if strings.Contains(log.String(), "hunter2") || !strings.Contains(log.String(), "undeclared.method=/a.B/C") {
			t.Errorf("logged %s", log.String())
		}
	}
}

// TestMapped is looked at as it is mapped.
func TestMapped(t *testing.T) {
	t.Parallel()
	missing := errors.New("no rows")
	var h hook
	conn := serve(t, answering(missing), serverOptions(t, interceptors.WithContract(contract.WithReport(h.tell)),
		interceptors.WithMap(func(_ context.Context, err error) error {
			if errors.Is(err, missing) {
				return shopv1.NewSlotStale(nil, errs.Cause(err))
			}
			return nil
		})), interceptors.DialOptions()...)
	for _, kind := range grpctest.Kinds() {
		if err := call(t.Context(), conn, read, kind).err; errs.CodeOf(err) != "slot_stale" {
			t.Errorf("%s: got %v", kind, err)
		}
	}
	if told := h.take(); len(told) > 0 {
		t.Errorf("told of %v", told)
	}
}

// refusing finds something wrong with every message.
type refusing struct{}

func (refusing) Check(any) error { return &errs.AuthorizationError{} }

// TestErrorsOfStreams are not those of the handler that returns them.
func TestErrorsOfStreams(t *testing.T) {
	t.Parallel()
	var h hook
	conn := serve(t, &service{}, serverOptions(t,
		interceptors.WithContract(contract.WithReport(h.tell)), interceptors.WithValidate(refusing{})))
	for _, kind := range grpctest.Kinds() {
		if err := call(t.Context(), client(conn), read, kind).err; errs.CodeOf(err) != errs.CodeAuthorizationDenied {
			t.Errorf("%s: got %v", kind, err)
		}
	}
	if told := h.take(); len(told) > 0 {
		t.Errorf("told of %v", told)
	}
}

// broken is a stream that nothing can be sent on or received from.
type broken struct {
	grpc.ServerStream

	ctx  context.Context //nolint:containedctx // grpc's streams carry theirs
	sent error
	got  error
}

func (s broken) Context() context.Context { return s.ctx }
func (s broken) SendMsg(any) error        { return s.sent }
func (s broken) RecvMsg(any) error        { return s.got }

// TestBrokenStreams are no error of the handler, but what it makes of them is.
func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	sent, got := status.Error(codes.Internal, "cannot send"), status.Error(codes.ResourceExhausted, "too large")
	for name, test := range map[string]struct {
		returned error
		want     bool
	}{
		"sending":                {sent, false},
		"receiving":              {got, false},
		"wrapped":                {fmt.Errorf("answering: %w", sent), false},
		"another, caused by it":  {slotLost.New(errs.Cause(sent)), true},
		"declared, caused by it": {shopv1.NewSlotStale(nil, errs.Cause(sent)), false},
		"its text":               {errors.New(sent.Error()), true},
		"the end of the stream":  {io.EOF, true},
		"whose methods panic":    {fmt.Errorf("x: %w", (*os.PathError)(nil)), true},
		"nothing":                {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h hook
			handler := func(_ any, stream grpc.ServerStream) error {
				_, _ = stream.SendMsg(nil), stream.RecvMsg(nil)
				return test.returned
			}
			orders()
			err := contract.StreamServerInterceptor(contract.WithReport(h.tell))(nil, broken{nil, t.Context(), sent, got},
				&grpc.StreamServerInfo{FullMethod: methodOf(read, grpctest.Bidi)}, handler)
			if err != test.returned { //nolint:errorlint // the very one
				t.Errorf("got %v, want %v", err, test.returned)
			}
			if told := h.take(); (len(told) == 1) != test.want {
				t.Errorf("told of %v", told)
			}
		})
	}
}

// TestLateHandlers fail because nobody waits for them, whatever they return for it.
func TestLateHandlers(t *testing.T) {
	t.Parallel()
	for _, kind := range grpctest.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			upstream := client(serve(t, answering(status.Error(codes.Unavailable, "busy")), nil))
			told := make(chan contract.Undeclared, 1)
			done := make(chan struct{})
			s := &service{handle: func(ctx context.Context) error {
				defer close(done)
				cancel()
				<-ctx.Done()
				return call(context.WithoutCancel(ctx), upstream, bare, kind).err
			}}
			conn := serve(t, s, checking(contract.WithReport(func(_ context.Context, u contract.Undeclared) { told <- u })))
			if err := call(ctx, conn, read, kind).err; status.Code(err) != codes.Canceled {
				t.Errorf("got %v", err)
			}
			<-done
			select {
			case u := <-told:
				t.Errorf("told of %v", u)
			default:
			}
		})
	}
}
