package server

import (
	"context"
	"errors"
	"log/slog"

	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server/ledger"
)

// lost answers a call whose lease was out from what others made of its row.
func (s *Server) lost(ctx context.Context, c *call) error {
	mine := c.row
	c.claimed, c.lost = false, true
	if err := s.known(ctx, c); err != nil || c.answered {
		return err
	}
	c.row = mine
	return c.inFlight(errors.New("the lease of the call was out"))
}

// release ends an attempt before its effect, also one that crossed and was not told so, and returns what to answer: err, if
// that is all there is to say.
func (s *Server) release(ctx context.Context, c *call, err error) error {
	hold := c.row.Hold()
	if saysOtherwise(err) { // there may have been an effect all the same
		_, parkErr := s.parting(ctx, c.tool.timeouts.prepareLease(), "park", func(ctx context.Context) (ledger.Row, bool, error) {
			return s.ledger.Park(ctx, hold, "its Execute said that there may have been an effect")
		})
		if parkErr != nil {
			s.log(ctx, slog.LevelWarn, "an unknown outcome could not be noted yet", parkErr, slog.String("operationId", hold.ID))
		}
		return err
	}
	failure := s.failure(hold.ID, err)
	got, freeErr := s.parting(ctx, c.tool.timeouts.prepareLease(), "free", func(ctx context.Context) (ledger.Row, bool, error) {
		return s.ledger.Free(ctx, hold, failure)
	})
	switch {
	case freeErr == nil && got.ok:
		c.freed = true
		return err
	case freeErr != nil && c.row.Crossings > 0, got.row.State == ledger.Unknown && got.row.ID == hold.ID:
		return c.work().outcomeUnknown("this attempt had no effect, and an earlier one may have had it", errors.Join(err, freeErr))
	case freeErr != nil: // answered without saying that there was no effect
		s.log(ctx, slog.LevelWarn, "an operation could not be freed yet", freeErr, slog.String("operationId", hold.ID))
		return err
	default:
		return s.lost(ctx, c)
	}
}

// abandon frees the operation of a call that nobody answers any more.
func (s *Server) abandon(ctx context.Context, c *call) {
	hold := c.row.Hold()
	_, _ = s.parting(ctx, c.tool.timeouts.prepareLease(), "free", func(ctx context.Context) (ledger.Row, bool, error) {
		return s.ledger.Free(ctx, hold, ledger.Failure{Code: string(errs.CodeCanceled)})
	})
}

// failure is what a freed operation keeps of its error. It is shared with those who wait, unless they have other deadlines.
func (s *Server) failure(id string, err error) ledger.Failure {
	failure := ledger.Failure{Code: string(errs.CodeOf(err))}
	if masked(err) {
		failure.Code = string(errs.CodeInternal)
	}
	if !cutOff(err) && errs.CodeOf(err) != errs.CodeOperationTimeout {
		s.waiters.fail(id, err)
		failure.Status = wireOf(err)
	}
	return failure
}

// wireOf is what a caller is told of an error, as the bytes of a status; nil where that has an id of its own.
func wireOf(err error) []byte {
	encoded := errs.Encoder{}.Encode(err, "", false)
	if encoded.Hidden != nil || encoded.Status == nil {
		return nil
	}
	b, err := proto.Marshal(encoded.Status.Proto())
	if err != nil {
		return nil
	}
	return b
}

// saysOtherwise reports whether an error itself says that there was, or may have been, an effect.
func saysOtherwise(err error) bool {
	effect := errs.EffectOf(err)
	return effect == errs.EffectUnknown || effect == errs.EffectApplied
}
