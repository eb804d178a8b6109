package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/server"
)

func TestDebug(t *testing.T) {
	t.Parallel()
	s := script{execute: func(_ context.Context, _ *server.Op, in in) error {
		if in.N == 1 {
			return stale.New()
		}
		return nil
	}}
	var log bytes.Buffer
	srv := s.server(t, server.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	for _, test := range []struct {
		call server.Call
		want []string
	}{
		{
			server.Call{Tool: "t", OperationKey: "k", RunID: "r", Input: `{"id":"hunter2"}`},
			[]string{"tool=t", "duration=", "operationKey=k", "operationId=op_", "runId=r", "replayed=false"},
		},
		{
			server.Call{Tool: "t", OperationKey: "l", Input: `{"id":"hunter2","n":1}`},
			[]string{"stage=execute", "code=slot_stale", "effect=none", "operationKey=l"},
		},
		{server.Call{Tool: "u", Input: `{"id":"hunter2"}`}, []string{"tool=u", "code=tool_not_found"}},
	} {
		log.Reset()
		_, _ = srv.Call(t.Context(), test.call)
		_, line, ok := strings.Cut(log.String(), `level=DEBUG msg="a call ended"`)
		for _, want := range test.want {
			if !strings.Contains(line, want) {
				t.Errorf("%s is not in %s", want, line)
			}
		}
		if !ok || strings.Contains(log.String(), "hunter2") {
			t.Errorf("the log is %s", log.String())
		}
	}
}
