package server

import (
	"context"

	"github.com/remedyrpc/remedy/errs"
)

// authorize asks the tool whether the caller may do this. Where it cannot be asked, because the operation has an input of
// another version, nothing is said of what is known.
func (s *Server) authorize(ctx context.Context, c *call) error {
	if c.tool.authorize == nil {
		return nil
	}
	if c.unreadable != nil {
		return &errs.OutcomeUnknownError{
			Tool: c.tool.name, OperationKey: c.key, Cause: c.unreadable,
			Reason: "this version of the tool cannot be asked who may see what became of it",
		}
	}
	op := &Op{Tool: c.tool.name, Key: c.key, Principal: c.caller.Principal, Tenant: c.caller.Tenant}
	return prepare(ctx, c.tool, "Authorize", func(ctx context.Context) error { return c.tool.authorize(ctx, op, c.in) })
}
