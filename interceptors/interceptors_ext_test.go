package interceptors_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/interceptors/decode"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

const secret = "dsn=postgres://u:hunter2@h"

var slotStale = errs.MustDefine("slot_stale", errs.AfterRepair,
	errs.Headline("The selected slot is no longer available."),
	errs.Steps(errs.CallTool("list_available_slots", "Choose a current slot, then retry with the same operationId.")))

// logBuffer is a log that several goroutines write.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func serverOptions(tb testing.TB, options ...interceptors.ServerOption) []grpc.ServerOption {
	tb.Helper()
	server, err := interceptors.ServerOptions(options...)
	if err != nil {
		tb.Fatalf("server options: %v", err)
	}
	return server
}

func quiet() interceptors.ServerOption {
	return interceptors.WithEncode(encode.WithLogger(slog.New(slog.DiscardHandler)))
}

// everyType is one error of each type of the contract, with something in every field that travels.
func everyType() []errs.Error {
	yes := true
	pid := int64(42)
	return []errs.Error{
		slotStale.New(errs.Detail("slotId", "s1")),
		&errs.ToolError{Code: "account_busy", Message: "The account is busy.", Retry: errs.AsIs, RetryAfter: 2 * time.Second},
		&errs.ValidationError{Subject: "cancel_order", Issues: []errs.Issue{
			{Path: "/orderId", Keyword: "required", Message: "is required"},
		}},
		&errs.AuthorizationError{Tool: "cancel_order", Reason: "not_owner"},
		&errs.ConfirmationError{
			Tool: "send_payment", OperationKey: "k1", Reason: errs.ConfirmationRequired, ConfirmationID: "c1", ExpiresAt: time.Unix(1e9, 0),
		},
		&errs.VerificationError{Tool: "send_payment", OperationKey: "k1", Reason: "not_verified", OperationID: "o1"},
		&errs.OutcomeUnknownError{Tool: "send_payment", OperationKey: "k1", OperationID: "o1", Reason: "lost"},
		&errs.OutcomeUnknownError{Tool: "send_payment", OperationKey: "k1", Inferred: true, Keyed: true},
		&errs.AbortedError{RunID: "r1", Reason: "user"},
		&errs.AuthError{
			Auth:       errs.AuthFailure{Kind: errs.AuthBusy, Source: errs.AuthMCP, Provider: "github", HolderPID: &pid},
			RetryAfter: time.Second,
		},
		&errs.BudgetExceededError{
			Limit: errs.BudgetCost, LimitValue: 0.5, ActualValue: 0.62, RunID: "r1", BudgetRunID: "r0", LimitNanos: 5e8, ActualNanos: 62e7,
		},
		&errs.ContextExceededError{Provider: "anthropic", ProviderCode: "invalid_request_error"},
		&errs.ProviderError{
			Provider: "openai", ProviderCode: "rate_limit_exceeded", Retryable: &yes,
			Limit: &errs.ProviderLimit{Kind: errs.LimitRate, RetryAfter: time.Second, Window: "1m"},
		},
		&errs.ToolNotAllowedError{ToolName: "shell", DisplayName: "Shell", ActiveSkills: []string{"a"}, AllowedUnion: []string{"read_*"}},
		&errs.ToolPairingError{Provider: "anthropic", Repairs: []errs.PairingRepair{{CallID: "t1", MessageIndex: 3, Mode: "drop"}}},
		&errs.OperationTimeoutError{Operation: "fetch_page", Timeout: 1500 * time.Millisecond},
		&errs.LengthResumeExhaustedError{Provider: "anthropic", Attempts: 3},
		&errs.ServiceError{Code: errs.CodeToolNotFound, Subject: "nope"},
	}
}

// TestEveryTypeOnEveryKindOverFourHops is the promise: the same type, equal, with the same bytes, wherever it arrives.
func TestEveryTypeOnEveryKindOverFourHops(t *testing.T) {
	t.Parallel()
	for _, kind := range grpctest.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			var origin error
			handle := func(context.Context) error { return origin }
			conns := make([]*grpc.ClientConn, 0, 4)
			for range 4 {
				service := &grpctest.Service{Handle: handle, Messages: 3}
				conn := grpctest.Serve(t, service, serverOptions(t, quiet()), interceptors.DialOptions())
				conns = append(conns, conn)
				handle = func(ctx context.Context) error { return grpctest.Call(ctx, conn, kind).Err }
			}
			for _, e := range everyType() {
				origin = e
				want := e.GRPCStatus().Proto()
				for hop, conn := range conns {
					result := grpctest.Call(t.Context(), conn, kind)
					checkArrived(t, fmt.Sprintf("%T after %d hops", e, hop+1), result.Err, e, want)
					if streams := kind == grpctest.ServerStream || kind == grpctest.Bidi; streams && result.Messages != 3 {
						t.Errorf("%T: got %d messages before the error, want 3", e, result.Messages)
					}
				}
			}
		})
	}
}

func checkArrived(t *testing.T, what string, got error, e errs.Error, want proto.Message) {
	t.Helper()
	if gotType, wantType := fmt.Sprintf("%T", got), fmt.Sprintf("%T", e); gotType != wantType {
		t.Errorf("%s: got type %s: %v", what, gotType, got)
		return
	}
	if !errs.Equal(got, e) {
		t.Errorf("%s: not equal", what)
	}
	if !errors.Is(got, errs.Code(e.ErrorCode())) {
		t.Errorf("%s: errors.Is by code is false", what)
	}
	if got.Error() != e.Error() {
		t.Errorf("%s: message %q, want %q", what, got.Error(), e.Error())
	}
	st, ok := status.FromError(got)
	if !ok || !proto.Equal(st.Proto(), want) {
		t.Errorf("%s: status\n got  %v\n want %v", what, st.Proto(), want)
	}
	if status.Code(got) != status.Code(e) {
		t.Errorf("%s: status code %v, want %v", what, status.Code(got), status.Code(e))
	}
}

func returning(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

func wrapping(err error) func(context.Context) error {
	return returning(fmt.Errorf(secret+": %w", err))
}

// TestEndings goes through what a handler can do, on every kind of call.
func TestEndings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		handle func(context.Context) error
		code   codes.Code
		errs   errs.Code
		shown  string // text that must reach the caller
	}{
		{"ok", func(context.Context) error { return nil }, codes.OK, "", ""},
		{"typed", func(context.Context) error { return slotStale.New() }, codes.FailedPrecondition, "slot_stale", "no longer available"},
		{"wrapped typed", wrapping(slotStale.New()), codes.FailedPrecondition, "slot_stale", ""},
		{"typed with a cause", returning(slotStale.New(errs.Cause(errors.New(secret)))), codes.FailedPrecondition, "slot_stale", ""},
		{"plain", func(context.Context) error { return errors.New(secret) }, codes.Internal, errs.CodeInternal, ""},
		{"internal status", returning(status.Errorf(codes.Internal, secret)), codes.Internal, errs.CodeInternal, ""},
		{"unknown status", returning(status.Errorf(codes.Unknown, secret)), codes.Internal, errs.CodeInternal, ""},
		{"foreign status", returning(status.Error(codes.NotFound, "no such row")), codes.NotFound, "", "no such row"},
		{"wrapped foreign status", func(context.Context) error {
			return fmt.Errorf(secret+": %w", status.Error(codes.NotFound, "no such row"))
		}, codes.NotFound, "", "no such row"},
		{"status OK as an error", func(context.Context) error { return okError{} }, codes.Internal, errs.CodeInternal, ""},
		{"panic with text", func(context.Context) error { panic(secret) }, codes.Internal, errs.CodeInternal, ""},
		{"panic with an error", func(context.Context) error { panic(errors.New(secret)) }, codes.Internal, errs.CodeInternal, ""},
		{"panic with a typed error", func(context.Context) error { panic(slotStale.New()) }, codes.Internal, errs.CodeInternal, ""},
		{"nil pointer of a foreign type", returning((*os.PathError)(nil)), codes.Internal, errs.CodeInternal, ""},
		{"wrapped nil pointer of a foreign type", wrapping((*os.PathError)(nil)), codes.Internal, errs.CodeInternal, ""},
		{"joined nil pointer of a foreign type", wrapping(errors.Join((*os.PathError)(nil))), codes.Internal, errs.CodeInternal, ""},
		{"endless error", returning(endless{}), codes.Internal, errs.CodeInternal, ""},
		{"canceled", func(context.Context) error { return context.Canceled }, codes.Canceled, errs.CodeCanceled, ""},
		{"deadline", wrapping(context.DeadlineExceeded), codes.DeadlineExceeded, errs.CodeDeadlineExceeded, ""},
		{"typed nil", func(context.Context) error { return (*errs.ToolError)(nil) }, codes.Internal, errs.CodeInternal, ""},
		{"code as an error", func(context.Context) error { return errs.Code("slot_stale") }, codes.Internal, errs.CodeInternal, ""},
	}
	for _, kind := range grpctest.Kinds() {
		for _, test := range tests {
			t.Run(string(kind)+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				log := &logBuffer{}
				wire := &recorder{}
				conn := grpctest.Serve(t, &grpctest.Service{Handle: test.handle, Messages: 1},
					serverOptions(t, interceptors.WithEncode(encode.WithLogger(slog.New(slog.NewTextHandler(log, nil))))),
					append(interceptors.DialOptions(), wire.dialOptions()...))
				result := grpctest.Call(t.Context(), conn, kind)
				if got := status.Code(result.Err); got != test.code {
					t.Errorf("status code %v, want %v (%v)", got, test.code, result.Err)
				}
				if got := errs.CodeOf(result.Err); got != test.errs {
					t.Errorf("code %q, want %q", got, test.errs)
				}
				if result.Err != nil && !strings.Contains(result.Err.Error(), test.shown) {
					t.Errorf("message %q does not hold %q", result.Err, test.shown)
				}
				if strings.Contains(wire.String(), "hunter2") {
					t.Errorf("the secret is on the wire: %s", wire)
				}
				checkLog(t, test.name, result.Err, log.String())
			})
		}
	}
}

// checkLog wants what was hidden from the caller in the log, under the error id that the caller got.
func checkLog(t *testing.T, name string, err error, log string) {
	t.Helper()
	if errs.CodeOf(err) != errs.CodeInternal {
		return
	}
	id := errs.InfoOf(err).ErrorID
	if len(id) != 32 || !strings.Contains(log, "errorId="+id) {
		t.Errorf("error id %q is not in the log %q", id, log)
	}
	told := slices.ContainsFunc([]string{"nil pointer", "typed nil", "typed error", "code as", "OK"},
		func(part string) bool { return strings.Contains(name, part) })
	if !told && !strings.Contains(log, "hunter2") {
		t.Errorf("the log does not tell what was hidden: %q", log)
	}
	if strings.Contains(name, "panic") && !strings.Contains(log, "interceptors_ext_test.go") {
		t.Errorf("the log has no stack: %q", log)
	}
}

// endless wraps itself.
type endless struct{}

func (e endless) Error() string { return secret }
func (e endless) Unwrap() error { return e }

type okError struct{}

func (okError) Error() string              { return secret }
func (okError) GRPCStatus() *status.Status { return status.New(codes.OK, secret) }

// recorder keeps everything that a client receives: statuses, headers and trailers.
type recorder struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func (r *recorder) add(values ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range values {
		if err, ok := v.(error); ok {
			raw, _ := proto.Marshal(status.Convert(err).Proto())
			fmt.Fprintf(&r.text, "%s\n", raw)
		}
		fmt.Fprintf(&r.text, "%v\n", v)
	}
}

func (r *recorder) dialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(func(
			ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
		) error {
			var header, trailer metadata.MD
			err := invoke(ctx, method, req, reply, cc, append(opts, grpc.Header(&header), grpc.Trailer(&trailer))...)
			r.add(err, header, trailer)
			return err
		}),
		grpc.WithChainStreamInterceptor(func(
			ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption,
		) (grpc.ClientStream, error) {
			stream, err := streamer(ctx, desc, cc, method, opts...)
			if err != nil {
				r.add(err)
				return nil, err
			}
			return &recordedStream{ClientStream: stream, to: r}, nil
		}),
	}
}

type recordedStream struct {
	grpc.ClientStream

	to *recorder
}

func (s *recordedStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err != nil {
		s.to.add(err, s.Trailer())
	}
	return err
}

func TestEndOfStreamIsExactlyEOF(t *testing.T) {
	t.Parallel()
	conn := grpctest.Serve(t, &grpctest.Service{Messages: 2}, serverOptions(t), interceptors.DialOptions())
	for _, kind := range []grpctest.Kind{grpctest.ServerStream, grpctest.Bidi} {
		result := grpctest.Call(t.Context(), conn, kind)
		if result.EOF != io.EOF { //nolint:errorlint // exactly this value
			t.Errorf("%s: got %v at the end, want exactly io.EOF", kind, result.EOF)
		}
		if result.Messages != 2 || result.Err != nil {
			t.Errorf("%s: got %d messages and %v", kind, result.Messages, result.Err)
		}
	}
}

func TestRelay(t *testing.T) {
	t.Parallel()
	foreign := status.Error(codes.InvalidArgument, "upstream says "+secret)
	tests := []struct {
		name   string
		origin error
		dial   []decode.Option
		code   codes.Code
		errs   errs.Code
	}{
		{"ours passes", slotStale.New(), nil, codes.FailedPrecondition, "slot_stale"},
		{"ours translated", slotStale.New(), []decode.Option{decode.WithRelay(errs.Translate)}, codes.Internal, errs.CodeInternal},
		{"foreign translated", foreign, nil, codes.Internal, errs.CodeInternal},
		{"foreign passes", foreign, []decode.Option{decode.WithForeignRelay(errs.Passthrough)}, codes.InvalidArgument, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			upstream := grpctest.Serve(t, &grpctest.Service{Handle: func(ctx context.Context) error {
				_ = grpc.SetTrailer(ctx, metadata.Pairs("upstream-only", secret))
				return test.origin
			}}, serverOptions(t, quiet()), interceptors.DialOptions(test.dial...))
			wire := &recorder{}
			conn := grpctest.Serve(t, &grpctest.Service{Handle: func(ctx context.Context) error {
				return grpctest.Call(ctx, upstream, grpctest.Unary).Err
			}}, serverOptions(t, quiet()), append(interceptors.DialOptions(), wire.dialOptions()...))
			err := grpctest.Call(t.Context(), conn, grpctest.Unary).Err
			if status.Code(err) != test.code || errs.CodeOf(err) != test.errs {
				t.Errorf("got %v %q, want %v %q", status.Code(err), errs.CodeOf(err), test.code, test.errs)
			}
			if strings.Contains(wire.String(), "upstream-only") {
				t.Error("an upstream trailer was copied")
			}
			if test.code == codes.Internal && strings.Contains(wire.String(), "upstream says") {
				t.Error("the upstream's text is on the wire")
			}
		})
	}
}

func TestOriginalStaysMatchableForOuterInterceptors(t *testing.T) {
	t.Parallel()
	sentinel := errors.New(secret)
	var seen error
	outer := grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		resp, err := handler(ctx, req)
		seen = err
		return resp, err
	})
	conn := grpctest.Serve(t, &grpctest.Service{Handle: func(context.Context) error { return fmt.Errorf("x: %w", sentinel) }},
		append([]grpc.ServerOption{outer}, serverOptions(t, quiet())...), interceptors.DialOptions())
	err := grpctest.Call(t.Context(), conn, grpctest.Unary).Err
	if !errors.Is(seen, sentinel) {
		t.Errorf("an outer interceptor cannot match the handler's error: %v", seen)
	}
	if status.Code(seen) != status.Code(err) {
		t.Errorf("an outer interceptor sees %v, the caller %v", status.Code(seen), status.Code(err))
	}
	if errors.Is(err, sentinel) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the caller got %v", err)
	}
}

func TestMap(t *testing.T) {
	t.Parallel()
	missing := errors.New("no rows")
	conn := grpctest.Serve(t, &grpctest.Service{Handle: func(context.Context) error { return missing }},
		serverOptions(t, quiet(),
			interceptors.WithMap(func(context.Context, error) error { return nil }),
			interceptors.WithMap(func(_ context.Context, err error) error {
				if errors.Is(err, missing) {
					return slotStale.New(errs.Cause(err))
				}
				return err
			})), interceptors.DialOptions())
	for _, kind := range grpctest.Kinds() {
		if err := grpctest.Call(t.Context(), conn, kind).Err; !errors.Is(err, slotStale.Code()) {
			t.Errorf("%s: got %v", kind, err)
		}
	}
}

func ExampleOrder() {
	fmt.Println(strings.Join(interceptors.Order(), " · "))
	// Output: telemetry · encode · map · recovery · auth · limits · validate · contract
}

// refusing is an effect method that is never reached.
type refusing struct {
	servicev1.UnimplementedToolServiceServer
}

func (refusing) CallTool(context.Context, *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
	return nil, errors.New(secret)
}

// TestRefusedCallsHadNoEffect has errors that prove nothing, before the handler of a method with an effect and in it.
func TestRefusedCallsHadNoEffect(t *testing.T) {
	t.Parallel()
	late, err := auth.New(func(context.Context, string) (auth.Identity, error) { return auth.Identity{}, context.DeadlineExceeded })
	if err != nil {
		t.Fatal(err)
	}
	panicking, err := auth.New(func(context.Context, string) (auth.Identity, error) { panic(secret) })
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		auth *auth.Stage
		want errs.Code
	}{
		"late":      {late, errs.CodeDeadlineExceeded},
		"panicking": {panicking, errs.CodeInternal},
		"reached":   {nil, errs.CodeOutcomeUnknown},
	} {
		conn := grpctest.ServeAny(t, func(r grpc.ServiceRegistrar) { servicev1.RegisterToolServiceServer(r, refusing{}) },
			serverOptions(t, quiet(), interceptors.WithAuth(test.auth)), interceptors.DialOptions())
		_, err := servicev1.NewToolServiceClient(conn).CallTool(t.Context(), &servicev1.CallToolRequest{})
		if got := errs.CodeOf(err); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// TestWhyNobodyIsAuthenticatedIsLogged wants the reason in the log, under the id that the caller got.
func TestWhyNobodyIsAuthenticatedIsLogged(t *testing.T) {
	t.Parallel()
	broken, err := auth.New(func(context.Context, string) (auth.Identity, error) { return auth.Identity{}, errors.New(secret) })
	if err != nil {
		t.Fatal(err)
	}
	log := &logBuffer{}
	conn := grpctest.Serve(t, &grpctest.Service{}, serverOptions(t, interceptors.WithAuth(broken),
		interceptors.WithEncode(encode.WithLogger(slog.New(slog.NewTextHandler(log, nil))))), interceptors.DialOptions())
	for _, kind := range grpctest.Kinds() {
		err := grpctest.Call(t.Context(), conn, kind).Err
		id := errs.InfoOf(err).ErrorID
		if !errors.Is(err, errs.CodeUnauthenticated) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v", kind, err)
		}
		if id == "" || !strings.Contains(log.String(), "errorId="+id) || !strings.Contains(log.String(), "hunter2") {
			t.Errorf("%s: the log does not tell why: %q", kind, log)
		}
	}
}
