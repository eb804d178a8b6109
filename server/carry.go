package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/internal/crashpoint"
	"github.com/remedyrpc/remedy/server/ledger"
)

// work is an operation past its boundary. It belongs to whoever carries it, not to the call, which may be gone.
type work struct {
	tool *AnyTool
	op   *Op
	in   any
	hold ledger.Hold
	row  ledger.Row // when the work began
	// begun is when the crossing was asked for, from where the time of the effect counts: that of the ledger began later.
	begun time.Time
	// unfit says why nothing can look what became of the operation; nil where something can.
	unfit error
}

func (c *call) work() *work {
	return &work{tool: c.tool, op: c.op(), in: c.in, hold: c.row.Hold(), row: c.row}
}

// settlement is what became of an operation past its boundary: a receipt, or an error that says what is known.
type settlement struct {
	row   ledger.Row // of the receipt, or of what is to be executed again
	out   any
	err   error
	freed bool // err was stated not to have been applied
	again bool // the row is claimed, to be executed again under the same operation id
}

// carry has the effect, calls it once and settles what comes of it, however long its caller waits.
func (s *Server) carry(ctx context.Context, w *work, effect func(context.Context) (any, error), settled chan<- settlement) {
	defer s.carrying.end()
	defer w.op.reporter.end()
	ended := false
	defer func() {
		if value := recover(); !ended {
			s.salvage(ctx, w, settled, value)
		}
	}()
	limited, cancel := context.WithDeadline(ctx, w.begun.Add(w.tool.timeouts.Effect))
	results := make(chan outcome[any], 1)
	go func() {
		defer cancel()
		deliver(limited, results, "the effect", func(ctx context.Context) (any, error) {
			crashpoint.At("effect.before")
			if err := ctx.Err(); err != nil { // the process stood still, and others may be at it
				return nil, w.op.NotApplied(err)
			}
			defer crashpoint.At("effect.after") // before anybody hears of it
			return effect(ctx)
		})
	}()
	timer := time.NewTimer(time.Until(w.begun.Add(w.tool.timeouts.effectLease())))
	defer timer.Stop()
	select {
	case r := <-results:
		s.settle(ctx, w, r, settled)
	case <-timer.C:
		s.recover(ctx, w, context.DeadlineExceeded, settled)
		s.late(ctx, w, <-results)
	}
	ended = true
}

// salvage parks an operation whose goroutine ended before its time, with the value of a panic or without one.
func (s *Server) salvage(ctx context.Context, w *work, settled chan<- settlement, value any) {
	const reason = "the operation was not seen through to its end"
	err := errors.New("its goroutine ended")
	if value != nil {
		err = panicked("its goroutine", value)
	}
	s.log(ctx, slog.LevelError, "an operation was not seen through to its end", err,
		slog.String("tool", w.tool.name), slog.String("operationId", w.hold.ID))
	s.park(ctx, w, reason, err, settled)
}

// settle decides what a returned effect means.
func (s *Server) settle(ctx context.Context, w *work, r outcome[any], settled chan<- settlement) {
	if r.err == nil {
		s.record(ctx, w, r.value, settled)
		return
	}
	if err := notApplied(r.err, w.op); err != nil && !saysOtherwise(err) && w.row.Crossings == 1 && s.undo(ctx, w, restated(err), settled) {
		return
	}
	s.recover(ctx, w, r.err, settled)
}

// undo frees an operation whose effect states that it was not applied, and keeps trying while the ledger does not answer;
// until then its caller is told what failed, and not that there was no effect. It reports whether that is all: where
// somebody else looks already, the word of the effect ends nothing.
func (s *Server) undo(ctx context.Context, w *work, err error, settled chan<- settlement) (done bool) {
	failure := s.failure(w.hold.ID, err)
	s.insist(ctx, "free", func(ctx context.Context) (ledger.Row, bool, error) {
		return s.ledger.Free(ctx, w.hold, failure)
	}, func(got moved, freeErr error) bool {
		if done = freeErr != nil || got.ok; done {
			say(settled, settlement{err: err, freed: freeErr == nil})
		}
		return true
	})
	return done
}

// say settles an operation for its caller, once: what comes later is for the ledger only.
func say(settled chan<- settlement, r settlement) {
	select {
	case settled <- r:
	default:
	}
}

// await waits for a settlement for as long as the caller does; then the outcome is unknown, for the other reason. The
// operation goes on without its caller.
func (s *Server) await(ctx context.Context, c *call, settled <-chan settlement, otherwise string) error {
	select {
	case r := <-settled:
		return c.take(r)
	case <-ctx.Done():
	}
	select {
	case r := <-settled:
		return c.take(r)
	default:
		return c.work().outcomeUnknown(otherwise, ctx.Err())
	}
}

func (c *call) take(r settlement) error {
	c.freed = r.freed
	if r.err != nil {
		return r.err
	}
	c.row = r.row
	if r.again {
		c.claimed = true
		return nil
	}
	c.answered, c.receipt, c.out = true, r.row.Receipt, r.out
	return nil
}

func (w *work) outcomeUnknown(reason string, cause error) error {
	if w.tool.mayRedo(&w.row) {
		reason += "; until " + w.tool.redoUntil(&w.row).Format(time.RFC3339) + " an equal call executes it again"
	}
	return &errs.OutcomeUnknownError{
		Tool: w.tool.name, OperationKey: w.op.Key, OperationID: w.hold.ID, Reason: reason, Cause: cause,
	}
}

// looks reports whether something can look what became of the work.
func (w *work) looks() bool { return w.unfit == nil && w.tool.recover != nil }

// reason is why the row of the work is in doubt; nil where it says nothing.
func (w *work) reason() error {
	if w.row.Reason == "" {
		return nil
	}
	return errors.New(w.row.Reason)
}

// attrs are what the log says of the work.
func (w *work) attrs() []slog.Attr {
	return []slog.Attr{
		slog.String("tool", w.tool.name), slog.String("operationKey", w.op.Key), slog.String("operationId", w.hold.ID),
	}
}
