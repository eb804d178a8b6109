package server_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/limits"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

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

// TestWaitingHoldsNoSlot has calls wait for an equal one, in a server that runs two calls at once: they are in nobody's way.
func TestWaitingHoldsNoSlot(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	s := script{effect: func(_ context.Context, _ *server.Op, i in) (out, error) {
		if i.N == 1 {
			close(begun)
			<-end
		}
		return out(i), nil
	}}
	w := waits{memory.New(), make(chan struct{}), make(chan struct{}, 10)}
	client, _ := serve(t, s.shared(t, w), interceptors.WithLimits(limits.WithMaxConcurrent(2)))
	var wg sync.WaitGroup
	equal := func() {
		if response, err := client.CallTool(t.Context(), request("k", `{"id":"a","n":1}`)); err != nil {
			t.Errorf("got %v, %v", response, err)
		}
	}
	wg.Go(equal)
	<-begun
	for range 5 {
		wg.Go(equal)
		<-w.begun // it waits, and has left its place
	}
	if _, err := client.CallTool(t.Context(), request("other", `{"id":"a"}`)); err != nil {
		t.Errorf("another call: got %v", err)
	}
	close(end)
	wg.Wait()
	if got := s.count("effect"); got != 2 {
		t.Errorf("%d effects", got)
	}
}
