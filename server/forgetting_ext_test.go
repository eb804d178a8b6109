package server_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

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

// TestExpired has the output of an operation, and then the operation, be forgotten after their time.
func TestExpired(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := memory.New()
		var s script
		srv := s.server(t, server.WithLedger(m), server.WithRetention(time.Hour, 2*time.Hour), server.WithStopDelay(0))
		srv.Register(nowhere{})
		defer stop(t, srv)
		first, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour + 2*time.Minute)
		_, err = call(t.Context(), srv, "k", `{"id":"a"}`)
		if saidBy(err) != (said{errs.CodeOperationExpired, errs.EffectApplied}) || errs.InfoOf(err).OperationID != first.OperationID {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Hour)
		if got := row(t, m); got.State != ledger.None {
			t.Errorf("it is %v", got.State)
		}
		if r, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil || r.Replayed || r.OperationID == first.OperationID {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}
