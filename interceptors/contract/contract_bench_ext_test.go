package contract_test

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/interceptors/neversent"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

// BenchmarkClient is what a client adds to a unary call: over a connection that does nothing, and to grpc.
func BenchmarkClient(b *testing.B) {
	orders()
	request, reply := wrapperspb.String(key), &wrapperspb.StringValue{}
	run := func(b *testing.B, conn grpc.ClientConnInterface, f flavor, ok bool) {
		b.Helper()
		method := methodOf(f, grpctest.Unary)
		b.ReportAllocs()
		for b.Loop() {
			if err := conn.Invoke(b.Context(), method, request, reply); (err == nil) != ok {
				b.Fatal(err)
			}
		}
	}
	stale := errs.ToStatus(shopv1.NewSlotStale(nil)).Err()
	for name, f := range map[string]flavor{"no contract": bare, "no effect": read, "effect": effect} {
		b.Run("nothing/"+name, func(b *testing.B) { run(b, client(answered{}), f, true) })
		b.Run("nothing/"+name+", declared error", func(b *testing.B) { run(b, client(answered{err: stale}), f, false) })
		b.Run("grpc/"+name, func(b *testing.B) { run(b, client(serve(b, &service{}, nil)), f, true) })
		b.Run("grpc, proving/"+name, func(b *testing.B) { run(b, client(serve(b, &service{}, nil, neversent.DialOption())), f, true) })
		b.Run("grpc, rules inside/"+name, func(b *testing.B) { run(b, client(serve(b, &service{}, nil, rulesInside()...)), f, true) })
	}
	b.Run("nothing/no client", func(b *testing.B) { run(b, answered{}, bare, true) })
	b.Run("grpc/no client", func(b *testing.B) { run(b, serve(b, &service{}, nil), bare, true) })
	b.Run("grpc, proving/no client", func(b *testing.B) { run(b, serve(b, &service{}, nil, neversent.DialOption()), bare, true) })
}

// BenchmarkServer is what the check adds to a call that ends well.
func BenchmarkServer(b *testing.B) {
	orders()
	handler := func(context.Context, any) (any, error) { return reply, nil }
	intercept := contract.UnaryServerInterceptor()
	info := &grpc.UnaryServerInfo{FullMethod: methodOf(read, grpctest.Unary)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := intercept(b.Context(), nil, info, handler); err != nil {
			b.Fatal(err)
		}
	}
}

var reply = &wrapperspb.StringValue{}

// TestNothingIsAdded to a unary call without an effect that ends well.
func TestNothingIsAdded(t *testing.T) { //nolint:paralleltest // counts allocations
	for _, f := range []flavor{read, bare} {
		conn, ctx, request, method := client(answered{}), t.Context(), wrapperspb.String(key), methodOf(f, grpctest.Unary)
		if n := testing.AllocsPerRun(100, func() { _ = conn.Invoke(ctx, method, request, reply) }); n > 0 {
			t.Errorf("%s: %v allocations", f, n)
		}
	}
}
