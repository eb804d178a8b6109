package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server/ledger"
)

// claim makes this call the one that executes, or answers it from what came before.
func (s *Server) claim(ctx context.Context, c *call) error {
	for !c.claimed { // else it is to be executed again, under the same operation id
		claim := s.claimOf(c)
		c.begun = time.Now()
		got, err := ask(ctx, "claim", func(ctx context.Context) (ledger.Row, bool, error) { return s.ledger.Claim(ctx, claim) })
		if mute := errors.Is(err, ledger.ErrUnavailable) && ctx.Err() == nil; mute != s.mute.Load() {
			s.mute.Store(mute)
			s.health.ledger(!mute)
		}
		switch {
		case errors.Is(err, ledger.ErrFull) && s.makeRoom(ctx):
			continue
		case errors.Is(err, ledger.ErrFull):
			s.warnFull(ctx, err)
			return unavailable(ctx, c.tool.name, err)
		case err != nil:
			return s.unclaimed(ctx, c, claim, err)
		case got.ok:
			c.row, c.claimed = got.row, true
			return s.takeOver(ctx, c)
		}
		if err := s.knownAs(ctx, c, got.row); err != nil || c.answered {
			return err
		}
		if err := s.gates(ctx, c); err != nil { // time has passed
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
	if crossings > 0 && !c.mayRedo() {
		return s.release(ctx, c, errors.New("it was executed before, and cannot be executed again any more"))
	}
	if c.row.Prepared == c.preparedDigest() && c.unreadable == nil {
		return nil
	}
	switch w := s.workOf(&c.row); {
	case w.in != nil && w.unfit == nil && !c.tool.schema.HasSecrets(): // else something of it was not kept
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
		Key: c.name(), ID: newOperation(), Attempt: newAttempt(), Sent: c.digest, Prepared: c.preparedDigest(),
		Version: c.tool.version, Principal: c.caller.Principal, RunID: c.runID(),
		Lease: c.tool.timeouts.prepareLease(),
	}
	if c.tool.keepsInput() {
		claim.Input = c.kept()
	}
	if c.tool.immediate {
		claim.Immediate = &ledger.Crossing{Lease: c.tool.timeouts.effectLease()}
	}
	return claim
}

// kept is the input as it is kept: prepared, and without what its schema marks as secret.
func (c *call) kept() []byte {
	if !c.tool.schema.HasSecrets() {
		return c.prepared
	}
	return c.tool.schema.WithoutSecrets(c.tool.schema.Prepare(c.sent))
}

// preparedDigest covers the input as it is executed, and by what.
func (c *call) preparedDigest() ledger.Digest {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s\n%s\n", c.tool.name, c.tool.version) // a hash never fails
	_, _ = h.Write(c.prepared)
	return ledger.Digest(h.Sum(nil))
}

// unclaimed answers a call whose claim was not answered. What came before it is known all the same, where that can be read.
func (s *Server) unclaimed(ctx context.Context, c *call, claim ledger.Claim, err error) error {
	answer := unavailable(ctx, c.tool.name, err)
	if row, err := s.get(ctx, claim.Key); err == nil && row.State != ledger.None && row.Attempt != claim.Attempt {
		if err := s.knownAs(ctx, c, row); err != nil || c.answered || c.claimed {
			return err
		}
	}
	if !errors.Is(err, ledger.ErrUnavailable) {
		return answer // it has not begun
	}
	return s.unclaim(ctx, c, claim, answer)
}

// unclaim frees a row whose claim was not answered, and returns what to answer. Where it is not made it may still be on its
// way, so it is asked for again: that finds its own result, or comes first.
func (s *Server) unclaim(ctx context.Context, c *call, claim ledger.Claim, answer error) error {
	leaving, cancel := context.WithCancel(ctx)
	cancel() // the caller waits for a moment only: it has an answer already
	got, err := s.parting(leaving, 0, "free", func(ctx context.Context) (ledger.Row, bool, error) {
		row, err := s.ledger.Get(ctx, claim.Key)
		if err == nil && row.Attempt != claim.Attempt {
			row, _, err = s.ledger.Claim(ctx, claim)
		}
		switch {
		case errors.Is(err, ledger.ErrFull):
			return row, false, nil // nothing is, and there is no room
		case err != nil || row.Attempt != claim.Attempt:
			return row, false, err
		default:
			return s.ledger.Free(ctx, row.Hold(), ledger.Failure{Code: string(errs.CodeLedgerUnavailable)})
		}
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
	now, last := time.Now(), s.warned.Load()
	if (last == nil || now.Sub(*last) >= seldom) && s.warned.CompareAndSwap(last, &now) {
		s.log(ctx, slog.LevelWarn, "there is no room for another operation, and calls are refused", err)
	}
}
