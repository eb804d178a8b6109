package recovery_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/interceptors/recovery"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

func TestRecoversOnEveryKind(t *testing.T) {
	t.Parallel()
	sentinel := errors.New("thrown")
	seen := make(chan error, 1)
	outer := []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
			resp, err := handler(ctx, req)
			seen <- err
			return resp, err
		}, recovery.UnaryServerInterceptor()),
		grpc.ChainStreamInterceptor(func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
			err := handler(srv, stream)
			seen <- err
			return err
		}, recovery.StreamServerInterceptor()),
	}
	conn := grpctest.Serve(t, &grpctest.Service{Handle: func(context.Context) error { panic(sentinel) }}, outer, nil)
	for _, kind := range grpctest.Kinds() {
		if err := grpctest.Call(t.Context(), conn, kind).Err; err == nil {
			t.Errorf("%s: no error", kind)
		}
		err := <-seen
		e, ok := errors.AsType[*recovery.PanicError](err)
		if !ok || e.Value != any(sentinel) || errors.Is(err, sentinel) {
			t.Errorf("%s: got %v", kind, err)
			continue
		}
		if !strings.Contains(e.StackTrace(), "recovery_ext_test.go") {
			t.Errorf("%s: the stack does not show where: %s", kind, e.StackTrace())
		}
	}
}
