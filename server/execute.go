package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/errs"
)

// OperationIDHeader is the response header that names the operation. It is sent at the crossing, and before the answer to a
// call whose operation is complete or unknown already: a caller that loses the answer can ask for the operation, and no
// gRPC library retries a call by itself once it has headers.
const OperationIDHeader = "remedy-operation-id"

// execute runs the tool, once: it claims the operation, prepares the effect, crosses, and waits for what comes of it.
func (s *Server) execute(ctx context.Context, c *call) error {
	switch {
	case c.answered:
		return nil
	case !c.tool.effect:
		return s.read(ctx, c)
	}
	if err := s.claim(ctx, c); err != nil || c.answered {
		return err
	}
	settling := false
	defer func() {
		if !settling { // whatever happened, it happened before the boundary
			c.freed = s.ledger.free(ctx, c.attempt, nil) == nil
		}
	}()
	w := c.work()
	var effect func(context.Context) (any, error)
	err := prepare(ctx, c.tool, "Execute", func(ctx context.Context) (err error) {
		effect, err = c.tool.execute(ctx, w.op, c.in)
		return err
	})
	if err == nil && effect == nil {
		err = fmt.Errorf("the Execute of %s returned neither an effect nor an error", c.tool.name)
	}
	if err == nil {
		err = gone(ctx, nil) // the last moment to leave without a trace
	}
	if err != nil {
		err = s.release(ctx, c, err)
		settling = true
		return err
	}
	if err := s.ledger.cross(ctx, c.attempt); err != nil {
		return err
	}
	settling = true
	announce(ctx, c.attempt.id)
	settled := make(chan settlement, 1)
	s.carrying.begin()
	go s.carry(context.WithoutCancel(ctx), w, effect, settled)
	return s.await(ctx, c, settled, "the time of the call ran out while the effect was running")
}

// announce tells the caller which operation this is.
func announce(ctx context.Context, id string) {
	if grpc.ServerTransportStreamFromContext(ctx) == nil {
		return // a call in this process
	}
	_ = caught("sending the header", func() error {
		return grpc.SendHeader(ctx, metadata.Pairs(OperationIDHeader, id))
	})
}

// read runs a tool that has no effect.
func (s *Server) read(ctx context.Context, c *call) error {
	err := prepare(ctx, c.tool, "the tool", func(ctx context.Context) (err error) {
		c.out, err = c.tool.read(ctx, c.op(), c.in)
		return err
	})
	if err != nil {
		return err
	}
	c.receipt.output, err = encode(c.out) // nothing is omitted: another call may read less
	return err
}

// claim makes this call the one that executes, or answers it from what came before.
func (s *Server) claim(ctx context.Context, c *call) error {
	for {
		a, err := s.ledger.claim(ctx, c.opKey(), c.digest)
		if err == nil {
			c.attempt, c.claimed = a, true
			return nil
		}
		if !errors.Is(err, errTaken) {
			s.warnFull(ctx, err)
			return err
		}
		if err := s.lookup(ctx, c); err != nil || c.answered {
			return err
		}
	}
}

// warnFull logs now and then that there is no room for another operation.
func (s *Server) warnFull(ctx context.Context, err error) {
	const seldom = time.Minute
	if now, last := time.Now(), s.warned.Load(); errs.CodeOf(err) == errs.CodeOverloaded &&
		(last == nil || now.Sub(*last) >= seldom) && s.warned.CompareAndSwap(last, &now) {
		delay, _ := errs.RetryAfterOf(err)
		s.log(ctx, slog.LevelWarn, "there is no room for another operation, and calls are refused", errors.Unwrap(err),
			slog.Duration("roomIn", delay))
	}
}

// release ends an operation before its boundary. An error that says itself that something may have happened does not
// free the key.
func (s *Server) release(ctx context.Context, c *call, err error) error {
	if saysOtherwise(err) {
		if parkErr := s.ledger.park(ctx, c.attempt, err); parkErr != nil {
			return errors.Join(err, parkErr)
		}
		return err
	}
	shared := err
	if cutOff(err) || errs.CodeOf(err) == errs.CodeOperationTimeout {
		shared = nil // others have other deadlines
	}
	c.freed = s.ledger.free(ctx, c.attempt, shared) == nil
	return err
}

// saysOtherwise reports whether an error itself says that there was, or may have been, an effect.
func saysOtherwise(err error) bool {
	effect := errs.EffectOf(err)
	return effect == errs.EffectUnknown || effect == errs.EffectApplied
}

// work is an operation past its boundary. It belongs to whoever carries it, not to the call, which may be gone.
type work struct {
	tool    *AnyTool
	op      *Op
	in      any
	attempt attempt
}

func (c *call) work() work { return work{tool: c.tool, op: c.op(), in: c.in, attempt: c.attempt} }

// settlement is what became of an operation past its boundary: a receipt, or an error that says what is known.
type settlement struct {
	receipt receipt
	out     any
	err     error
	freed   bool // err was stated not to have been applied
}

// carry has the effect, calls it once and settles what comes of it, however long its caller waits.
func (s *Server) carry(ctx context.Context, w work, effect func(context.Context) (any, error), settled chan<- settlement) {
	defer s.carrying.end()
	ended := false
	defer func() {
		if value := recover(); !ended {
			s.salvage(ctx, w, settled, value)
		}
	}()
	limited, cancel := context.WithTimeout(ctx, w.tool.timeouts.Effect)
	results := make(chan outcome[any], 1)
	go func() {
		defer cancel()
		deliver(limited, results, "the effect", effect)
	}()
	timer := time.NewTimer(w.tool.timeouts.Effect + margin)
	defer timer.Stop()
	select {
	case r := <-results:
		settled <- s.settle(ctx, w, r)
	case <-timer.C:
		settled <- s.recover(ctx, w, context.DeadlineExceeded)
		s.late(ctx, w, <-results)
	}
	ended = true
}

// salvage parks an operation whose goroutine ended before its time, with the value of a panic or without one.
func (s *Server) salvage(ctx context.Context, w work, settled chan<- settlement, value any) {
	const reason = "the operation was not seen through to its end"
	err := errors.New("its goroutine ended")
	if value != nil {
		err = panicked("its goroutine", value)
	}
	s.log(ctx, slog.LevelError, "an operation was not seen through to its end", err,
		slog.String("tool", w.tool.name), slog.String("operationId", w.attempt.id))
	select {
	case settled <- s.park(ctx, w, w.outcomeUnknown(reason, err), err):
	default: // it is settled
	}
}

// settle decides what a returned effect means.
func (s *Server) settle(ctx context.Context, w work, r outcome[any]) settlement {
	if r.err == nil {
		return s.record(ctx, w, r.value)
	}
	if err := notApplied(r.err, w.op); err != nil && !saysOtherwise(err) {
		err = restated(err)
		if ledgerErr := s.ledger.free(ctx, w.attempt, err); ledgerErr == nil {
			return settlement{err: err, freed: true}
		}
	}
	return s.recover(ctx, w, r.err)
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
	c.answered, c.receipt, c.out = true, r.receipt, r.out
	return nil
}

func (w work) outcomeUnknown(reason string, cause error) error {
	return &errs.OutcomeUnknownError{
		Tool: w.tool.name, OperationKey: w.op.Key, OperationID: w.attempt.id, Reason: reason, Cause: cause,
	}
}
