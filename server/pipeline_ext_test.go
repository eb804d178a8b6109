package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/interceptors/recovery"
	"github.com/remedyrpc/remedy/server"
)

var stale = errs.MustDefine("slot_stale", errs.AfterRepair, errs.Headline("Stale."), errs.Steps(errs.CallTool("list", "Choose.")))

// TestStages has a call end in each stage, and sees that no later one began.
func TestStages(t *testing.T) {
	t.Parallel()
	plain := errors.New(secret)
	tests := []struct {
		name   string
		script script
		tool   string // default t
		key    string // default k
		input  string // default {"id":"a"}
		stage  string
		said   said
		hooks  []string
	}{
		{name: "no such tool", tool: "u", stage: "find", said: said{errs.CodeToolNotFound, 0}},
		{name: "impossible tool", tool: "\x00", stage: "find", said: said{errs.CodeToolNotFound, 0}},
		{name: "bad input", input: `{"id":1}`, stage: "validate", said: said{errs.CodeInvalidInput, 0}},
		{name: "no JSON", input: `{`, stage: "validate", said: said{errs.CodeInvalidInput, 0}},
		{name: "bad input, no key", key: "-", input: `{`, stage: "validate", said: said{errs.CodeInvalidInput, errs.EffectNone}},
		{name: "bad key", key: "a b", stage: "validate", said: said{errs.CodeInvalidInput, errs.EffectNone}},
		{name: "no key", key: "-", stage: "validate", said: said{errs.CodeOperationKeyRequired, errs.EffectNone}},
		{
			name: "denied", script: script{authorize: func(context.Context, *server.Op, in) error { return server.Denied("no") }},
			stage: "authorize", said: said{errs.CodeAuthorizationDenied, 0}, hooks: []string{"authorize"},
		},
		{
			name: "authorize fails", script: script{authorize: func(context.Context, *server.Op, in) error { return plain }},
			stage: "authorize", said: said{errs.CodeInternal, 0}, hooks: []string{"authorize"},
		},
		{
			name: "typed failure", script: script{execute: func(context.Context, *server.Op, in) error { return stale.New() }},
			stage: "execute", said: said{"slot_stale", errs.EffectNone}, hooks: []string{"authorize", "execute"},
		},
		{
			name: "plain failure", script: script{execute: func(context.Context, *server.Op, in) error { return plain }},
			stage: "execute", said: said{errs.CodeInternal, errs.EffectNone}, hooks: []string{"authorize", "execute"},
		},
		{
			name:   "it says so itself",
			script: script{execute: func(context.Context, *server.Op, in) error { return &errs.OutcomeUnknownError{Tool: "other"} }},
			stage:  "execute", said: said{errs.CodeOutcomeUnknown, errs.EffectUnknown}, hooks: []string{"authorize", "execute"},
		},
		{
			name: "effect fails", script: script{effect: func(context.Context, *server.Op, in) (out, error) { return out{}, stale.New() }},
			stage: "execute", said: said{errs.CodeOutcomeUnknown, errs.EffectUnknown}, hooks: []string{"authorize", "execute", "effect"},
		},
		{
			name: "verification fails", script: script{verify: func(context.Context, *server.Op, in, out) (server.Verdict, error) {
				return server.NotVerified(secret), nil
			}},
			stage: "verify", said: said{errs.CodeVerificationFailed, errs.EffectApplied},
			hooks: []string{"authorize", "execute", "effect", "verify"},
		},
		{
			name: "through", script: script{verify: func(context.Context, *server.Op, in, out) (server.Verdict, error) {
				return server.Verified, nil
			}},
			hooks: []string{"authorize", "execute", "effect", "verify"},
		},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var event server.Event
			srv := test.script.server(t, server.WithObserver(func(_ context.Context, e server.Event) { event = e }))
			request := server.Call{Tool: "t", OperationKey: "k", Input: `{"id":"a"}`, RunID: "run-1"}
			if test.tool != "" {
				request.Tool = test.tool
			}
			if test.input != "" {
				request.Input = test.input
			}
			if test.key != "" {
				request.OperationKey = strings.TrimPrefix(test.key, "-")
			}
			_, err := srv.Call(t.Context(), request)
			if got := saidBy(err); got != test.said {
				t.Errorf("got %+v (%v), want %+v", got, err, test.said)
			}
			if diff := cmp.Diff(test.hooks, test.script.hooks()); diff != "" {
				t.Errorf("hooks (-want +got):\n%s", diff)
			}
			if event.Stage != test.stage || event.Tool != request.Tool || event.RunID != "run-1" || !errors.Is(event.Err, err) {
				t.Errorf("observed %+v", event)
			}
			if err == nil {
				return
			}
			if strings.Contains(errs.ToStatus(err).String(), "hunter2") {
				t.Errorf("the secret is in the status: %v", errs.ToStatus(err))
			}
			info := errs.InfoOf(err)
			if test.stage != "find" && (info.Tool != "t" || info.RunID != "run-1") {
				t.Errorf("got %+v", info)
			}
		})
	}
}

// TestPanics has a panic in every hook: what it says stays in the log.
func TestPanics(t *testing.T) {
	t.Parallel()
	boom := func() { panic(secret) }
	verified := func(context.Context, *server.Op, in, out) (server.Verdict, error) { return server.Verified, nil }
	tests := []struct {
		name   string
		script script
		said   said
	}{
		{
			"authorize",
			script{authorize: func(context.Context, *server.Op, in) error { boom(); return nil }},
			said{errs.CodeInternal, 0},
		},
		{"key", script{key: func(context.Context, in) string { boom(); return "" }}, said{errs.CodeInternal, 0}},
		{
			"execute",
			script{execute: func(context.Context, *server.Op, in) error { boom(); return nil }},
			said{errs.CodeInternal, errs.EffectNone},
		},
		{
			"a typed panic",
			script{execute: func(context.Context, *server.Op, in) error { panic(fmt.Errorf("%s: %w", secret, stale.New())) }},
			said{errs.CodeInternal, errs.EffectNone},
		},
		{
			"effect",
			script{effect: func(context.Context, *server.Op, in) (out, error) { boom(); return out{}, nil }},
			said{errs.CodeOutcomeUnknown, errs.EffectUnknown},
		},
		{
			"effect and recover", script{
				effect: func(context.Context, *server.Op, in) (out, error) { boom(); return out{}, nil },
				recover: func(context.Context, *server.Op, in) (server.Recovered[out], error) {
					boom()
					return server.NotFound[out](), nil
				},
			}, said{errs.CodeOutcomeUnknown, errs.EffectUnknown},
		},
		{
			"effect, recovered", script{
				effect: func(context.Context, *server.Op, in) (out, error) { boom(); return out{}, nil },
				recover: func(_ context.Context, _ *server.Op, in in) (server.Recovered[out], error) {
					return server.Committed(out(in)), nil
				},
				verify: verified,
			}, said{},
		},
		{
			"verify",
			script{verify: func(context.Context, *server.Op, in, out) (server.Verdict, error) { boom(); return "", nil }},
			said{errs.CodeVerificationFailed, errs.EffectApplied},
		},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			srv := test.script.server(t, server.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			key := "k"
			if test.script.key != nil {
				key = ""
			}
			client, _ := serve(t, srv)
			_, err := client.CallTool(t.Context(), request(key, `{"id":"a"}`))
			if got := saidBy(err); got != test.said {
				t.Errorf("got %+v (%v), want %+v", got, err, test.said)
			}
			if err == nil {
				return
			}
			if strings.Contains(status.Convert(err).Proto().String()+err.Error(), "hunter2") {
				t.Errorf("the secret reached the caller: %v", err)
			}
			if !strings.Contains(log.String(), "hunter2") || !strings.Contains(log.String(), "pipeline_ext_test.go") {
				t.Errorf("the log has no text or no stack: %s", log.String())
			}
			if id := errs.InfoOf(err).ErrorID; test.said.Code == errs.CodeInternal && (id == "" || !strings.Contains(log.String(), id)) {
				t.Errorf("the error id %q is not in the log", id)
			}
		})
	}
}

func TestPanicIsMatchedInProcess(t *testing.T) {
	t.Parallel()
	s := script{execute: func(context.Context, *server.Op, in) error { panic("x") }}
	_, err := call(t.Context(), s.server(t), "k", `{"id":"a"}`)
	if p, ok := errors.AsType[*recovery.PanicError](err); !ok || p.Value != "x" {
		t.Errorf("got %v", err)
	}
}

// TestIdentity has what hooks return matched in what the call returns, whatever travels.
func TestIdentity(t *testing.T) {
	t.Parallel()
	sentinel := errors.New(secret)
	typed := stale.New(errs.Detail("slot", "s1"), errs.Cause(sentinel))
	for name, returned := range map[string]error{"plain": sentinel, "typed": typed, "wrapped": errors.Join(errors.New("a"), typed)} {
		before := script{execute: func(context.Context, *server.Op, in) error { return returned }}
		_, err := call(t.Context(), before.server(t), "k", `{"id":"a"}`)
		if !errors.Is(err, returned) || !errors.Is(err, sentinel) {
			t.Errorf("%s, before the boundary: %v", name, err)
		}
		after := script{effect: func(context.Context, *server.Op, in) (out, error) { return out{}, returned }}
		_, err = call(t.Context(), after.server(t), "k", `{"id":"a"}`)
		if !errors.Is(err, returned) || !errors.Is(err, errs.CodeOutcomeUnknown) {
			t.Errorf("%s, past it: %v", name, err)
		}
	}
	s := script{execute: func(context.Context, *server.Op, in) error { return typed }}
	_, err := call(t.Context(), s.server(t), "k", `{"id":"a"}`)
	e, ok := errors.AsType[*errs.ToolError](err)
	if !ok || e.Details["slot"] != "s1" {
		t.Fatalf("got %v", err)
	}
	want := errs.Info{
		Tool: "t", OperationKey: "k", OperationID: errs.InfoOf(err).OperationID, Effect: errs.EffectNone, Domain: errs.DomainTool,
	}
	if diff := cmp.Diff(want, errs.InfoOf(err)); diff != "" || want.OperationID == "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if errs.InfoOf(typed).Tool != "" {
		t.Error("the error of the tool was changed")
	}
}

// TestForeignStatuses has the errors of other services: the caller learns what happened to this operation from each.
func TestForeignStatuses(t *testing.T) {
	t.Parallel()
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		s := script{execute: func(context.Context, *server.Op, in) error { return status.Error(code, "text of "+code.String()) }}
		client, _ := serve(t, s.server(t))
		_, err := client.CallTool(t.Context(), request("k", `{"id":"a"}`))
		if inferred := errs.InferOutcome(err, errs.Call{Name: "t"}); errs.IsInferred(inferred) {
			t.Errorf("%v: a client concludes an unknown outcome from %v", code, err)
		}
		switch code {
		case codes.Canceled, codes.Unknown, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Internal, codes.Unavailable,
			codes.DataLoss:
			if got := saidBy(err); got != (said{errs.CodeInternal, errs.EffectNone}) || strings.Contains(err.Error(), "text of") {
				t.Errorf("%v: got %v", code, err)
			}
		default:
			if status.Code(err) != code || status.Convert(err).Message() != "text of "+code.String() {
				t.Errorf("%v: got %v", code, err)
			}
		}
	}
}

func TestOp(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	ops := make(map[string]server.Op)
	note := func(hook string, op *server.Op) {
		mu.Lock()
		defer mu.Unlock()
		ops[hook] = *op
	}
	s := script{
		authorize: func(_ context.Context, op *server.Op, _ in) error { note("authorize", op); return nil },
		execute:   func(_ context.Context, op *server.Op, _ in) error { note("execute", op); return nil },
		effect: func(_ context.Context, op *server.Op, _ in) (out, error) {
			note("effect", op)
			return out{}, errors.New("lost")
		},
		recover: func(_ context.Context, op *server.Op, in in) (server.Recovered[out], error) {
			note("recover", op)
			return server.Committed(out(in)), nil
		},
		verify: func(_ context.Context, op *server.Op, _ in, _ out) (server.Verdict, error) {
			note("verify", op)
			return server.Superseded, nil
		},
	}
	ctx := auth.NewContext(t.Context(), auth.Identity{Principal: "alice", Tenant: "acme"})
	result, err := call(ctx, s.server(t), "k", `{"id":"a"}`)
	if err != nil || !result.Verified {
		t.Fatal(result, err)
	}
	early := server.Op{Key: "k", Tool: "t", Principal: "alice", Tenant: "acme"}
	late := early
	late.ID, late.Attempt = result.OperationID, 1
	want := map[string]server.Op{"authorize": early, "execute": late, "effect": late, "recover": late, "verify": late}
	if diff := cmp.Diff(want, ops, cmpopts.IgnoreUnexported(server.Op{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := len(result.OperationID); n == 0 || n > 36 {
		t.Errorf("the operation id has %d characters", n)
	}
}

func TestObserverChangesNothing(t *testing.T) {
	t.Parallel()
	var s script
	srv := s.server(t, server.WithObserver(func(context.Context, server.Event) { panic("x") }))
	if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil {
		t.Error(err)
	}
}
