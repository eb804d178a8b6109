package server_test

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
)

func TestOperationIDHeader(t *testing.T) {
	t.Parallel()
	s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
		if in.N == 1 {
			return out{}, errors.New("lost")
		}
		return out(in), nil
	}}
	client, _ := serve(t, s.server(t))
	for key, input := range map[string]string{"done": `{"id":"a"}`, "unknown": `{"id":"a","n":1}`} {
		var first string
		for i := range 3 {
			var header metadata.MD
			response, err := client.CallTool(t.Context(), request(key, input), grpc.Header(&header))
			id := response.GetResult().GetOperationId()
			if err != nil {
				id = errs.InfoOf(err).OperationID
			}
			if i == 0 {
				first = id
			}
			if got := header.Get(server.OperationIDHeader); len(got) != 1 || got[0] != id || id != first || id == "" {
				t.Errorf("%s, call %d: got %v for %q", key, i, got, id)
			}
		}
	}
}
