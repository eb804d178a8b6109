package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
)

// What the methods of errors can get wrong.
type (
	nilError          struct{ text string }
	textPanicsError   struct{}
	unwrapPanicsError struct{}
	isPanicsError     struct{}
	asPanicsError     struct{}
	statusPanicsError struct{}
	stackPanicsError  struct{}
	circleError       struct{}
	treeError         struct{}
	endlessError      struct{ depth int }
	sliceError        struct{ _ []int }
	hollowError       struct{}
)

func (e *nilError) Error() string { return e.text }

func (textPanicsError) Error() string { panic(secret) }

func (unwrapPanicsError) Error() string { return secret }
func (unwrapPanicsError) Unwrap() error { panic(secret) }

func (isPanicsError) Error() string { return secret }
func (isPanicsError) Is(error) bool { panic(secret) }

func (asPanicsError) Error() string { return secret }
func (asPanicsError) As(any) bool   { panic(secret) }

func (statusPanicsError) Error() string              { return secret }
func (statusPanicsError) GRPCStatus() *status.Status { panic(secret) }

func (stackPanicsError) Error() string      { return secret }
func (stackPanicsError) StackTrace() string { panic(secret) }

func (circleError) Error() string   { return secret }
func (e circleError) Unwrap() error { return e }

func (e treeError) Error() string   { return e.Unwrap()[0].Error() } // overflows the stack
func (e treeError) Unwrap() []error { return []error{e, e} }

func (endlessError) Error() string   { return secret }
func (e endlessError) Unwrap() error { return endlessError{e.depth + 1} }

func (sliceError) Error() string { return secret }

func (hollowError) Error() string   { return secret }
func (hollowError) Unwrap() []error { return []error{nil} }

// oddities are errors that hooks of no good family return.
func oddities() map[string]error {
	return map[string]error{
		"typed nil":              (*nilError)(nil),
		"typed nil with Unwrap":  (*fs.PathError)(nil),
		"typed nil of errs":      (*errs.ToolError)(nil),
		"typed nil, wrapped":     fmt.Errorf("%s: %w", secret, (*fs.PathError)(nil)),
		"typed nil, joined":      errors.Join(stale.New(), (*nilError)(nil)),
		"typed nil as the cause": stale.New(errs.Cause((*fs.PathError)(nil))),
		"text panics":            textPanicsError{},
		"unwrap panics":          unwrapPanicsError{},
		"is panics":              isPanicsError{},
		"as panics":              asPanicsError{},
		"status panics":          statusPanicsError{},
		"stack panics":           stackPanicsError{},
		"wraps itself":           circleError{},
		"joins itself":           treeError{},
		"never ends":             endlessError{},
		"uncomparable":           sliceError{},
		"nothing wrapped":        hollowError{},
	}
}

// TestUnsoundErrors has every hook return errors whose methods cannot be relied on. The server goes on, says what it knows
// and logs why, and the key is not lost.
func TestUnsoundErrors(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	unknown := said{errs.CodeOutcomeUnknown, errs.EffectUnknown}
	hooks := map[string]struct {
		script func(odd error) *script
		said   said
		again  said // of an equal call when the hook is well again
	}{
		"authorize": {
			func(odd error) *script {
				return &script{authorize: func(context.Context, *server.Op, in) error { return odd }}
			}, said{errs.CodeInternal, 0}, said{},
		},
		"execute": {
			func(odd error) *script {
				return &script{execute: func(context.Context, *server.Op, in) error { return odd }}
			}, said{errs.CodeInternal, errs.EffectNone}, said{},
		},
		"effect": {
			func(odd error) *script {
				return &script{effect: func(context.Context, *server.Op, in) (out, error) { return out{}, odd }}
			}, unknown, unknown,
		},
		"not applied": {
			func(odd error) *script {
				return &script{effect: func(_ context.Context, op *server.Op, _ in) (out, error) { return out{}, op.NotApplied(odd) }}
			}, said{errs.CodeInternal, errs.EffectNone}, said{},
		},
		"recover": {
			func(odd error) *script {
				return &script{
					effect: func(context.Context, *server.Op, in) (out, error) { return out{}, lost },
					recover: func(context.Context, *server.Op, in) (server.Recovered[out], error) {
						return server.NotFound[out](), odd
					},
				}
			}, unknown, unknown,
		},
		"verify": {
			func(odd error) *script {
				return &script{verify: func(context.Context, *server.Op, in, out) (server.Verdict, error) { return server.Verified, odd }}
			}, said{errs.CodeVerificationFailed, errs.EffectApplied}, said{},
		},
	}
	for name, odd := range oddities() {
		for where, hook := range hooks {
			t.Run(where+", "+name, func(t *testing.T) {
				t.Parallel()
				var log bytes.Buffer
				s := hook.script(odd)
				srv := s.server(t, server.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
				client, _ := serve(t, srv)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				_, err := client.CallTool(ctx, request("k", `{"id":"a"}`))
				got := saidBy(err)
				if typed := errs.CodeOf(odd) == "slot_stale"; typed && got.Code == "slot_stale" {
					got.Code = errs.CodeInternal // the typed part of it is sound
				}
				if got != hook.said {
					t.Errorf("got %+v (%v), want %+v", got, err, hook.said)
				}
				if strings.Contains(status.Convert(err).Proto().String(), "hunter2") {
					t.Errorf("the secret reached the caller: %v", err)
				}
				if log.Len() == 0 {
					t.Error("nothing was logged")
				}
				s.authorize, s.execute, s.effect, s.verify = nil, nil, nil, func(context.Context, *server.Op, in, out) (server.Verdict, error) {
					return server.Verified, nil
				}
				if _, err := client.CallTool(ctx, request("k", `{"id":"a"}`)); saidBy(err) != hook.again {
					t.Errorf("again: got %v, want %+v", err, hook.again)
				}
			})
		}
	}
}

func TestUnsoundErrorsOfReads(t *testing.T) {
	t.Parallel()
	for name, odd := range oddities() {
		tool := server.NewReadTool("t", "Reads.", func(context.Context, *server.Op, in) (out, error) { return out{}, odd })
		client, _ := serve(t, newServer(t, []*server.AnyTool{tool}))
		if _, err := client.CallTool(t.Context(), request("", `{"id":"a"}`)); saidBy(err) != (said{errs.CodeInternal, errs.EffectNone}) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// odd is a value whose JSON methods return an odd error.
type odd struct{ ID string }

func (odd) JSONSchema() string           { return `{"type":"object"}` }
func (*odd) UnmarshalJSON([]byte) error  { return circleError{} }
func (odd) MarshalJSON() ([]byte, error) { return nil, (*fs.PathError)(nil) }

var (
	_ json.Marshaler   = odd{}
	_ json.Unmarshaler = (*odd)(nil)
)

func TestUnsoundErrorsOfValues(t *testing.T) {
	t.Parallel()
	reads := server.NewTool("t", "Reads an odd input.", server.Tool[odd, out]{
		Immediate: func(context.Context, *server.Op, odd) (out, error) { return out{}, nil },
	})
	if _, err := call(t.Context(), newServer(t, []*server.AnyTool{reads}), "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeInvalidInput {
		t.Errorf("got %v", err)
	}
	writes := server.NewTool("t", "Writes an odd output.", server.Tool[in, odd]{
		Immediate: func(context.Context, *server.Op, in) (odd, error) { return odd{}, nil },
	})
	if r, err := call(t.Context(), newServer(t, []*server.AnyTool{writes}), "k", `{"id":"a"}`); err != nil || !r.OutputOmitted {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestLeavesWithoutAWord has an Execute end its goroutine: the key is free afterwards.
func TestLeavesWithoutAWord(t *testing.T) {
	t.Parallel()
	s := script{execute: func(context.Context, *server.Op, in) error { runtime.Goexit(); return nil }}
	srv := s.server(t)
	left := make(chan struct{})
	go func() {
		defer close(left)
		_, _ = call(t.Context(), srv, "k", `{"id":"a"}`)
	}()
	<-left
	s.execute = nil
	if r, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil || r.Replayed {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestLoggerPanics has a handler of the log panic in the goroutine that carries an effect.
func TestLoggerPanics(t *testing.T) {
	t.Parallel()
	s := script{effect: func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") }}
	srv := s.server(t, server.WithLogger(slog.New(panicking{})))
	if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeOutcomeUnknown {
		t.Errorf("got %v", err)
	}
}

type panicking struct{ slog.Handler }

func (panicking) Enabled(context.Context, slog.Level) bool { panic(secret) }
