package server_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
)

// BenchmarkCall runs the stages in this process.
func BenchmarkCall(b *testing.B) {
	effect := server.NewTool("effect", "Does something.", server.Tool[in, out]{
		Immediate: func(_ context.Context, _ *server.Op, in in) (out, error) { return out(in), nil },
	})
	refused := server.NewTool("refused", "Does something.", server.Tool[in, out]{
		Execute: func(context.Context, *server.Op, in) (server.Effect[out], error) { return nil, stale.New() },
	})
	read := server.NewReadTool("read", "Reads.", func(_ context.Context, _ *server.Op, in in) (out, error) { return out(in), nil })
	for _, bench := range []struct {
		name, tool string
		key        func(i int) string
		input      string
		code       errs.Code
	}{
		{"read", "read", func(int) string { return "" }, `{"id":"a","n":1}`, ""},
		{"effect", "effect", strconv.Itoa, `{"id":"a","n":1}`, ""},
		{"replay", "effect", func(int) string { return "k" }, `{"id":"a","n":1}`, ""},
		{"typed failure", "refused", func(int) string { return "k" }, `{"id":"a","n":1}`, "slot_stale"},
		{"invalid input", "effect", func(int) string { return "k" }, `{"id":1}`, errs.CodeInvalidInput},
	} {
		b.Run(bench.name, func(b *testing.B) {
			srv := newServer(b, []*server.AnyTool{effect, refused, read}, server.WithMaxOperations(1<<30))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_, err := srv.Call(b.Context(), server.Call{Tool: bench.tool, OperationKey: bench.key(i), Input: bench.input})
				if errs.CodeOf(err) != bench.code {
					b.Fatal(err)
				}
			}
		})
	}
}
