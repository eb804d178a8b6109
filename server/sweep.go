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
	sweepLimit  = 100 // operations at once
	expireLimit = 1_000
	expireEvery = time.Minute
	// sweepLease is how long a recovery by the sweeper may take, whatever the tool.
	sweepLease = time.Minute
)

// Sweep looks once for operations that nobody works on any more, and returns how many it took past their boundary: those
// before the boundary are freed, the others looked up by Recover of their tool, and done or unknown afterwards. It never
// executes. [Server.Register] starts a loop that does this; a server that is not registered has to do it itself.
func (s *Server) Sweep(ctx context.Context) (int, error) {
	rows, err := s.ledger.Sweep(ctx, ledger.Sweep{Attempt: newID("at_"), Lease: sweepLease, Limit: sweepLimit})
	if err != nil {
		return 0, fmt.Errorf("sweeping: %w", err)
	}
	for i := range rows {
		row := rows[i]
		w, err := s.workOf(row)
		settled := make(chan settlement, 1)
		s.carrying.begin()
		if err != nil {
			s.log(ctx, slog.LevelError, "nothing can look what became of an operation", err, slog.String("operationId", row.ID))
			s.park(ctx, w, "its tool is gone, or takes another input now", err, settled)
			s.carrying.end()
			continue
		}
		s.carryOn(ctx, gonectx, w, settled)
	}
	return len(rows), nil
}

// gonectx is the context of a caller who is not there.
var gonectx = func() context.Context { //nolint:gochecknoglobals // constant
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// workOf makes the work of a row that nobody calls for.
func (s *Server) workOf(row ledger.Row) (work, error) {
	op := &Op{
		ID: row.ID, Key: row.Key.Key, Attempt: row.Fence, Tool: row.Tool, Principal: row.Principal, Tenant: row.Tenant,
		Journaled: row.Journal,
	}
	w := work{tool: s.byName[row.Tool], op: op, hold: row.Hold(), row: row}
	if w.tool == nil {
		w.tool = &AnyTool{name: row.Tool}
		return w, errors.New("there is no such tool any more")
	}
	if w.tool.recover == nil {
		return w, nil
	}
	err := guard("decoding the input", func() (err error) { w.in, err = w.tool.decode(row.Input); return err })
	return w, err
}

// sweepUntil sweeps until the server stops.
func (s *Server) sweepUntil(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var expired time.Time
	for {
		if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.log(ctx, slog.LevelWarn, "abandoned operations could not be looked for", err)
		}
		if now := time.Now(); now.Sub(expired) >= expireEvery {
			expired = now
			s.expire(ctx)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
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
