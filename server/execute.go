package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server/ledger"
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
	released := false
	defer func() {
		if !released { // whatever happened, it happened before the boundary
			s.abandon(ctx, c)
		}
	}()
	w := c.work()
	effect, err := s.prepare(ctx, c, w.op)
	if err != nil {
		released = true
		return s.release(ctx, c, err)
	}
	if !c.tool.immediate {
		if err := s.cross(ctx, c, w.op.journal); err != nil || c.answered {
			released = true
			return err
		}
	}
	released = true
	w.hold = c.row.Hold()
	announce(ctx, c.row.ID)
	settled := make(chan settlement, 1)
	s.carrying.begin()
	go s.carry(context.WithoutCancel(ctx), w, effect, settled)
	return s.await(ctx, c, settled, "the time of the call ran out while the effect was running")
}

// prepare calls Execute of the tool, which returns the effect.
func (s *Server) prepare(ctx context.Context, c *call, op *Op) (effect func(context.Context) (any, error), err error) {
	err = prepare(ctx, c.tool, "Execute", func(ctx context.Context) (err error) {
		effect, err = c.tool.execute(ctx, op, c.in)
		return err
	})
	if err == nil && effect == nil {
		err = fmt.Errorf("the Execute of %s returned neither an effect nor an error", c.tool.name)
	}
	if err == nil && !c.tool.immediate {
		err = gone(ctx, nil) // the last moment to leave without a trace
	}
	return effect, err
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
	c.receipt.Output, err = encode(c.out) // nothing is omitted: another call may read less
	return err
}

// claim makes this call the one that executes, or answers it from what came before.
func (s *Server) claim(ctx context.Context, c *call) error {
	if c.claimed {
		return nil // to be executed again, under the same operation id
	}
	claim := s.claimOf(c)
	for {
		got, err := ask(ctx, "claim", func(ctx context.Context) (ledger.Row, bool, error) { return s.ledger.Claim(ctx, claim) })
		switch {
		case errors.Is(err, ledger.ErrFull) && s.makeRoom(ctx):
			continue
		case err != nil:
			s.warnFull(ctx, err)
			if !errors.Is(err, ledger.ErrFull) {
				go s.unclaim(context.WithoutCancel(ctx), claim)
			}
			return unavailable(c.tool.name, err)
		case got.ok:
			c.row, c.claimed = got.row, true
			return nil
		}
		if err := s.lookup(ctx, c); err != nil || c.answered || c.claimed {
			return err
		}
	}
}

// keepAtLeast is how long the memory that a server has of itself keeps a completed operation, however many come after it.
const keepAtLeast = 10 * time.Minute

// makeRoom forgets the operation that completed first, where the ledger is the server's own memory and that was long ago.
func (s *Server) makeRoom(ctx context.Context) bool {
	if s.config.ledger != nil {
		return false
	}
	got, err := s.ledger.Expire(ctx, ledger.Retention{Keys: keepAtLeast, Limit: 1})
	return err == nil && got.Rows > 0
}

// claimOf is what a call asks the ledger for.
func (s *Server) claimOf(c *call) ledger.Claim {
	claim := ledger.Claim{
		Key: c.name(), ID: newID("op_"), Attempt: newID("at_"), Sent: c.digest, Prepared: c.preparedDigest(),
		Version: c.tool.version, Principal: c.caller.Principal, RunID: c.runID(),
		Lease: c.tool.timeouts.prepareLease(),
	}
	if c.tool.recover != nil {
		claim.Input = c.prepared
	}
	if c.tool.immediate {
		claim.Immediate = &ledger.Crossing{Lease: c.tool.timeouts.Effect + margin}
	}
	return claim
}

// preparedDigest covers the input as it is executed, and by what.
func (c *call) preparedDigest() ledger.Digest {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s\n%s\n", c.tool.name, c.tool.version) // a hash never fails
	_, _ = h.Write(c.prepared)
	return ledger.Digest(h.Sum(nil))
}

// unclaim frees a row whose claim was not answered, if it was made.
func (s *Server) unclaim(ctx context.Context, claim ledger.Claim) {
	limited, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	row, err := s.ledger.Get(limited, claim.Key)
	if err == nil && row.Attempt == claim.Attempt {
		_, _ = ask(limited, "free", func(ctx context.Context) (ledger.Row, bool, error) {
			return s.ledger.Free(ctx, row.Hold(), ledger.Failure{Code: string(errs.CodeLedgerUnavailable)})
		})
	}
}

// warnFull logs now and then that there is no room for another operation.
func (s *Server) warnFull(ctx context.Context, err error) {
	const seldom = time.Minute
	if now, last := time.Now(), s.warned.Load(); errors.Is(err, ledger.ErrFull) &&
		(last == nil || now.Sub(*last) >= seldom) && s.warned.CompareAndSwap(last, &now) {
		s.log(ctx, slog.LevelWarn, "there is no room for another operation, and calls are refused", err)
	}
}

// cross moves the operation past its boundary. It returns an error, or an answer, where no effect may begin.
func (s *Server) cross(ctx context.Context, c *call, journal []byte) error {
	// From here on the caller has no say: a crossing that is not answered is asked for again.
	crossing := ledger.Crossing{Lease: c.tool.timeouts.Effect + margin, Journal: journal}
	got, err := ask(context.WithoutCancel(ctx), "cross", func(ctx context.Context) (ledger.Row, bool, error) {
		return s.ledger.Cross(ctx, c.row.Hold(), crossing)
	})
	switch {
	case err != nil:
		s.abandon(ctx, c)
		return unavailable(c.tool.name, err)
	case got.ok:
		c.row = got.row
		return nil
	}
	c.claimed = false // the lease was out, and somebody else has the row
	return s.lookupLost(ctx, c)
}

// lookupLost answers a call that lost its row.
func (s *Server) lookupLost(ctx context.Context, c *call) error {
	if err := s.lookup(ctx, c); err != nil || c.answered {
		return err
	}
	return c.inFlight(errors.New("the lease of the call was out"))
}

// release ends an operation before its boundary. An error that says itself that something may have happened does not
// free the key.
func (s *Server) release(ctx context.Context, c *call, err error) error {
	if saysOtherwise(err) {
		if _, parkErr := ask(context.WithoutCancel(ctx), "park", func(ctx context.Context) (ledger.Row, bool, error) {
			return s.ledger.Park(ctx, c.row.Hold(), "its Execute said that there may have been an effect")
		}); parkErr != nil {
			return errors.Join(err, unavailable(c.tool.name, parkErr))
		}
		return err
	}
	got, freeErr := s.free(ctx, c.row.Hold(), err)
	switch {
	case freeErr != nil: // answered without saying that there was no effect
		s.log(ctx, slog.LevelWarn, "an operation could not be freed", freeErr, slog.String("operationId", c.row.ID))
		return err
	case got.ok:
		c.freed = true
		return err
	case got.row.State == ledger.Unknown && got.row.ID == c.row.ID:
		c.row = got.row
		return c.work().outcomeUnknown("the call was repeated under the same operation id, and failed", err)
	default:
		c.claimed = false
		return s.lookupLost(ctx, c)
	}
}

// free frees an operation that had no effect. The failure is shared with those who wait, unless they have other deadlines.
func (s *Server) free(ctx context.Context, hold ledger.Hold, err error) (moved, error) {
	failure := ledger.Failure{Code: string(errs.CodeOf(err))}
	if !cutOff(err) && errs.CodeOf(err) != errs.CodeOperationTimeout {
		s.waiters.fail(hold.ID, err)
		failure.Status = wireOf(err)
	}
	return ask(context.WithoutCancel(ctx), "free", func(ctx context.Context) (ledger.Row, bool, error) {
		return s.ledger.Free(ctx, hold, failure)
	})
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

// abandon frees an operation of this call that was not executed, in any case.
func (s *Server) abandon(ctx context.Context, c *call) {
	got, err := s.free(ctx, c.row.Hold(), errAbandoned)
	c.freed = err == nil && got.ok
}

var errAbandoned = &errs.ServiceError{Code: errs.CodeCanceled}

// saysOtherwise reports whether an error itself says that there was, or may have been, an effect.
func saysOtherwise(err error) bool {
	effect := errs.EffectOf(err)
	return effect == errs.EffectUnknown || effect == errs.EffectApplied
}
