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
	ended := false
	defer func() {
		if !ended { // a hook ended the goroutine of the call
			s.abandon(ctx, c)
		}
	}()
	w := c.work()
	effect, err := s.prepare(ctx, c, w.op)
	if err != nil {
		ended = true
		return s.release(ctx, c, err)
	}
	if c.row.State == ledger.Claimed {
		if err := s.cross(ctx, c, w.op.journal); err != nil || c.answered {
			ended = true
			return err
		}
	}
	ended = true
	announce(ctx, c.row.ID)
	w.row, w.hold, w.begun = c.row, c.row.Hold(), c.begun
	w.op.crossed = true
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
	if err == nil && c.row.State == ledger.Claimed {
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
	for !c.claimed { // else it is to be executed again, under the same operation id
		claim := s.claimOf(c)
		c.begun = time.Now()
		got, err := ask(ctx, "claim", func(ctx context.Context) (ledger.Row, bool, error) { return s.ledger.Claim(ctx, claim) })
		switch {
		case errors.Is(err, ledger.ErrFull) && s.makeRoom(ctx):
			continue
		case errors.Is(err, ledger.ErrFull):
			s.warnFull(ctx, err)
			return unavailable(ctx, c.tool.name, err)
		case err != nil:
			return s.unclaim(ctx, c, claim, unavailable(ctx, c.tool.name, err))
		case got.ok:
			c.row, c.claimed = got.row, true
			return s.takeOver(ctx, c)
		}
		if err := s.lookup(ctx, c); err != nil || c.answered {
			return err
		}
	}
	return nil
}

// takeOver sees to what an earlier attempt at a claimed operation left: its input, which another version may prepare in
// another way, and that it may have had the effect.
func (s *Server) takeOver(ctx context.Context, c *call) error {
	crossings := c.row.Crossings
	if c.row.State == ledger.Effect {
		crossings-- // that of this attempt
	}
	if crossings > 0 && !c.tool.dedupes {
		return s.release(ctx, c, errors.New("an earlier version of the tool executed it, and this one cannot do so again"))
	}
	if c.row.Prepared == c.preparedDigest() && c.unreadable == nil {
		return nil
	}
	switch w := s.workOf(&c.row); {
	case w.in != nil && w.unfit == nil:
		c.in = w.in
	case crossings > 0:
		return s.release(ctx, c, errors.Join(w.unfit, c.unreadable))
	}
	return nil // nothing was executed with the other one
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
	if c.tool.keepsInput() {
		claim.Input = c.prepared
	}
	if c.tool.immediate {
		claim.Immediate = &ledger.Crossing{Lease: c.tool.timeouts.effectLease()}
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

// unclaim frees a row whose claim was not answered, if it was made, and returns what to answer.
func (s *Server) unclaim(ctx context.Context, c *call, claim ledger.Claim, answer error) error {
	leaving, cancel := context.WithCancel(ctx)
	cancel() // the caller waits for a moment only: it has an answer already
	got, err := s.parting(leaving, 0, "free", func(ctx context.Context) (ledger.Row, bool, error) {
		row, err := s.ledger.Get(ctx, claim.Key)
		if err != nil || row.Attempt != claim.Attempt {
			return row, false, err
		}
		return s.ledger.Free(ctx, row.Hold(), ledger.Failure{Code: string(errs.CodeLedgerUnavailable)})
	})
	switch {
	case err == nil && got.ok:
		c.row, c.freed = got.row, true
	case err == nil && got.row.State == ledger.Unknown && got.row.Attempt == claim.Attempt:
		c.row = got.row
		return c.work().outcomeUnknown("the call was to be repeated under the same operation id, and was not", answer)
	}
	return answer
}

// warnFull logs now and then that there is no room for another operation.
func (s *Server) warnFull(ctx context.Context, err error) {
	const seldom = time.Minute
	if now, last := time.Now(), s.warned.Load(); errors.Is(err, ledger.ErrFull) &&
		(last == nil || now.Sub(*last) >= seldom) && s.warned.CompareAndSwap(last, &now) {
		s.log(ctx, slog.LevelWarn, "there is no room for another operation, and calls are refused", err)
	}
}

// cross moves the operation past its boundary. It returns an error, or an answer, where no effect may begin: also where it is
// not known whether it crossed.
func (s *Server) cross(ctx context.Context, c *call, journal []byte) error {
	crossing := ledger.Crossing{Lease: c.tool.timeouts.effectLease(), Journal: journal}
	c.begun = time.Now()
	got, err := ask(ctx, "cross", func(ctx context.Context) (ledger.Row, bool, error) {
		return s.ledger.Cross(ctx, c.row.Hold(), crossing)
	})
	switch {
	case err != nil:
		return s.release(ctx, c, unavailable(ctx, c.tool.name, err))
	case !got.ok:
		return s.lost(ctx, c)
	default:
		c.row = got.row
		return nil
	}
}

// lost answers a call whose lease was out from what others made of its row.
func (s *Server) lost(ctx context.Context, c *call) error {
	mine := c.row
	c.claimed, c.lost = false, true
	if err := s.lookup(ctx, c); err != nil || c.answered {
		return err
	}
	c.row = mine
	return c.inFlight(errors.New("the lease of the call was out"))
}

// release ends an attempt before its effect, and returns what to answer: err, if that is all there is to say.
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
		return c.work().outcomeUnknown("the call was repeated under the same operation id, and failed", errors.Join(err, freeErr))
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
