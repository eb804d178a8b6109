package auth_test

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthgrpc "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

func byHeader(ctx context.Context, _ string) (auth.Identity, error) {
	switch name := metadata.ValueFromIncomingContext(ctx, "user"); {
	case len(name) == 0:
		return auth.Identity{}, nil
	case name[0] == "broken":
		return auth.Identity{}, errors.New("dsn=secret")
	case name[0] == "down":
		return auth.Identity{}, status.Error(codes.Unavailable, "identity provider is down")
	case name[0] == "late":
		return auth.Identity{}, context.DeadlineExceeded
	case name[0] == "denied":
		return auth.Identity{}, &errs.AuthorizationError{Tool: "any"}
	default:
		return auth.Identity{Principal: name[0], Tenant: "t1"}, nil
	}
}

func TestAuth(t *testing.T) {
	t.Parallel()
	stage, err := auth.New(byHeader)
	if err != nil {
		t.Fatal(err)
	}
	options, err := interceptors.ServerOptions(interceptors.WithAuth(stage))
	if err != nil {
		t.Fatal(err)
	}
	alone := []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(stage.UnaryServerInterceptor()), grpc.ChainStreamInterceptor(stage.StreamServerInterceptor()),
	}
	tests := []struct {
		user string
		code codes.Code
		errs errs.Code
	}{
		{"alice", codes.OK, ""},
		{"", codes.Unauthenticated, errs.CodeUnauthenticated},
		{"broken", codes.Unauthenticated, errs.CodeUnauthenticated},
		{"down", codes.Unavailable, ""},
		{"denied", codes.PermissionDenied, errs.CodeAuthorizationDenied},
	}
	for how, options := range map[string][]grpc.ServerOption{"fused": options, "alone": alone} {
		service := &grpctest.Service{Handle: func(ctx context.Context) error {
			if id, ok := auth.FromContext(ctx); !ok || id != (auth.Identity{Principal: "alice", Tenant: "t1"}) {
				return status.Errorf(codes.DataLoss, "identity %v %v", id, ok)
			}
			return nil
		}}
		conn := grpctest.Serve(t, service, options, interceptors.DialOptions())
		for _, kind := range grpctest.Kinds() {
			for _, test := range tests {
				ctx := t.Context()
				if test.user != "" {
					ctx = metadata.AppendToOutgoingContext(ctx, "user", test.user)
				}
				err := grpctest.Call(ctx, conn, kind).Err
				if status.Code(err) != test.code || errs.CodeOf(err) != test.errs {
					t.Errorf("%s, %s, %q: got %v", how, kind, test.user, err)
				}
			}
		}
		if got := service.Calls.Load(); got != 4 {
			t.Errorf("%s: the handler ran %d times, want once a kind", how, got)
		}
	}
}

func TestLateIsNotUnauthenticated(t *testing.T) {
	t.Parallel()
	stage, err := auth.New(byHeader)
	if err != nil {
		t.Fatal(err)
	}
	ctx := metadata.NewIncomingContext(t.Context(), metadata.Pairs("user", "late"))
	if _, err := stage.Enter(ctx, "/a.B/C"); !errors.Is(err, context.DeadlineExceeded) || errs.CodeOf(err) != "" {
		t.Errorf("got %v", err)
	}
}

func TestHealthAndReflectionAreExempt(t *testing.T) {
	t.Parallel()
	stage, err := auth.New(byHeader, auth.WithExempt("own.Service"))
	if err != nil {
		t.Fatal(err)
	}
	for method, want := range map[string]bool{
		healthgrpc.Health_Check_FullMethodName:                           true,
		"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo":      true,
		"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": true,
		"/own.Service/Any":                true,
		"/own.ServiceToo/Any":             false,
		"/grpc.health.v1.HealthNot/Check": false,
		"/x/grpc.health.v1.Health/Check":  false,
		"":                                false,
	} {
		if got := stage.Exempt(method); got != want {
			t.Errorf("%s: got %v", method, got)
		}
	}
	ctx, err := stage.Enter(t.Context(), healthgrpc.Health_Check_FullMethodName)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := auth.FromContext(ctx); ok {
		t.Error("an exempt call has an identity")
	}
}

func TestNewRefusesNil(t *testing.T) {
	t.Parallel()
	if _, err := auth.New(nil); err == nil {
		t.Error("not refused")
	}
}
