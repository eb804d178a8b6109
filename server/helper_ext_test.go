package server_test

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/server"
)

var update = flag.Bool("update", false, "write the golden files anew")

// secret is in every error and panic of the tests that no caller may see.
const secret = "dsn=postgres://u:hunter2@h"

// in and out are what the tools of the tests take and return.
type in struct {
	ID string `json:"id"`
	N  int64  `json:"n,omitempty"`
}

type out struct {
	ID string `json:"id"`
	N  int64  `json:"n,omitempty"`
}

// script is a tool that notes which hooks were called, and does in each what the test says.
type script struct {
	authorize func(ctx context.Context, op *server.Op, in in) error
	execute   func(ctx context.Context, op *server.Op, in in) error
	effect    func(ctx context.Context, op *server.Op, in in) (out, error)
	recover   func(ctx context.Context, op *server.Op, in in) (server.Recovered[out], error)
	verify    func(ctx context.Context, op *server.Op, in in, out out) (server.Verdict, error)
	key       func(ctx context.Context, in in) string

	mu    sync.Mutex
	calls []string
}

func (s *script) note(hook string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, hook)
}

// hooks returns the hooks that were called since the last time.
func (s *script) hooks() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = nil
	return calls
}

// count returns how often a hook was called.
func (s *script) count(hook string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(s.calls), func(c string) bool { return c != hook }))
}

func (s *script) tool(name string, change ...func(*server.Tool[in, out])) *server.AnyTool {
	t := server.Tool[in, out]{
		Authorize: func(ctx context.Context, op *server.Op, in in) error {
			s.note("authorize")
			if s.authorize == nil {
				return nil
			}
			return s.authorize(ctx, op, in)
		},
		Execute: func(ctx context.Context, op *server.Op, in in) (server.Effect[out], error) {
			s.note("execute")
			if s.execute != nil {
				if err := s.execute(ctx, op, in); err != nil {
					return nil, err
				}
			}
			return func(ctx context.Context) (out, error) {
				s.note("effect")
				if s.effect == nil {
					return out(in), nil
				}
				return s.effect(ctx, op, in)
			}, nil
		},
	}
	if s.recover != nil {
		t.Recover = func(ctx context.Context, op *server.Op, in in) (server.Recovered[out], error) {
			s.note("recover")
			return s.recover(ctx, op, in)
		}
	}
	if s.verify != nil {
		t.Verify = func(ctx context.Context, op *server.Op, in in, o out) (server.Verdict, error) {
			s.note("verify")
			return s.verify(ctx, op, in, o)
		}
	}
	if s.key != nil {
		t.Key = func(ctx context.Context, in in) string {
			s.note("key")
			return s.key(ctx, in)
		}
	}
	for _, change := range change {
		change(&t)
	}
	return server.NewTool(name, "Does something.", t)
}

// newServer makes a server of tools, quiet unless an option says otherwise.
func newServer(tb testing.TB, tools []*server.AnyTool, options ...server.Option) *server.Server {
	tb.Helper()
	srv, err := server.New(tools, append([]server.Option{server.WithLogger(slog.New(slog.DiscardHandler))}, options...)...)
	if err != nil {
		tb.Fatal(err)
	}
	return srv
}

// one makes a server of the tool "t".
func (s *script) server(tb testing.TB, options ...server.Option) *server.Server {
	tb.Helper()
	return newServer(tb, []*server.AnyTool{s.tool("t")}, options...)
}

// serve serves with the interceptors, and returns a client that gets typed errors.
func serve(tb testing.TB, srv *server.Server, stages ...interceptors.ServerOption) (servicev1.ToolServiceClient, *grpc.ClientConn) {
	tb.Helper()
	options, err := interceptors.ServerOptions(stages...)
	if err != nil {
		tb.Fatal(err)
	}
	conn := grpctest.ServeAny(tb, func(r grpc.ServiceRegistrar) { srv.Register(r) }, options, interceptors.DialOptions())
	return servicev1.NewToolServiceClient(conn), conn
}

// call calls the tool "t" in this process.
func call(ctx context.Context, srv *server.Server, key, input string) (server.Result, error) {
	return srv.Call(ctx, server.Call{Tool: "t", OperationKey: key, Input: input})
}

// request is the same over gRPC.
func request(key, input string) *servicev1.CallToolRequest {
	return &servicev1.CallToolRequest{Tool: "t", OperationKey: key, Input: &servicev1.CallToolRequest_InputJson{InputJson: input}}
}

// said is what an error says.
type said struct {
	Code   errs.Code
	Effect errs.Effect
}

func saidBy(err error) said { return said{errs.CodeOf(err), errs.EffectOf(err)} }

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), run with -update when that is meant:\n%s", path, diff)
	}
}
