package server_test

import (
	"context"
	"errors"
	"log/slog"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
)

type tree struct {
	Kids []tree `json:"kids"`
}

// TestRefused has everything that is wrong reported at once, with the tool, the field and what to do.
func TestRefused(t *testing.T) {
	t.Parallel()
	var s script
	read := func(context.Context, *server.Op, in) (out, error) { return out{}, nil }
	schema := func(text string) *server.AnyTool {
		return server.NewReadTool("schema", "Reads.", read, server.ReadSchema(text))
	}
	tools := []*server.AnyTool{
		nil,
		s.tool("twice"), s.tool("twice"),
		s.tool(""), s.tool("a b"), s.tool(strings.Repeat("x", 65)),
		server.NewTool("empty", " ", server.Tool[in, out]{}),
		server.NewTool("types", "Does something.", server.Tool[string, []int]{}),
		server.NewTool("outputs", "Does something.", server.Tool[in, any]{
			Immediate: func(context.Context, *server.Op, in) (any, error) { return 1, nil },
		}),
		server.NewReadTool[in, out]("nothing", "Reads.", nil),
		server.NewReadTool("other", "Reads.", read, server.ReadAuthorize(func(context.Context, *server.Op, out) error { return nil })),
		server.NewReadTool("cycle", "Reads.", func(context.Context, *server.Op, tree) (out, error) { return out{}, nil }),
		server.NewReadTool("negative", "Reads.", read, server.ReadTimeout(-1)),
		s.tool("window", func(t *server.Tool[in, out]) { t.Timeouts.Window = -1 }),
		s.tool("remembers", func(t *server.Tool[in, out]) { t.DedupeWindow = time.Hour }),
		s.tool("forgets", func(t *server.Tool[in, out]) { t.DedupesOnOperationID, t.DedupeWindow = true, time.Minute }),
		server.NewReadTool("codes", "Reads.", read, server.ReadErrors(stale, nil, stale)),
		schema(`{`),
		schema(`{"type":"object","properties":{"id":{"type":"text"}}}`),
		schema(`{"type":"object","$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/a"}}}},"$ref":"#/$defs/a"}`),
		schema(`{"type":"object","$ref":"https://example.com/schema.json"}`),
		schema(`{"type":"object","description":"` + strings.Repeat("x", 256<<10) + `"}`),
	}
	_, err := server.New(tools, server.WithMaxOperations(0), server.WithStopDelay(-time.Second), server.WithRecheckInterval(-1))
	if err == nil {
		t.Fatal("accepted")
	}
	golden(t, "refused.txt", err.Error()+"\n")
}

func TestNewWithoutTools(t *testing.T) {
	t.Parallel()
	srv := newServer(t, nil, server.WithLogger(nil), server.WithObserver(nil))
	if _, err := call(t.Context(), srv, "k", `{}`); errs.CodeOf(err) != errs.CodeToolNotFound {
		t.Errorf("got %v", err)
	}
}

func TestReadTool(t *testing.T) {
	t.Parallel()
	lost := errors.New(secret)
	denied := server.ReadAuthorize(func(_ context.Context, _ *server.Op, in in) error {
		if in.ID == "denied" {
			return server.Denied("no")
		}
		return nil
	})
	calls := 0
	tool := server.NewReadTool("t", "Reads.", func(ctx context.Context, _ *server.Op, in in) (out, error) {
		calls++
		switch in.ID {
		case "plain":
			return out{}, lost
		case "typed":
			return out{}, stale.New()
		case "panic":
			panic(secret)
		case "slow":
			<-ctx.Done()
			return out{}, ctx.Err()
		}
		return out(in), nil
	}, denied, server.ReadTimeout(time.Millisecond), server.ReadErrors(stale))
	srv := newServer(t, []*server.AnyTool{tool})
	for id, want := range map[string]said{
		"a": {}, "plain": {errs.CodeInternal, errs.EffectNone}, "typed": {"slot_stale", errs.EffectNone},
		"panic": {errs.CodeInternal, errs.EffectNone}, "slow": {errs.CodeOperationTimeout, errs.EffectNone},
		"denied": {errs.CodeAuthorizationDenied, errs.EffectNone},
	} {
		if _, err := call(t.Context(), srv, "", `{"id":"`+id+`"}`); saidBy(err) != want {
			t.Errorf("%s: got %v", id, err)
		}
	}
	if calls != 5 {
		t.Errorf("read %d times", calls)
	}
}

// TestUndeclared has a tool return an error that it does not list: it is delivered, and somebody is told.
func TestUndeclared(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := script{execute: func(context.Context, *server.Op, in) error { return stale.New() }}
	for _, listed := range []bool{false, true} {
		log.Reset()
		tool := s.tool("t", func(t *server.Tool[in, out]) {
			if listed {
				t.Errors = []*errs.Definition{stale}
			}
		})
		srv := newServer(t, []*server.AnyTool{tool}, server.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != (said{"slot_stale", errs.EffectNone}) {
			t.Errorf("got %v", err)
		}
		if got := strings.Contains(log.String(), "does not declare"); got == listed {
			t.Errorf("listed %v: the log is %q", listed, log.String())
		}
	}
}

// TestLogHoldsNoValues has every kind of call logged: inputs and outputs are in no line.
func TestLogHoldsNoValues(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := script{
		effect: func(_ context.Context, _ *server.Op, in in) (out, error) { return out{}, errors.New("lost") },
		verify: func(context.Context, *server.Op, in, out) (server.Verdict, error) {
			return server.NotVerified("no"), nil
		},
	}
	srv := s.server(t, server.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	_, _ = call(t.Context(), srv, "k", `{"id":"hunter2"}`)
	s.effect = nil
	_, _ = call(t.Context(), srv, "l", `{"id":"hunter2"}`)
	_, _ = call(t.Context(), srv, "m", `{"id":"hunter2","hunter2":1}`)
	if log.Len() == 0 || strings.Contains(log.String(), "hunter2") {
		t.Errorf("the log is %s", log.String())
	}
}

// TestDependencies has who embeds the server compile no client, no CEL and no driver.
func TestDependencies(t *testing.T) {
	t.Parallel()
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "github.com/remedyrpc/remedy/server").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	for pkg := range strings.FieldsSeq(string(list)) {
		for _, bad := range []string{
			"remedy/client", "remedy/cmd", "remedy/interceptors/validate", "cel.dev/", "protovalidate", "database/sql", "jackc/", "modernc.org/",
			"go.opentelemetry.io",
		} {
			// validate.proto's generated code is what the protos of the service import; it is no CEL.
			if strings.Contains(pkg, bad) && !strings.HasPrefix(pkg, "buf.build/gen/go/bufbuild/protovalidate/") {
				t.Errorf("the server needs %s", pkg)
			}
		}
	}
}

// TestNilOptions skips options that are nil, as of a caller that has none to give.
func TestNilOptions(t *testing.T) {
	t.Parallel()
	read := server.NewReadTool("t", "Reads.", func(_ context.Context, _ *server.Op, in in) (out, error) { return out(in), nil }, nil)
	if _, err := server.New([]*server.AnyTool{read}, nil, server.WithStopDelay(0)); err != nil {
		t.Error(err)
	}
}
