package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server/ledger"
)

// verify asks the tool whether authoritative state agrees with the result.
func (s *Server) verify(ctx context.Context, c *call) error {
	if c.tool.verify == nil {
		return nil
	}
	if c.unreadable != nil {
		return s.unverified(ctx, c, c.unreadable)
	}
	out := c.out
	if out == nil {
		if c.receipt.Omitted != ledger.Kept {
			return nil // there is nothing to compare
		}
		if err := guard("decoding the output", func() (err error) { out, err = c.tool.decodeOut(c.receipt.Output); return err }); err != nil {
			return s.unverified(ctx, c, fmt.Errorf("decoding the kept output: %w", err))
		}
	}
	op := c.op()
	verdict, err := detached(ctx, c.tool.timeouts.Verify, "Verify", func(ctx context.Context) (Verdict, error) {
		return c.tool.verify(ctx, op, c.in, out)
	})
	if err != nil {
		return s.unverified(ctx, c, err)
	}
	switch {
	case verdict == Verified || verdict == Superseded:
		c.verified = true
		s.judge(ctx, c, ledger.OK, "")
		return nil
	case verdict.disagrees():
		s.judge(ctx, c, ledger.Failed, notVerified)
		return &errs.VerificationError{
			Tool: c.tool.name, OperationKey: c.key, OperationID: c.row.ID, Reason: notVerified, Cause: errors.New(string(verdict)),
		}
	default:
		return s.unverified(ctx, c, fmt.Errorf("the Verify of %s returned no verdict", c.tool.name))
	}
}

// judge keeps what verification said, where it says something new, and not why: that may hold what nobody else may see. The
// answer does not depend on it.
func (s *Server) judge(ctx context.Context, c *call, verdict ledger.Verdict, reason string) {
	if c.row.Verdict == ledger.OK || c.row.Verdict == verdict && c.row.VerdictReason == reason {
		return
	}
	hold := c.row.Hold()
	_, err := s.parting(ctx, 0, "judge", func(ctx context.Context) (ledger.Row, bool, error) {
		return s.ledger.Judge(ctx, hold, verdict, reason)
	})
	if err != nil {
		s.log(ctx, slog.LevelWarn, "a verdict could not be kept", err, slog.String("operationId", c.row.ID))
	}
}

// unverified says that verification was not possible. Nobody knows that the result is wrong, so the headline does not say
// so.
func (s *Server) unverified(ctx context.Context, c *call, cause error) error {
	if ctx.Err() == nil { // else it is the caller who had no time for it
		s.judge(ctx, c, ledger.Failed, notPossible)
	}
	return &errs.VerificationError{
		Tool: c.tool.name, OperationKey: c.key, OperationID: c.row.ID, Reason: notPossible, Cause: cause,
		Message: "The call ran; its result could not be verified.",
	}
}
