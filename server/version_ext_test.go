package server_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// numbered is an input whose id is a number: the inputs of the other tools cannot be read as one.
type numbered struct {
	ID int `json:"id"`
}

func ofNumbered(change func(*server.Tool[numbered, out])) *server.AnyTool {
	t := server.Tool[numbered, out]{
		Immediate: func(context.Context, *server.Op, numbered) (out, error) { return out{}, errors.New("a second effect") },
	}
	change(&t)
	return server.NewTool("t", "Does something.", t)
}

const (
	strict = `{"type":"object","required":["id","reason"],"properties":{"id":{"type":"string"},"reason":{"type":"string"}}}`
)

// TestDeploy has a new version of a tool between a call and its retry: what is past the boundary is answered all the same.
func TestDeploy(t *testing.T) {
	t.Parallel()
	schema := func(text string) func(*server.Tool[in, out]) {
		return func(t *server.Tool[in, out]) { t.InputSchema, t.Version = text, "2" }
	}
	var s script
	conflict := said{errs.CodeOperationConflict, 0}
	invalid := said{errs.CodeInvalidInput, 0}
	tests := []struct {
		name  string
		tool  *server.AnyTool
		said  said // of the retry
		other said // of another input under the same key
		fresh said // of the input under a new key
	}{
		{"the same", s.tool("t"), said{}, conflict, said{}},
		{"another name for the version", s.tool("t", schema("")), said{}, conflict, said{}},
		{"more is required", s.tool("t", schema(strict)), said{}, invalid, invalid},
		{"other defaults", s.tool("t", schema(`{"type":"object","properties":{"n":{"default":7}}}`)), said{}, conflict, said{}},
		{"another type", ofNumbered(func(*server.Tool[numbered, out]) {}), said{}, invalid, invalid},
		{"another type, verified", ofNumbered(func(t *server.Tool[numbered, out]) {
			t.Verify = func(context.Context, *server.Op, numbered, out) (server.Verdict, error) {
				return server.NotVerified("no input"), nil
			}
		}), said{errs.CodeVerificationFailed, errs.EffectApplied}, invalid, invalid},
		{"another type, authorized", ofNumbered(func(t *server.Tool[numbered, out]) {
			t.Authorize = func(_ context.Context, _ *server.Op, i numbered) error { return errors.New("asked with no input") }
		}), said{errs.CodeOutcomeUnknown, errs.EffectUnknown}, invalid, invalid},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := memory.New()
			var first script
			r, err := call(t.Context(), first.shared(t, m), "k", `{"id":"a"}`)
			if err != nil {
				t.Fatal(err)
			}
			srv := newServer(t, []*server.AnyTool{test.tool}, server.WithLedger(m))
			again, err := call(t.Context(), srv, "k", `{"id":"a"}`)
			if saidBy(err) != test.said || err == nil && (!again.Replayed || again.OperationID != r.OperationID) {
				t.Errorf("got %+v, %v", again, err)
			}
			if _, err := call(t.Context(), srv, "k", `{"id":"b"}`); saidBy(err) != test.other {
				t.Errorf("another input: got %v", err)
			}
			if _, err := call(t.Context(), srv, "new", `{"id":"a"}`); saidBy(err) != test.fresh {
				t.Errorf("another key: got %v", err)
			}
		})
	}
}

// TestDeployBeforeTheBoundary has a new version after an operation that was freed: its input passed nothing.
func TestDeployBeforeTheBoundary(t *testing.T) {
	t.Parallel()
	m := memory.New()
	s := script{execute: func(context.Context, *server.Op, in) error { return stale.New() }}
	if _, err := call(t.Context(), s.shared(t, m), "k", `{"id":"a"}`); saidBy(err) != (said{"slot_stale", errs.EffectNone}) {
		t.Errorf("got %v", err)
	}
	srv := newServer(t, []*server.AnyTool{s.tool("t", func(t *server.Tool[in, out]) { t.InputSchema = strict })}, server.WithLedger(m))
	if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeInvalidInput {
		t.Errorf("got %v", err)
	}
}

// TestDeployWithoutALedger has the ledger not answer whether an input passed before: nobody is told to change it.
func TestDeployWithoutALedger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty(memory.New())
		var s script
		if _, err := call(t.Context(), s.shared(t, f), "k", `{"id":"a"}`); err != nil {
			t.Fatal(err)
		}
		srv := newServer(t, []*server.AnyTool{s.tool("t", func(t *server.Tool[in, out]) { t.InputSchema = strict })}, server.WithLedger(f))
		f.breaks("get", lostBefore, -1)
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != (said{errs.CodeLedgerUnavailable, 0}) {
			t.Errorf("got %v", err)
		}
		f.heal()
		if r, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil || !r.Replayed {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

// TestClaimedInput has a version with other defaults go on with what an earlier one left behind: with the input of that one.
func TestClaimedInput(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"claimed", "past the boundary", "past the boundary, swept"} {
		synctest.Test(t, func(t *testing.T) {
			m := memory.New()
			end := make(chan struct{})
			defer release(end)
			var effects, looks []int64
			version := func(n string, s *script) *server.AnyTool {
				s.recover = func(_ context.Context, _ *server.Op, i in) (server.Recovered[out], error) {
					if n == "2" {
						looks = append(looks, i.N)
					}
					return server.Committed(out(i)), nil
				}
				return s.tool("t", func(t *server.Tool[in, out]) {
					t.Version = n
					t.InputSchema = `{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer","default":` + n + `}}}`
				})
			}
			hang := func(context.Context, *server.Op, in) error { <-end; return errors.New("gone") }
			one := &script{execute: hang}
			if where != "claimed" {
				one = &script{effect: func(ctx context.Context, op *server.Op, i in) (out, error) { return out{}, hang(ctx, op, i) }}
			}
			two := &script{effect: func(_ context.Context, _ *server.Op, i in) (out, error) {
				effects = append(effects, i.N)
				return out(i), nil
			}}
			dying := newFaulty(m)
			a := newServer(t, []*server.AnyTool{version("1", one)}, server.WithLedger(dying), server.WithStopDelay(0))
			b := newServer(t, []*server.AnyTool{version("2", two)}, server.WithLedger(m))
			ctx, leave := context.WithCancel(t.Context())
			go func() { _, _ = call(ctx, a, "k", `{"id":"a"}`) }()
			synctest.Wait()
			dying.cut()
			leave()
			stop(t, a)
			time.Sleep(41 * time.Second)
			if where == "past the boundary, swept" {
				if _, err := b.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			r, err := call(t.Context(), b, "k", `{"id":"a"}`)
			if err != nil || string(r.Output) != `{"id":"a","n":1}` {
				t.Errorf("%s: got %s, %v", where, r.Output, err)
			}
			if got := slices.Concat(effects, looks); !slices.Equal(got, []int64{1}) || (len(effects) == 1) != (where == "claimed") {
				t.Errorf("%s: effects %v, looks %v", where, effects, looks)
			}
			if got := row(t, m); got.State != ledger.Done || got.ToolVersion != "1" {
				t.Errorf("%s: it is %v of version %s", where, got.State, got.ToolVersion)
			}
		})
	}
}
