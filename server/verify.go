package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/remedyrpc/remedy/errs"
)

// verify asks the tool whether authoritative state agrees with the result.
func (s *Server) verify(ctx context.Context, c *call) error {
	if c.tool.verify == nil {
		return nil
	}
	out := c.out
	if out == nil {
		if c.receipt.omitted {
			return nil // there is nothing to compare
		}
		if err := guard("decoding the output", func() (err error) { out, err = c.tool.decodeOut(c.receipt.output); return err }); err != nil {
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
		return nil
	case verdict.disagrees():
		return &errs.VerificationError{
			Tool: c.tool.name, OperationKey: c.key, OperationID: c.attempt.id, Reason: notVerified, Cause: errors.New(string(verdict)),
		}
	default:
		return c.unavailable(fmt.Errorf("the Verify of %s returned no verdict", c.tool.name))
	}
}

// unavailable says that verification was not possible. Nobody knows that the result is wrong, so the headline does not say
// so.
func (c *call) unavailable(cause error) error {
	return &errs.VerificationError{
		Tool: c.tool.name, OperationKey: c.key, OperationID: c.attempt.id, Reason: "unavailable", Cause: cause,
		Message: "The call ran; its result could not be verified.",
	}
}
