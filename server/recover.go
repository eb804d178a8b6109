package server

import (
	"context"
	"errors"
)

// recover finds out what became of an effect that returned no result. What it does not find is parked: it proves nothing.
func (s *Server) recover(ctx context.Context, w work, cause error) settlement {
	const reason = "the effect returned no result, and it could not be found out what became of it"
	if w.tool.recover == nil {
		return s.park(ctx, w, w.outcomeUnknown(reason, cause), cause)
	}
	type found struct {
		out       any
		committed bool
	}
	op := *w.op // the effect may still have the other one
	f, err := detached(ctx, w.tool.timeouts.Recover, "Recover", func(ctx context.Context) (f found, err error) {
		f.out, f.committed, err = w.tool.recover(ctx, &op, w.in)
		return f, err
	})
	if err == nil && f.committed {
		return s.record(ctx, w, f.out)
	}
	cause = errors.Join(cause, err)
	return s.park(ctx, w, w.outcomeUnknown(reason, cause), cause)
}

// carryOn finds out what became of a parked operation, however long its caller waits.
func (s *Server) carryOn(ctx context.Context, w work, cause error, settled chan<- settlement) {
	defer s.carrying.end()
	ended := false
	defer func() {
		if value := recover(); !ended {
			s.salvage(ctx, w, settled, value)
		}
	}()
	settled <- s.recover(ctx, w, cause)
	ended = true
}

// park notes that the outcome is unknown, unless a receipt has come in the meantime.
func (s *Server) park(ctx context.Context, w work, unknown, cause error) settlement {
	if err := s.ledger.park(ctx, w.attempt, cause); err != nil {
		if known, lookErr := s.ledger.look(ctx, w.attempt.key); lookErr == nil && known.state == stateDone && known.id == w.attempt.id {
			return settlement{receipt: known.receipt}
		}
	}
	return settlement{err: unknown}
}
