package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// DefaultSweepInterval is how often a server looks for operations whose process is gone.
const DefaultSweepInterval = 5 * time.Second

const (
	sweepLimit  = 32 // operations at once
	expireLimit = 1_000
	expireEvery = time.Minute
)

// Sweep looks once for operations that nobody works on any more, and returns how many it took past their boundary: those
// before the boundary are freed, the others looked up by Recover of their tool, and done or unknown afterwards. It never
// executes. Now and then it forgets, too, what was kept long enough. [Server.Register] starts a loop that does this; a
// server that is not registered has to do it itself.
func (s *Server) Sweep(ctx context.Context) (int, error) {
	rows, err := s.ledger.Sweep(ctx, ledger.Sweep{Attempt: newAttempt(), Lease: s.sweepLease(), Limit: sweepLimit})
	if err != nil {
		return 0, fmt.Errorf("sweeping: %w", err)
	}
	settled := make([]chan settlement, len(rows))
	for i := range rows { // at once: their leases run
		w := s.workOf(&rows[i])
		if w.unfit != nil {
			s.log(ctx, slog.LevelError, "nothing can look what became of an operation", w.unfit, w.attrs()...)
		}
		s.carrying.begin()
		settled[i] = make(chan settlement, 1)
		go s.carryOn(context.WithoutCancel(ctx), gonectx, w, settled[i])
	}
	for i := range settled {
		<-settled[i]
	}
	if now, last := time.Now(), s.expired.Load(); last == nil || now.Sub(*last) >= expireEvery {
		s.expired.Store(&now)
		s.expire(ctx)
	}
	return len(rows), nil
}

// sweepLease is how long a recovery by the sweeper may take, whatever the tool.
func (s *Server) sweepLease() time.Duration {
	longest := Timeouts{}.withDefaults().recoverLease()
	for _, tool := range s.byName {
		longest = max(longest, tool.timeouts.recoverLease())
	}
	return longest
}

// gonectx is the context of a caller who is not there.
var gonectx = func() context.Context { //nolint:gochecknoglobals // constant
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// workOf makes the work of a row, with the input that it was claimed with.
func (s *Server) workOf(row *ledger.Row) *work {
	w := &work{tool: s.byName[row.Tool], hold: row.Hold(), row: *row, op: &Op{
		ID: row.ID, Key: row.Key.Key, Attempt: row.Fence, Tool: row.Tool, Principal: row.Principal, Tenant: row.Tenant,
		Journaled: row.Journal,
	}}
	switch {
	case w.tool == nil:
		w.tool = &AnyTool{name: row.Tool}
		w.unfit = errors.New("there is no such tool any more")
	case !w.tool.keepsInput():
	case len(row.Input) == 0:
		w.unfit = errors.New("its input was not kept")
	default:
		w.unfit = guard("decoding the input", func() (err error) { w.in, err = w.tool.decode(row.Input); return err })
	}
	return w
}

// sweepEvery sweeps until calls are refused, at once where there may be more. What it has begun ends with the server.
func (s *Server) sweepEvery(interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for s.accepting.Err() == nil {
		n, err := s.Sweep(s.lifetime)
		s.health.ledger(err == nil && !s.mute.Load())
		if err != nil && s.lifetime.Err() == nil {
			s.log(s.lifetime, slog.LevelWarn, "abandoned operations could not be looked for", err)
		}
		if n == sweepLimit {
			continue
		}
		select {
		case <-ticker.C:
		case <-s.accepting.Done():
		}
	}
}

// expire forgets what was kept long enough.
func (s *Server) expire(ctx context.Context) {
	retention := ledger.Retention{Outputs: s.config.keepOutputs, Keys: s.config.keepKeys, Limit: expireLimit}
	for ctx.Err() == nil {
		got, err := s.ledger.Expire(ctx, retention)
		if err != nil {
			s.log(ctx, slog.LevelWarn, "old operations could not be forgotten", err)
			return
		}
		if got.Outputs < expireLimit && got.Rows < expireLimit {
			return
		}
	}
}
