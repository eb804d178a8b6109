package client_test

import (
	"context"
	"testing"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/client"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

// BenchmarkCall compares a call with what grpc alone does over the same connection in memory.
func BenchmarkCall(b *testing.B) {
	s := &service{call: func(_ context.Context, request *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
		return output(request.GetInputJson()), nil
	}}
	request := &servicev1.CallToolRequest{Tool: "t", Input: &servicev1.CallToolRequest_InputJson{InputJson: "{}"}, OperationKey: key}
	bare := func(b *testing.B, dial []grpc.DialOption) {
		b.Helper()
		c := servicev1.NewToolServiceClient(grpctest.ServeAny(b, s.register, serverOptions(b), dial))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.CallTool(b.Context(), request); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("grpc", func(b *testing.B) { bare(b, nil) })
	b.Run("grpc with DialOptions of interceptors", func(b *testing.B) { bare(b, interceptors.DialOptions()) })
	b.Run("grpc with DialOptions", func(b *testing.B) { bare(b, client.DialOptions()) })
	b.Run("CallJSON", func(b *testing.B) {
		c := serve(b, s)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.CallJSON(b.Context(), "t", []byte("{}"), client.WithOperationKey(key)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
