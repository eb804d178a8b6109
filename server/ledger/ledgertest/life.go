package ledgertest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// testReopen holds that a store that was closed and opened is the same.
func testReopen(s *suite) {
	if !s.store.Durable {
		s.Skip("the store is not durable")
	}
	var before []ledger.Row
	for _, start := range starts() {
		key := s.key()
		start.build(s, key)
		before = append(before, s.get(key))
	}
	for i := range before { // those that were built later swept the earlier ones
		before[i] = s.get(before[i].Key)
	}
	page, token, err := s.List(s.Context(), ledger.Filter{Tenant: "acme", Limit: 5})
	if err != nil || token == "" {
		s.Fatalf("List() = %d rows, token %q, %v; want 5 and another page", len(page), token, err)
	}
	s.reopen()
	s.unchanged(before)
	next, _, err := s.List(s.Context(), ledger.Filter{Tenant: "acme", Limit: 5, Token: token})
	if err != nil || len(next) != 5 || next[0].CreatedAt.After(page[4].CreatedAt) {
		s.Errorf("List() after reopening = %d rows, %v; want the next 5", len(next), err)
	}

	// Owners go on, and leases end, as if nothing had been.
	crossed := s.crossed(s.key())
	s.reopen()
	s.must(s.Record(s.Context(), crossed.Hold(), receipt("{}")))
	crossed = s.crossed(s.key())
	s.clock.Advance(effectLease)
	s.reopen()
	if row := s.must(s.Recover(s.Context(), s.recoveryOf(crossed.Key))); row.Fence != crossed.Fence+1 {
		s.Errorf("Recover() after reopening returned fence %d; want %d", row.Fence, crossed.Fence+1)
	}
}

func (s *suite) unchanged(rows []ledger.Row) {
	s.Helper()
	for i := range rows {
		s.same("Get() after reopening", s.get(rows[i].Key), rows[i])
	}
}

// calls are one of every method, of a row that would move.
func (s *suite) calls(ctx context.Context, key ledger.Key, hold ledger.Hold) map[string]func() error {
	of := func(_ ledger.Row, _ bool, err error) error { return err }
	claim, recovery := s.claimOf(s.key()), s.recoveryOf(key)
	return map[string]func() error{
		"Get":      func() error { _, err := s.Get(ctx, key); return err },
		"Find":     func() error { _, err := s.Find(ctx, key.Tenant, hold.ID); return err },
		"List":     func() error { _, _, err := s.List(ctx, ledger.Filter{Tenant: key.Tenant, Limit: 1}); return err },
		"Wait":     func() error { return s.Wait(ctx, key, 0) },
		"Claim":    func() error { return of(s.Claim(ctx, claim)) },
		"Cross":    func() error { return of(s.Cross(ctx, hold, crossing())) },
		"Free":     func() error { return of(s.Free(ctx, hold, failure())) },
		"Record":   func() error { return of(s.Record(ctx, hold, receipt("{}"))) },
		"Judge":    func() error { return of(s.Judge(ctx, hold, ledger.OK, "")) },
		"Park":     func() error { return of(s.Park(ctx, hold, "?")) },
		"Recover":  func() error { return of(s.Recover(ctx, recovery)) },
		"Redo":     func() error { return of(s.Redo(ctx, hold, lease)) },
		"Progress": func() error { return of(s.Progress(ctx, hold, nil)) },
		"Resolve":  func() error { return of(s.Resolve(ctx, ledger.Resolution{Tenant: key.Tenant, ID: hold.ID})) },
		"Sweep": func() error {
			_, err := s.Sweep(ctx, ledger.Sweep{Attempt: "at_x", Lease: lease, Limit: 9})
			return err
		},
		"Expire": func() error { _, err := s.Expire(ctx, ledger.Retention{Keys: 1, Outputs: 1, Limit: 9}); return err },
		"Purge":  func() error { return of(s.Purge(ctx, key.Tenant, hold.ID)) },
	}
}

// testContext holds that nothing happens for a caller who left.
func testContext(s *suite) {
	row := s.crossed(s.key())
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	for name, call := range s.calls(ctx, row.Key, row.Hold()) {
		if err := call(); !errors.Is(err, context.Canceled) || errors.Is(err, ledger.ErrUnavailable) {
			s.Errorf("%s() with a canceled context = %v; want %v, and that it has not begun", name, err, context.Canceled)
		}
	}
	late, cancel := context.WithDeadline(s.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, _, err := s.Park(late, row.Hold(), "?"); !errors.Is(err, context.DeadlineExceeded) {
		s.Errorf("Park() after the deadline = %v; want %v", err, context.DeadlineExceeded)
	}
	s.same("Get() after it", s.get(row.Key), row)
}

// testClose closes a ledger under its callers: what they were told is so, and the rest is unavailable.
func testClose(s *suite) {
	first := s.crossed(s.key())
	var mu sync.Mutex
	var acknowledged []ledger.Row
	var all sync.WaitGroup
	begun := make(chan struct{}, 8)
	for range 8 {
		all.Go(func() {
			for n := 0; ; n++ {
				row, ok, err := s.Claim(s.Context(), s.claimOf(s.key()))
				if n == 0 {
					begun <- struct{}{}
				}
				if err != nil {
					if !errors.Is(err, ledger.ErrUnavailable) {
						s.Errorf("Claim() while the ledger is closed = %v; want %v", err, ledger.ErrUnavailable)
					}
					return
				}
				if !ok {
					s.Error("Claim() of a new key = false")
				}
				mu.Lock()
				acknowledged = append(acknowledged, row)
				mu.Unlock()
			}
		})
	}
	for range 8 {
		<-begun
	}
	if err := s.Close(); err != nil {
		s.Errorf("Close() = %v", err)
	}
	all.Wait()
	for name, call := range s.calls(s.Context(), first.Key, first.Hold()) {
		if err := call(); !errors.Is(err, ledger.ErrUnavailable) {
			s.Errorf("%s() of a closed ledger = %v; want %v", name, err, ledger.ErrUnavailable)
		}
	}
	if err := s.Close(); err != nil {
		s.Errorf("a second Close() = %v", err)
	}
	if !s.store.Durable {
		return
	}
	s.Ledger = open(s.T, s.store)
	s.unchanged(append(acknowledged, first))
}
