package encode_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/interceptors/recovery"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

const secret = "dsn=postgres://u:hunter2@h"

var quiet = encode.WithLogger(slog.New(slog.DiscardHandler))

func newStage(tb testing.TB, options ...encode.Option) *encode.Stage {
	tb.Helper()
	stage, err := encode.New(options...)
	if err != nil {
		tb.Fatal(err)
	}
	return stage
}

// tools answers every call of the tool service with one error.
type tools struct {
	servicev1.UnimplementedToolServiceServer

	err error
}

func (s tools) CallTool(context.Context, *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
	return nil, s.err
}

func (s tools) GetTool(context.Context, *servicev1.GetToolRequest) (*servicev1.GetToolResponse, error) {
	return nil, s.err
}

// TestMethodsWithAnEffect has errors that prove nothing: where a call may change something they mean that nobody knows.
func TestMethodsWithAnEffect(t *testing.T) {
	t.Parallel()
	typed := &errs.AuthorizationError{Tool: "x"}
	tests := []struct {
		name         string
		err          error
		read, effect errs.Code
	}{
		{"plain", errors.New(secret), errs.CodeInternal, errs.CodeOutcomeUnknown},
		{"panic", recovery.Caught(secret), errs.CodeInternal, errs.CodeOutcomeUnknown},
		{"canceled", context.Canceled, errs.CodeCanceled, errs.CodeOutcomeUnknown},
		{"deadline", context.DeadlineExceeded, errs.CodeDeadlineExceeded, errs.CodeOutcomeUnknown},
		{"masked status", status.Error(codes.Internal, secret), errs.CodeInternal, errs.CodeOutcomeUnknown},
		{"typed nil", (*errs.ToolError)(nil), errs.CodeInternal, errs.CodeOutcomeUnknown},
		{"other status", status.Error(codes.NotFound, "no"), "", ""},
		{"typed", typed, errs.CodeAuthorizationDenied, errs.CodeAuthorizationDenied},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stage := newStage(t, quiet)
			conn := grpctest.ServeAny(t, func(r grpc.ServiceRegistrar) { servicev1.RegisterToolServiceServer(r, tools{err: test.err}) },
				[]grpc.ServerOption{grpc.ChainUnaryInterceptor(stage.UnaryServerInterceptor())}, interceptors.DialOptions())
			client := servicev1.NewToolServiceClient(conn)
			_, err := client.GetTool(t.Context(), &servicev1.GetToolRequest{})
			if got := errs.CodeOf(err); got != test.read {
				t.Errorf("reading: got %q, want %q", got, test.read)
			}
			_, err = client.CallTool(t.Context(), &servicev1.CallToolRequest{})
			if got := errs.CodeOf(err); got != test.effect {
				t.Errorf("with an effect: got %q, want %q", got, test.effect)
			}
			if test.effect == errs.CodeOutcomeUnknown && errs.EffectOf(err) != errs.EffectUnknown {
				t.Errorf("with an effect: got effect %q", errs.EffectOf(err))
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the secret reached the caller: %v", err)
			}
		})
	}
}

func TestAloneOnEveryKind(t *testing.T) {
	t.Parallel()
	stage := newStage(t, quiet)
	conn := grpctest.Serve(t, &grpctest.Service{Handle: func(context.Context) error { return errors.New(secret) }},
		[]grpc.ServerOption{
			grpc.ChainUnaryInterceptor(stage.UnaryServerInterceptor()), grpc.ChainStreamInterceptor(stage.StreamServerInterceptor()),
		}, interceptors.DialOptions())
	for _, kind := range grpctest.Kinds() {
		var trailer metadata.MD
		err := grpctest.Call(t.Context(), conn, kind, grpc.Trailer(&trailer)).Err
		if !errors.Is(err, errs.CodeInternal) {
			t.Errorf("%s: got %v", kind, err)
		}
		if got := trailer.Get(encode.PushbackTrailer); len(got) != 1 || got[0] != "-1" {
			t.Errorf("%s: pushback %v", kind, got)
		}
	}
}

func TestPushbackTrailer(t *testing.T) {
	t.Parallel()
	busy := errs.MustDefine("account_busy", errs.AsIs, errs.Status(codes.Aborted))
	stale := errs.MustDefine("stale_version", errs.AfterRepair, errs.Status(codes.Aborted), errs.Steps(errs.ChangeInput("")))
	tests := []struct {
		name string
		err  error
		want []string
	}{
		{"never on a code that nobody retries", &errs.AuthorizationError{Tool: "x"}, nil},
		{"never on a code that is retried", &errs.AbortedError{}, []string{"-1"}},
		{"after repair", stale.New(), []string{"-1"}},
		{"as is", busy.New(), nil},
		{"as is with a delay", busy.New(errs.After(1500001)), []string{"2"}},
		{"invalid input", &errs.ValidationError{Subject: "x"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stage := newStage(t, quiet)
			trailers, _ := stage.Encode(t.Context(), encode.Call{Method: "/a.B/C"}, test.err)
			got := trailers.Get(encode.PushbackTrailer)
			if strings.Join(got, ",") != strings.Join(test.want, ",") || len(got) != len(test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestLogHasTextTypeAndStack(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	stage := newStage(t, encode.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	_, err := stage.Encode(t.Context(), encode.Call{Method: "/a.B/C"}, recovery.Caught(secret))
	for _, want := range []string{errs.InfoOf(err).ErrorID, "hunter2", "recovery.PanicError", "encode_ext_test.go", "/a.B/C"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is not in the log %q", want, log.String())
		}
	}
	log.Reset()
	_, _ = stage.Encode(t.Context(), encode.Call{Method: "/a.B/C"}, &errs.AuthorizationError{Tool: "x", Cause: errors.New(secret)})
	if log.Len() > 0 {
		t.Errorf("an expected failure was logged as hidden: %q", log.String())
	}
}

func TestUnmasked(t *testing.T) {
	t.Parallel()
	stage := newStage(t, quiet, encode.WithUnmaskedStatuses())
	_, err := stage.Encode(t.Context(), encode.Call{Method: "/a.B/C"}, status.Error(codes.Internal, "known text"))
	if st := status.Convert(err); st.Code() != codes.Internal || st.Message() != "known text" {
		t.Errorf("got %v", err)
	}
}

func TestNewRefusesLimits(t *testing.T) {
	t.Parallel()
	for limit, ok := range map[int]bool{-1: false, 1: false, 4095: false, 4096: true, 8000: true, 8001: false} {
		if _, err := encode.New(encode.WithLimit(limit)); (err == nil) != ok {
			t.Errorf("limit %d: got %v", limit, err)
		}
	}
}

// TestSuppressed has a handler that adds a trailer that its caller will not take.
func TestSuppressed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		trailer int
		want    int64
	}{{"fits", 10, 0}, {"too big", 20_000, 1}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ended := make(chan struct{})
			var mu sync.Mutex
			var reported []string
			suppressed := &encode.Suppressed{Report: func(_ context.Context, method string) {
				mu.Lock()
				defer mu.Unlock()
				reported = append(reported, method)
			}}
			options, err := interceptors.ServerOptions(interceptors.WithTelemetry(suppressed,
				endSignal{Suppressed: &encode.Suppressed{}, ended: ended}))
			if err != nil {
				t.Fatal(err)
			}
			conn := grpctest.Serve(t, &grpctest.Service{Handle: func(ctx context.Context) error {
				_ = grpc.SetTrailer(ctx, metadata.Pairs("big", strings.Repeat("x", test.trailer)))
				return &errs.AuthorizationError{Tool: "x"}
			}}, options, append(interceptors.DialOptions(), grpc.WithMaxHeaderListSize(8192)))
			err = grpctest.Call(t.Context(), conn, grpctest.Unary).Err
			if got := errors.Is(err, errs.CodeAuthorizationDenied); got != (test.want == 0) {
				t.Errorf("the caller got %v", err)
			}
			<-ended
			if got := suppressed.Count(); got != test.want {
				t.Errorf("counted %d, want %d", got, test.want)
			}
			mu.Lock()
			defer mu.Unlock()
			if int64(len(reported)) != test.want {
				t.Errorf("reported %v", reported)
			}
		})
	}
}
