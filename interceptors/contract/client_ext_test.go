package contract_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/interceptors/decode"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

var slotLost = errs.MustDefine("slot_lost", errs.Never)

func serverOptions(tb testing.TB, options ...interceptors.ServerOption) []grpc.ServerOption {
	tb.Helper()
	quiet := interceptors.WithEncode(encode.WithLogger(slog.New(slog.DiscardHandler)))
	made, err := interceptors.ServerOptions(append(options, quiet)...)
	if err != nil {
		tb.Fatal(err)
	}
	return made
}

// hook keeps what it is told.
type hook struct {
	mu  sync.Mutex
	all []contract.Undeclared
}

func (h *hook) tell(_ context.Context, u contract.Undeclared) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, u)
}

// take returns what it was told since it was last asked.
func (h *hook) take() []contract.Undeclared {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.all
	h.all = nil
	return all
}

// eachCall runs a test for every flavor and kind.
func eachCall(t *testing.T, test func(t *testing.T, f flavor, kind grpctest.Kind)) {
	t.Helper()
	for f := range contracts {
		for _, kind := range grpctest.Kinds() {
			t.Run(string(f)+"/"+string(kind), func(t *testing.T) {
				t.Parallel()
				test(t, f, kind)
			})
		}
	}
}

// TestEndings goes through what a handler can do, over a connection that decodes errors and over one that does not.
func TestEndings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		handle     func(context.Context) error
		code       errs.Code // empty for an error that is not ours
		status     codes.Code
		undeclared bool
		changed    errs.Code // where the method may have an effect; empty for the same code
	}{
		{"ok", func(context.Context) error { return nil }, "", codes.OK, false, ""},
		{"declared", returning(shopv1.NewSlotStale(nil)), "slot_stale", codes.Aborted, false, ""},
		{"same code, another package", returning(shopv1.NewShelfStale(nil)), "slot_stale", codes.FailedPrecondition, true, ""},
		{"undeclared", returning(slotLost.New()), "slot_lost", codes.FailedPrecondition, true, ""},
		{"undeclared, applied", returning(shopv1.NewChargedTwice(nil)), "charged_twice", codes.FailedPrecondition, true, ""},
		{
			"undeclared, unknown", returning(errs.WithInfo(slotLost.New(), errs.Info{Effect: errs.EffectUnknown})),
			"slot_lost", codes.FailedPrecondition, true, errs.CodeOutcomeUnknown,
		},
		{"catalog, listed", returning(&errs.ValidationError{}), errs.CodeInvalidInput, codes.InvalidArgument, false, ""},
		{"catalog, not listed", returning(&errs.AuthorizationError{}), errs.CodeAuthorizationDenied, codes.PermissionDenied, false, ""},
		{"foreign, known", returning(status.Error(codes.NotFound, "no")), "", codes.NotFound, false, ""},
		{"foreign, unknown", returning(status.Error(codes.Unavailable, "no")), "", codes.Unavailable, false, errs.CodeOutcomeUnknown},
		{"plain", returning(errors.New("no")), errs.CodeInternal, codes.Internal, false, errs.CodeOutcomeUnknown},
		{"panic", func(context.Context) error { panic("no") }, errs.CodeInternal, codes.Internal, false, errs.CodeOutcomeUnknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			eachCall(t, func(t *testing.T, f flavor, kind grpctest.Kind) {
				t.Helper()
				for name, dial := range map[string][]grpc.DialOption{"bare": nil, "decoding": interceptors.DialOptions()} {
					var h hook
					conn := client(serve(t, &service{handle: test.handle}, serverOptions(t), dial...), contract.WithUndeclared(h.tell))
					got := call(t.Context(), conn, f, kind)
					wantCode, wantStatus := test.code, test.status
					if f == effect && test.changed != "" {
						wantCode, wantStatus = test.changed, codes.Unknown
					}
					if errs.CodeOf(got.err) != wantCode || status.Code(got.err) != wantStatus {
						t.Errorf("%s: got %q, %v; want %q, %v", name, errs.CodeOf(got.err), got.err, wantCode, wantStatus)
					}
					streams := kind == grpctest.ServerStream || kind == grpctest.Bidi
					if streams && got.messages != 2 || streams && got.err == nil && got.eof != io.EOF { //nolint:errorlint // exactly this value
						t.Errorf("%s: %d messages, then %v", name, got.messages, got.eof)
					}
					told := h.take()
					if want := test.undeclared && f != bare; (len(told) == 1) != want || len(told) > 1 {
						t.Errorf("%s: told of %v, want %v", name, told, want)
					}
					for _, u := range told {
						if u.Method != methodOf(f, kind) || errs.CodeOf(u.Err) != test.code {
							t.Errorf("%s: told of %v", name, u)
						}
					}
				}
			})
		})
	}
}

func returning(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

// TestTyped has the generated type at the caller, with what it says.
func TestTyped(t *testing.T) {
	t.Parallel()
	conn := client(serve(t, answering(shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: "s-1"})), serverOptions(t)))
	eachCall(t, func(t *testing.T, f flavor, kind grpctest.Kind) {
		t.Helper()
		err := call(t.Context(), conn, f, kind).err
		if e, ok := errors.AsType[*shopv1.SlotStaleError](err); !ok || e.GetSlotId() != "s-1" {
			t.Errorf("got %T %v", err, err)
		}
		if e, ok := errors.AsType[*errs.ToolError](err); !ok || e.Code != "slot_stale" {
			t.Errorf("got %T %v", err, err)
		}
	})
}

// wantLost wants an unknown outcome that was inferred, with the received status behind it.
func wantLost(t *testing.T, err error, received codes.Code) *errs.OutcomeUnknownError {
	t.Helper()
	lost, ok := errors.AsType[*errs.OutcomeUnknownError](err)
	if !ok || !lost.Inferred {
		t.Fatalf("got %T %v, want an inferred OutcomeUnknownError", err, err)
	}
	if lost.Tool != toolName || errs.EffectOf(err) != errs.EffectUnknown || status.Code(err) != codes.Unknown {
		t.Errorf("tool %q, effect %v, status %v", lost.Tool, errs.EffectOf(err), status.Code(err))
	}
	if got := status.Code(errors.Unwrap(lost)); got != received {
		t.Errorf("behind it is %v, want %v (%v)", got, received, errors.Unwrap(lost))
	}
	if contract.NeverSent(err) {
		t.Error("it says that nothing was sent")
	}
	return lost
}

// TestOperationID comes with the headers that a service sends at the crossing.
func TestOperationID(t *testing.T) {
	t.Parallel()
	for _, kind := range grpctest.Kinds() {
		for name, inside := range map[string][]grpc.DialOption{"around": nil, "inside": rulesInside()} {
			t.Run(string(kind)+"/"+name, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				conn := client(serve(t, &service{header: metadata.Pairs("remedy-operation-id", "op-17"), handle: func(ctx context.Context) error {
					<-ctx.Done()
					return ctx.Err()
				}}, nil, append(inside, grpc.WithStatsHandler(headerSignal(cancel)))...))
				lost := wantLost(t, call(ctx, conn, effect, kind).err, codes.Canceled)
				if lost.OperationID != "op-17" || errs.InfoOf(lost).OperationID != "op-17" {
					t.Errorf("operation id %q, info %+v", lost.OperationID, errs.InfoOf(lost))
				}
			})
		}
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

// TestEveryMethodOfAStream returns the error, and it is told once.
func TestEveryMethodOfAStream(t *testing.T) {
	t.Parallel()
	var h hook
	conn := client(serve(t, answering(slotLost.New()), serverOptions(t)), contract.WithUndeclared(h.tell))
	stream, err := conn.NewStream(t.Context(), desc(grpctest.Bidi), methodOf(effect, grpctest.Bidi))
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.SendMsg(wrapperspb.String(key)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := stream.RecvMsg(&wrapperspb.StringValue{}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if err := stream.RecvMsg(&wrapperspb.StringValue{}); !errors.Is(err, slotLost.Code()) {
			t.Errorf("got %v", err)
		}
	}
	if err := stream.SendMsg(wrapperspb.String(key)); err != io.EOF { //nolint:errorlint // exactly this value
		t.Errorf("SendMsg: got %v, want exactly io.EOF", err)
	}
	if _, err := stream.Header(); err != nil {
		t.Errorf("Header: %v", err)
	}
	if err := stream.CloseSend(); err != nil {
		t.Errorf("CloseSend: %v", err)
	}
	if told := h.take(); len(told) != 1 {
		t.Errorf("told %d times: %v", len(told), told)
	}
}

// failing is a stream all of whose methods fail.
type failing struct {
	grpc.ClientConnInterface
	grpc.ClientStream

	err error
}

func (f failing) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return f, nil
}
func (f failing) Header() (metadata.MD, error) { return nil, f.err }
func (f failing) CloseSend() error             { return f.err }
func (f failing) SendMsg(any) error            { return f.err }
func (f failing) RecvMsg(any) error            { return f.err }

// TestEveryMethodThatReturnsAnError decodes it and holds it to the rule.
func TestEveryMethodThatReturnsAnError(t *testing.T) {
	t.Parallel()
	lost := status.Error(codes.Unavailable, "lost")
	for name, method := range map[string]func(grpc.ClientStream) error{
		"Header":    func(s grpc.ClientStream) error { _, err := s.Header(); return err },
		"CloseSend": grpc.ClientStream.CloseSend,
		"SendMsg":   func(s grpc.ClientStream) error { return s.SendMsg(wrapperspb.String(key)) },
		"RecvMsg":   func(s grpc.ClientStream) error { return s.RecvMsg(&wrapperspb.StringValue{}) },
	} {
		for f := range contracts {
			var h hook
			for _, err := range []error{lost, errs.ToStatus(slotLost.New()).Err(), io.EOF} {
				conn := client(failing{err: err}, contract.WithUndeclared(h.tell))
				s, _ := conn.NewStream(t.Context(), desc(grpctest.Bidi), methodOf(f, grpctest.Bidi))
				got := method(s)
				switch {
				case err == io.EOF && got != io.EOF: //nolint:errorlint // exactly this value
					t.Errorf("%s: got %v, want exactly io.EOF", name, got)
				case err == lost && errs.IsInferred(got) != (f == effect): //nolint:errorlint // this very error
					t.Errorf("%s: got %v", name, got)
				case err != lost && err != io.EOF && !errors.Is(got, slotLost.Code()): //nolint:errorlint // these very errors
					t.Errorf("%s: got %v", name, got)
				}
			}
			if told := h.take(); (len(told) == 1) != (f != bare) {
				t.Errorf("%s: told of %v", name, told)
			}
		}
	}
}

// TestTool names calls by what they ask for.
func TestTool(t *testing.T) {
	t.Parallel()
	lost := status.Error(codes.Unavailable, "lost")
	for _, kind := range grpctest.Kinds() {
		for asked, want := range map[string]string{"pay": "pay", "": toolName} {
			conn := client(serve(t, answering(lost), nil), contract.WithTool(func(method string, request any) string {
				if text, _ := request.(*wrapperspb.StringValue); text.GetValue() != key || method != methodOf(effect, kind) {
					t.Errorf("asked about %s with %v", method, request)
				}
				return asked
			}))
			err := call(t.Context(), conn, effect, kind).err
			if e, ok := errors.AsType[*errs.OutcomeUnknownError](err); !ok || e.Tool != want || e.OperationKey != key {
				t.Errorf("%s: got %v, want the tool %q", kind, err, want)
			}
		}
	}
}

// TestRelay marks what it receives, so that a server does not answer for the one behind it.
func TestRelay(t *testing.T) {
	t.Parallel()
	foreign := status.Error(codes.InvalidArgument, "your field is bad")
	pass := decode.WithForeignRelay(errs.Passthrough)
	for name, test := range map[string]struct {
		dial    []grpc.DialOption
		options []contract.ClientOption
		want    codes.Code
	}{
		"bare":                           {nil, nil, codes.Internal},
		"decoding":                       {interceptors.DialOptions(), nil, codes.Internal},
		"passing":                        {nil, []contract.ClientOption{contract.WithDecode(pass)}, codes.InvalidArgument},
		"over one that passes":           {interceptors.DialOptions(pass), nil, codes.InvalidArgument},
		"over one with rules that pass":  {rulesInside(contract.WithDecode(pass)), nil, codes.InvalidArgument},
		"over one that translates first": {interceptors.DialOptions(), []contract.ClientOption{contract.WithDecode(pass)}, codes.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachCall(t, func(t *testing.T, f flavor, kind grpctest.Kind) {
				t.Helper()
				behind := client(serve(t, answering(foreign), nil, test.dial...), test.options...)
				front := serve(t, &service{handle: func(ctx context.Context) error { return call(ctx, behind, f, kind).err }}, serverOptions(t))
				err := call(t.Context(), front, bare, kind).err
				if status.Code(err) != test.want || strings.Contains(err.Error(), "your field") != (test.want == codes.InvalidArgument) {
					t.Errorf("got %v, want %v", err, test.want)
				}
			})
		})
	}
}

// TestRelayOfOurs translates typed errors, whatever they wrap, where that is asked for.
func TestRelayOfOurs(t *testing.T) {
	t.Parallel()
	translate := contract.WithDecode(decode.WithRelay(errs.Translate))
	for _, err := range []error{slotLost.New(), slotLost.New(errs.Cause(&errs.AuthorizationError{}))} {
		for name, dial := range map[string][]grpc.DialOption{"bare": nil, "decoding": interceptors.DialOptions(), "rules": rulesInside()} {
			for _, kind := range grpctest.Kinds() {
				behind := client(serve(t, answering(err), serverOptions(t), dial...), translate)
				front := serve(t, &service{handle: func(ctx context.Context) error { return call(ctx, behind, read, kind).err }}, serverOptions(t))
				if got := call(t.Context(), client(front), bare, kind).err; errs.CodeOf(got) != errs.CodeInternal {
					t.Errorf("%s: %s: got %v", name, kind, got)
				}
			}
		}
	}
}

// TestConcurrentUse sends, receives and ends calls of one connection at once.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var h hook
	conn := client(serve(t, answering(slotLost.New()), serverOptions(t), rulesInside()...), contract.WithUndeclared(h.tell))
	const rounds = 8
	var group sync.WaitGroup
	for range rounds {
		for _, kind := range grpctest.Kinds() {
			group.Go(func() {
				if err := call(t.Context(), conn, effect, kind).err; !errors.Is(err, slotLost.Code()) {
					t.Errorf("%s: got %v", kind, err)
				}
			})
		}
		group.Go(func() { // both sides of a stream at once
			stream, err := conn.NewStream(t.Context(), desc(grpctest.Bidi), methodOf(effect, grpctest.Bidi))
			if err != nil {
				t.Error(err)
				return
			}
			var both sync.WaitGroup
			both.Go(func() {
				for stream.SendMsg(wrapperspb.String(key)) == nil { //nolint:revive // until it ends
				}
			})
			both.Go(func() {
				for err == nil {
					err = stream.RecvMsg(&wrapperspb.StringValue{})
				}
			})
			both.Wait()
			if !errors.Is(err, slotLost.Code()) {
				t.Errorf("got %v", err)
			}
		})
	}
	group.Wait()
	if told := h.take(); len(told) != rounds*5 {
		t.Errorf("told of %d calls, want %d", len(told), rounds*5)
	}
}

// TestNothingToReadContractsFrom decodes all the same.
func TestNothingToReadContractsFrom(t *testing.T) {
	t.Parallel()
	conn := contract.Client(serve(t, answering(slotLost.New()), serverOptions(t)), nil)
	for _, kind := range grpctest.Kinds() {
		if err := call(t.Context(), conn, effect, kind).err; !errors.Is(err, slotLost.Code()) {
			t.Errorf("%s: got %v", kind, err)
		}
	}
}
