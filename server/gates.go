package server

import (
	"context"
	"fmt"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/trusted"
)

// gates refuses a call that would execute and should not. It never answers for an operation that is known: where a gate would
// refuse the call, that is looked up first, and answers it whatever the gate would say.
func (s *Server) gates(ctx context.Context, c *call) error {
	if c.answered || c.claimed {
		return nil // by an earlier call, or it was let through already
	}
	refused := c.enoughTime(ctx)
	if refused == nil {
		return nil
	}
	if err := s.known(ctx, c); err != nil || c.answered || c.claimed {
		return err
	}
	return refused
}

// enoughTime holds a call to the time that its tool needs at least.
func (c *call) enoughTime(ctx context.Context) error {
	deadline, ok := ctx.Deadline()
	left := time.Until(deadline)
	if window := c.tool.timeouts.Window; window > 0 && ok && left < window {
		return &errs.ServiceError{
			Code: errs.CodeDeadlineTooShort, Subject: c.tool.name, Cause: fmt.Errorf("%v are left of %v", left, window),
			Message: trusted.Text(fmt.Sprintf("The time left is too short for %s to run safely: it needs %v.", c.tool.name, window)),
		}
	}
	return nil
}
