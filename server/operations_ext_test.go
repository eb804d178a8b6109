package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/server"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s script
		srv := s.server(t)
		first, err := call(t.Context(), srv, "k", `{"id":"a","n":1}`)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		// The same input, written in another way.
		again, err := call(t.Context(), srv, "k", ` { "n" : 1.0 , "id" : "\u0061" } `)
		if err != nil {
			t.Fatal(err)
		}
		want := first
		want.Replayed = true
		if diff := cmp.Diff(want, again); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"authorize", "execute", "effect", "authorize"}, s.hooks()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, err := call(t.Context(), srv, "k", `{"id":"a","n":2}`); saidBy(err) != (said{errs.CodeOperationConflict, 0}) {
			t.Errorf("another input: got %v", err)
		}
		s.authorize = func(context.Context, *server.Op, in) error { return server.Denied("") }
		if _, err := call(t.Context(), srv, "k", `{"id":"a","n":1}`); saidBy(err) != (said{errs.CodeAuthorizationDenied, 0}) {
			t.Errorf("not authorized any more: got %v", err)
		}
	})
}

// TestScope has equal keys that mean different operations.
func TestScope(t *testing.T) {
	t.Parallel()
	var s script
	srv := newServer(t, []*server.AnyTool{s.tool("t"), s.tool("u")})
	as := func(principal, tenant string) context.Context {
		return auth.NewContext(t.Context(), auth.Identity{Principal: principal, Tenant: tenant})
	}
	for _, ctx := range []context.Context{t.Context(), as("alice", "x"), as("bob", "x"), as("alice", "y")} {
		for _, tool := range []string{"t", "u"} {
			if r, err := srv.Call(ctx, server.Call{Tool: tool, OperationKey: "k", Input: `{"id":"a"}`}); err != nil || r.Replayed {
				t.Errorf("got %+v, %v", r, err)
			}
		}
	}
	if got := s.count("effect"); got != 8 {
		t.Errorf("the effects were called %d times", got)
	}
}

// TestConcurrent has 100 equal calls at once: one effect, and everybody is told of it or to ask again.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
		close(begun) // a second time it would panic
		<-release
		return out(in), nil
	}}
	client, _ := serve(t, s.server(t))
	var wg sync.WaitGroup
	results := make(chan error, 100)
	for range 100 {
		wg.Go(func() {
			response, err := client.CallTool(t.Context(), request("k", `{"id":"a"}`))
			if err == nil && response.GetResult().GetOutputJson() != `{"id":"a"}` {
				err = fmt.Errorf("got %v", response)
			}
			results <- err
		})
	}
	<-begun
	close(release)
	wg.Wait()
	close(results)
	for err := range results {
		if err != nil && (errs.CodeOf(err) != errs.CodeOperationInFlight || errs.RetryOf(err) != errs.AsIs) {
			t.Errorf("got %v", err)
		}
	}
	if got := s.count("effect"); got != 1 {
		t.Errorf("the effect was called %d times", got)
	}
}

// TestInFlight has a call wait for an equal one, in vain.
func TestInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
			time.Sleep(10 * time.Second)
			return out(in), nil
		}}
		srv := s.server(t)
		var first server.Result
		var wg sync.WaitGroup
		wg.Go(func() { first, _ = call(t.Context(), srv, "k", `{"id":"a"}`) })
		synctest.Wait()
		begun := time.Now()
		_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		if saidBy(err) != (said{errs.CodeOperationInFlight, 0}) || status.Code(err) != codes.Aborted || errs.RetryOf(err) != errs.AsIs {
			t.Errorf("got %v", err)
		}
		if waited := time.Since(begun); waited != 2*time.Second {
			t.Errorf("waited %v", waited)
		}
		if _, err := call(t.Context(), srv, "k", `{"id":"b"}`); errs.CodeOf(err) != errs.CodeOperationConflict {
			t.Errorf("another input while it runs: got %v", err)
		}
		wg.Wait()
		if errs.InfoOf(err).OperationID != first.OperationID || first.OperationID == "" {
			t.Errorf("got %v and %v", errs.InfoOf(err), first)
		}
	})
}

// TestCrowd has more calls wait than may.
func TestCrowd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
			time.Sleep(time.Second)
			return out(in), nil
		}}
		srv := s.server(t)
		var wg sync.WaitGroup
		var mu sync.Mutex
		refused := 0
		for range 1 + 64 + 10 {
			wg.Go(func() {
				_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
				mu.Lock()
				defer mu.Unlock()
				if errs.CodeOf(err) == errs.CodeOperationInFlight {
					refused++
				} else if err != nil {
					t.Errorf("got %v", err)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		if refused != 10 {
			t.Errorf("%d were refused, want 10", refused)
		}
	})
}

// TestSharedFailure has calls that wait get the failure of the one they wait for, and the key is free afterwards.
func TestSharedFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failing := true
		s := script{execute: func(ctx context.Context, _ *server.Op, _ in) error {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return ctx.Err()
			}
			if failing {
				return stale.New()
			}
			return nil
		}}
		srv := s.server(t)
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != (said{"slot_stale", errs.EffectNone}) {
					t.Errorf("got %v", err)
				}
			})
		}
		wg.Wait()
		if got := s.count("execute"); got != 1 {
			t.Errorf("Execute was called %d times", got)
		}
		// The one that is waited for leaves: the others do not fail with it.
		failing = false
		leaving, leave := context.WithCancel(t.Context())
		wg.Go(func() {
			if _, err := call(leaving, srv, "k", `{"id":"b"}`); saidBy(err) != (said{errs.CodeCanceled, errs.EffectNone}) {
				t.Errorf("got %v", err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if r, err := call(t.Context(), srv, "k", `{"id":"b"}`); err != nil || r.Replayed {
				t.Errorf("got %+v, %v", r, err)
			}
		})
		synctest.Wait()
		leave()
		wg.Wait()
	})
}

// TestAuthorizedAgainOnWaking has a caller lose its right while it waits for an equal call.
func TestAuthorizedAgainOnWaking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var revoked atomic.Bool
		s := script{
			authorize: func(context.Context, *server.Op, in) error {
				if revoked.Load() {
					return server.Denied("")
				}
				return nil
			},
			effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
				time.Sleep(time.Second)
				return out(in), nil
			},
		}
		srv := s.server(t)
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil {
				t.Errorf("got %v", err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if r, err := call(t.Context(), srv, "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeAuthorizationDenied {
				t.Errorf("got %+v, %v", r, err)
			}
		})
		synctest.Wait()
		revoked.Store(true)
		wg.Wait()
	})
}

// TestUnknownBeforeTheBoundary has an Execute say itself that something may have happened: it is not called again.
func TestUnknownBeforeTheBoundary(t *testing.T) {
	t.Parallel()
	s := script{execute: func(context.Context, *server.Op, in) error { return &errs.OutcomeUnknownError{Tool: "upstream"} }}
	srv := s.server(t)
	for range 2 {
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != (said{errs.CodeOutcomeUnknown, errs.EffectUnknown}) {
			t.Errorf("got %v", err)
		}
	}
	if got := s.count("execute"); got != 1 {
		t.Errorf("Execute was called %d times", got)
	}
}

// TestUnknownIsLookedAtAgain has an outcome that becomes known later. It is never executed again.
func TestUnknownIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		known := false
		s := script{
			effect: func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") },
			recover: func(_ context.Context, _ *server.Op, in in) (server.Recovered[out], error) {
				if known {
					return server.Committed(out(in)), nil
				}
				return server.NotFound[out](), nil
			},
		}
		srv := s.server(t)
		for range 3 { // within five seconds it is looked at once
			_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
			if saidBy(err) != (said{errs.CodeOutcomeUnknown, errs.EffectUnknown}) {
				t.Errorf("got %v", err)
			}
		}
		if got := s.count("recover"); got != 1 {
			t.Errorf("Recover was called %d times", got)
		}
		time.Sleep(5 * time.Second)
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeOutcomeUnknown || s.count("recover") != 2 {
			t.Errorf("got %v after %d looks", err, s.count("recover"))
		}
		if _, err := call(t.Context(), srv, "k", `{"id":"b"}`); errs.CodeOf(err) != errs.CodeOperationConflict {
			t.Errorf("another input: got %v", err)
		}
		known = true
		time.Sleep(5 * time.Second)
		completed := time.Now()
		for range 2 {
			r, err := call(t.Context(), srv, "k", `{"id":"a"}`)
			if err != nil || !r.Replayed || !r.FirstCompletedAt.Equal(completed) || string(r.Output) != `{"id":"a"}` {
				t.Errorf("got %+v, %v", r, err)
			}
		}
		if got := s.count("effect"); got != 1 {
			t.Errorf("the effect was called %d times", got)
		}
	})
}

// TestRecheckInterval looks on every call where that is asked for.
func TestRecheckInterval(t *testing.T) {
	t.Parallel()
	s := script{
		effect: func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") },
		recover: func(context.Context, *server.Op, in) (server.Recovered[out], error) {
			return server.NotFound[out](), nil
		},
	}
	srv := s.server(t, server.WithRecheckInterval(0))
	for range 3 {
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeOutcomeUnknown {
			t.Errorf("got %v", err)
		}
	}
	if recovers, effects := s.count("recover"), s.count("effect"); recovers != 3 || effects != 1 {
		t.Errorf("Recover was called %d times and the effect %d times", recovers, effects)
	}
}

// TestForgetting has operations forgotten by age and number, but never one that is not complete.
func TestForgetting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
			if in.N == 1 {
				return out{}, errors.New("lost")
			}
			return out(in), nil
		}}
		srv := s.server(t, server.WithMaxOperations(3))
		try := func(key, input string) (bool, errs.Code) {
			r, err := call(t.Context(), srv, key, input)
			return r.Replayed, errs.CodeOf(err)
		}
		expect := func(what string, replayed bool, code errs.Code, wantReplayed bool, wantCode errs.Code) {
			t.Helper()
			if replayed != wantReplayed || code != wantCode {
				t.Errorf("%s: got %v %q, want %v %q", what, replayed, code, wantReplayed, wantCode)
			}
		}
		for _, key := range []string{"a", "b"} {
			r, code := try(key, `{"id":"x"}`)
			expect(key, r, code, false, "")
			time.Sleep(time.Millisecond)
		}
		r, code := try("unknown", `{"id":"x","n":1}`)
		expect("unknown", r, code, false, errs.CodeOutcomeUnknown)
		r, code = try("c", `{"id":"x"}`)
		expect("a fourth at once", r, code, false, errs.CodeOverloaded)
		time.Sleep(10 * time.Minute)
		r, code = try("c", `{"id":"x"}`)
		expect("in place of the oldest", r, code, false, "")
		r, code = try("b", `{"id":"x"}`)
		expect("the second oldest", r, code, true, "")
		r, code = try("a", `{"id":"other"}`)
		expect("the oldest is forgotten, and takes the place of b", r, code, false, "")
		r, code = try("unknown", `{"id":"x","n":1}`)
		expect("still unknown", r, code, false, errs.CodeOutcomeUnknown)
		time.Sleep(24*time.Hour + time.Second)
		r, code = try("c", `{"id":"other"}`)
		expect("kept, where there is room", r, code, false, errs.CodeOperationConflict)
		r, code = try("unknown", `{"id":"x","n":1}`)
		expect("still unknown after a day", r, code, false, errs.CodeOutcomeUnknown)
	})
}

// TestOutputs has outputs that are too large to be kept: the receipt is.
func TestOutputs(t *testing.T) {
	t.Parallel()
	type text struct {
		Text string `json:"text"`
	}
	verified := 0
	tool := server.NewTool("t", "Writes much.", server.Tool[in, text]{
		Immediate: func(_ context.Context, _ *server.Op, in in) (text, error) {
			return text{strings.Repeat("x", int(in.N))}, nil
		},
		Verify: func(context.Context, *server.Op, in, text) (server.Verdict, error) {
			verified++
			return server.Verified, nil
		},
	})
	srv := newServer(t, []*server.AnyTool{tool})
	const most = 1<<20 - len(`{"text":""}`)
	for n, omitted := range map[int]bool{most: false, most + 1: true} {
		verified = 0
		input := fmt.Sprintf(`{"id":"a","n":%d}`, n)
		for i, replayed := range []bool{false, true} {
			r, err := call(t.Context(), srv, strconv.Itoa(n), input)
			if err != nil || r.OutputOmitted != omitted || (len(r.Output) == 0) != omitted || r.Replayed != replayed || r.FirstCompletedAt.IsZero() {
				t.Errorf("%d bytes, call %d: got omitted %v, replayed %v, %v", n, i, r.OutputOmitted, r.Replayed, err)
			}
		}
		if want := map[bool]int{false: 2, true: 1}[omitted]; verified != want {
			t.Errorf("%d bytes: verified %d times, want %d", n, verified, want)
		}
	}
	// 64 MiB of outputs are kept, then the oldest ones go.
	first, err := call(t.Context(), srv, "first", `{"id":"a","n":1000000}`)
	if err != nil || first.OutputOmitted {
		t.Fatal(err)
	}
	for i := range 68 {
		if _, err := call(t.Context(), srv, fmt.Sprint("many", i), `{"id":"a","n":1000000}`); err != nil {
			t.Fatal(err)
		}
	}
	_, err = call(t.Context(), srv, "first", `{"id":"a","n":1000000}`)
	if saidBy(err) != (said{errs.CodeOperationExpired, errs.EffectApplied}) || errs.InfoOf(err).OperationID != first.OperationID {
		t.Errorf("got %v", err)
	}
}

// TestUnwritableOutput has an effect whose result is no JSON: it took place all the same.
func TestUnwritableOutput(t *testing.T) {
	t.Parallel()
	type bad struct {
		F func() `json:"f"`
	}
	effects := 0
	tool := server.NewTool("t", "Returns a function.", server.Tool[in, bad]{
		Immediate: func(context.Context, *server.Op, in) (bad, error) { effects++; return bad{}, nil },
	})
	var log bytes.Buffer
	srv := newServer(t, []*server.AnyTool{tool}, server.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	for _, replayed := range []bool{false, true} {
		r, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		if err != nil || !r.OutputOmitted || r.Replayed != replayed || effects != 1 {
			t.Errorf("got %+v, %v after %d effects", r, err, effects)
		}
	}
	if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "func()") {
		t.Errorf("the log is %s", log.String())
	}
}

// TestUnsendableOutputs has outputs that grpc, or a client, would not take: they are omitted after an effect, and an error
// of a tool that only reads. Either is logged.
func TestUnsendableOutputs(t *testing.T) {
	t.Parallel()
	outputs := map[string]struct {
		out   any
		level string
	}{
		"not UTF-8":               {json.RawMessage("\"\xff\""), "ERROR"},
		"not UTF-8, in a name":    {map[string]json.RawMessage{"a": json.RawMessage("{\"\xff\":1}")}, "ERROR"},
		"not a number":            {math.NaN(), "ERROR"},
		"larger than 1 MiB":       {strings.Repeat("x", 1<<20), "WARN"},
		"larger than any message": {strings.Repeat("x", 8<<20), "WARN"},
	}
	type value struct {
		Value any `json:"value"`
	}
	for name, test := range outputs {
		for _, reads := range []bool{true, false} {
			var log bytes.Buffer
			tool := server.NewReadTool("t", "Reads.", func(context.Context, *server.Op, in) (value, error) { return value{test.out}, nil })
			if !reads {
				tool = server.NewTool("t", "Writes.", server.Tool[in, value]{
					Immediate: func(context.Context, *server.Op, in) (value, error) { return value{test.out}, nil },
				})
			}
			client, _ := serve(t, newServer(t, []*server.AnyTool{tool}, server.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))))
			for _, replayed := range []bool{false, true} {
				response, err := client.CallTool(t.Context(), request("k", `{"id":"a"}`))
				r := response.GetResult()
				if reads && (saidBy(err) != said{errs.CodeInternal, errs.EffectNone} || errs.InfoOf(err).ErrorID == "") {
					t.Errorf("%s, a read: got %v, %v", name, r, err)
				}
				if !reads && (err != nil || !r.GetOutputOmitted() || r.GetReplayed() != replayed || r.GetOperationId() == "") {
					t.Errorf("%s, an effect: got %v, %v", name, r, err)
				}
			}
			if level := map[bool]string{true: "ERROR", false: test.level}[reads]; !strings.Contains(log.String(), "level="+level) {
				t.Errorf("%s, reads %v: the log is %s", name, reads, log.String())
			}
		}
	}
}

// TestOperationIDHeader has the header name the operation on the first call and on every answer from what is known.
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

// TestToolKey has a tool that makes the key of its input: the caller's is not used, and answers name the tool's.
func TestToolKey(t *testing.T) {
	t.Parallel()
	s := script{key: func(_ context.Context, in in) string { return "of-" + in.ID }}
	srv := s.server(t)
	first, err := call(t.Context(), srv, "mine", `{"id":"a"}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"", "mine", "another"} {
		r, err := call(t.Context(), srv, key, `{"id":"a"}`)
		if err != nil || !r.Replayed || r.OperationID != first.OperationID {
			t.Errorf("%q: got %+v, %v", key, r, err)
		}
		if _, err := call(t.Context(), srv, key, `{"id":"a","n":1}`); saidBy(err) != (said{errs.CodeOperationConflict, 0}) ||
			errs.InfoOf(err).OperationKey != "of-a" {
			t.Errorf("%q, another input: got %v, %+v", key, err, errs.InfoOf(err))
		}
	}
	if r, err := call(t.Context(), srv, "mine", `{"id":"b"}`); err != nil || r.Replayed {
		t.Errorf("the same key of the caller, another of the tool: got %+v, %v", r, err)
	}
	// Before its key is known, a failure names none.
	if _, err := call(t.Context(), srv, "mine", `{}`); saidBy(err) != (said{errs.CodeInvalidInput, 0}) || errs.InfoOf(err).OperationKey != "" {
		t.Errorf("got %v, %+v", err, errs.InfoOf(err))
	}
	s.effect = func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") }
	_, err = call(t.Context(), srv, "mine", `{"id":"c"}`)
	if e, ok := errors.AsType[*errs.OutcomeUnknownError](err); !ok || e.OperationKey != "of-c" {
		t.Errorf("got %v", err)
	}
}

// TestForgottenStatesNothing has calls fail whose operation took place and was forgotten: none states that it did not.
func TestForgottenStatesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s script
		srv := s.server(t)
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil {
			t.Fatal(err)
		}
		time.Sleep(24*time.Hour + time.Second)
		s.authorize = func(context.Context, *server.Op, in) error { return server.Denied("") }
		if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); saidBy(err) != (said{errs.CodeAuthorizationDenied, 0}) {
			t.Errorf("denied: got %v of effect %q", err, errs.EffectOf(err))
		}
		if _, err := call(t.Context(), srv, "k", `{"id":7}`); saidBy(err) != (said{errs.CodeInvalidInput, 0}) {
			t.Errorf("invalid: got %v of effect %q", err, errs.EffectOf(err))
		}
		_, err := srv.Call(t.Context(), server.Call{Tool: "t", OperationKey: "k", Input: `{`, RunID: "a b"})
		if saidBy(err) != (said{errs.CodeInvalidInput, 0}) {
			t.Errorf("an invalid request: got %v of effect %q", err, errs.EffectOf(err))
		}
		if n := s.count("effect"); n != 1 {
			t.Errorf("the effect was called %d times", n)
		}
	})
}

// TestFull has no room for another operation: who calls is told when there will be some, and the log once a minute.
func TestFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
			if in.N == 1 {
				return out{}, errors.New("lost")
			}
			return out(in), nil
		}}
		var log bytes.Buffer
		srv := s.server(t, server.WithMaxOperations(2), server.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		refused := func() {
			t.Helper()
			_, err := call(t.Context(), srv, "refused", `{"id":"a"}`)
			if got, ok := errs.RetryAfterOf(err); !ok || got != time.Minute || saidBy(err) != (said{errs.CodeOverloaded, 0}) {
				t.Errorf("got %v, %v", got, err)
			}
		}
		warnings := func(want int) {
			t.Helper()
			if got := strings.Count(log.String(), "level=WARN"); got != want || !strings.Contains(log.String(), "keeps 2 operations") {
				t.Errorf("got %d warnings, want %d: %s", got, want, log.String())
			}
			log.Reset()
		}
		for _, key := range []string{"a", "b"} {
			if _, err := call(t.Context(), srv, key, `{"id":"a"}`); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		for range 60 {
			refused()
		}
		warnings(1)
		time.Sleep(8*time.Minute - 100*time.Millisecond)
		refused()
		warnings(1)
		time.Sleep(100 * time.Millisecond)
		if _, err := call(t.Context(), srv, "new", `{"id":"a","n":1}`); errs.CodeOf(err) != errs.CodeOutcomeUnknown {
			t.Errorf("in place of the oldest: got %v", err)
		}
		time.Sleep(time.Minute)
		if _, err := call(t.Context(), srv, "more", `{"id":"a","n":1}`); errs.CodeOf(err) != errs.CodeOutcomeUnknown {
			t.Errorf("in place of the second: got %v", err)
		}
		log.Reset()
		time.Sleep(24 * time.Hour)
		refused() // none is complete
		warnings(1)
	})
}

// TestDebug has a line for every call, without its input.
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
