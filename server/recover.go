package server

import (
	"context"
	"errors"
	"log/slog"

	"github.com/remedyrpc/remedy/server/ledger"
)

// recover finds out what became of an effect that returned no result. What it does not find is parked: it proves nothing.
func (s *Server) recover(ctx context.Context, w *work, cause error, settled chan<- settlement) {
	const reason = "the effect returned no result, and it could not be found out what became of it"
	f, err := s.look(ctx, w)
	if err == nil && f.committed {
		s.record(ctx, w, f.out, settled)
		return
	}
	s.park(ctx, w, reason, errors.Join(cause, err), settled)
}

// found is what Recover of a tool found.
type found struct {
	out       any
	committed bool
}

// look calls Recover of the tool, which reads what became of the operation.
func (s *Server) look(ctx context.Context, w *work) (found, error) {
	if !w.looks() {
		return found{}, w.unfit
	}
	op := *w.op // the effect may still have the other one
	op.Journaled, op.reporter = w.row.Journal, nil
	return detached(ctx, w.tool.timeouts.Recover, "Recover", func(ctx context.Context) (f found, err error) {
		f.out, f.committed, err = w.tool.recover(ctx, &op, w.in)
		return f, err
	})
}

// carryOn finds out what became of an operation that somebody else left past its boundary, or that was parked, however
// long its caller waits.
func (s *Server) carryOn(ctx, caller context.Context, w *work, settled chan<- settlement) {
	defer s.carrying.end()
	ended := false
	defer func() {
		if value := recover(); !ended {
			s.salvage(ctx, w, settled, value)
		}
	}()
	const reason = "it could not be found out what became of the effect"
	f, err := s.look(ctx, w)
	switch {
	case err == nil && f.committed:
		s.record(ctx, w, f.out, settled)
	case err == nil && w.tool.mayRedo(&w.row) && caller.Err() == nil:
		s.redo(ctx, w, settled)
	default:
		s.park(ctx, w, reason, err, settled)
	}
	ended = true
}

// redo makes the row one to be executed again by the caller that waits: what the effect calls dedupes on the operation id.
func (s *Server) redo(ctx context.Context, w *work, settled chan<- settlement) {
	got, err := ask(ctx, "redo", func(ctx context.Context) (ledger.Row, bool, error) {
		return s.ledger.Redo(ctx, w.hold, w.tool.timeouts.prepareLease())
	})
	if err != nil || !got.ok {
		s.park(ctx, w, "it could not be executed again", err, settled)
		return
	}
	say(settled, settlement{row: got.row, again: true})
}

// park notes that the outcome is unknown, unless a receipt has come in the meantime.
func (s *Server) park(ctx context.Context, w *work, reason string, cause error, settled chan<- settlement) {
	if cause == nil {
		cause = w.reason()
	}
	unknown := settlement{err: w.outcomeUnknown(reason, cause)}
	if w.row.State == ledger.Unknown || w.row.State == ledger.Closed {
		say(settled, unknown) // as it was
		return
	}
	s.insist(ctx, "park", func(ctx context.Context) (ledger.Row, bool, error) {
		return s.ledger.Park(ctx, w.hold, reason)
	}, func(got moved, err error) bool {
		if err == nil && !got.ok && got.row.State == ledger.Done && got.row.ID == w.hold.ID {
			say(settled, settlement{row: got.row})
			return true
		}
		switch {
		case err != nil:
			s.log(ctx, slog.LevelWarn, "an unknown outcome could not be noted yet", err, w.attrs()...)
		case got.ok: // somebody has to look
			s.log(ctx, slog.LevelError, "nobody knows whether an operation took effect", cause,
				append(w.attrs(), slog.String("principal", w.op.Principal), slog.String("tenant", w.op.Tenant))...)
		}
		say(settled, unknown)
		return true
	})
}
