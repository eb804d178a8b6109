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
	out := c.out
	if out == nil {
		if c.receipt.Omitted != ledger.Kept {
			return nil // there is nothing to compare
		}
		if err := guard("decoding the output", func() (err error) { out, err = c.tool.decodeOut(c.receipt.Output); return err }); err != nil {
			return c.unavailable(fmt.Errorf("decoding the kept output: %w", err))
		}
	}
	op := c.op()
	verdict, err := detached(ctx, c.tool.timeouts.Verify, "Verify", func(ctx context.Context) (Verdict, error) {
		return c.tool.verify(ctx, op, c.in, out)
	})
	if err != nil {
		return c.unavailable(err)
	}
	switch {
	case verdict == Verified || verdict == Superseded:
		c.verified = true
		s.judge(ctx, c, ledger.OK, "")
		return nil
	case verdict.disagrees():
		s.judge(ctx, c, ledger.Failed, string(verdict))
		return &errs.VerificationError{
			Tool: c.tool.name, OperationKey: c.key, OperationID: c.row.ID, Reason: notVerified, Cause: errors.New(string(verdict)),
		}
	default:
		return c.unavailable(fmt.Errorf("the Verify of %s returned no verdict", c.tool.name))
	}
}

// judge keeps what verification said, where it says something new. The answer does not depend on it.
func (s *Server) judge(ctx context.Context, c *call, verdict ledger.Verdict, reason string) {
	if c.row.Verdict == verdict || c.row.Verdict == ledger.OK {
		return
	}
	_, err := ask(context.WithoutCancel(ctx), "judge", func(ctx context.Context) (ledger.Row, bool, error) {
		return s.ledger.Judge(ctx, c.row.Hold(), verdict, reason)
	})
	if err != nil {
		s.log(ctx, slog.LevelWarn, "a verdict could not be kept", err, slog.String("operationId", c.row.ID))
	}
}

// unavailable says that verification was not possible. Nobody knows that the result is wrong, so the headline does not say
// so.
func (c *call) unavailable(cause error) error {
	return &errs.VerificationError{
		Tool: c.tool.name, OperationKey: c.key, OperationID: c.row.ID, Reason: "unavailable", Cause: cause,
		Message: "The call ran; its result could not be verified.",
	}
}
