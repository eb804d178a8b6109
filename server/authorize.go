package server

import "context"

// authorize asks the tool whether the caller may do this.
func (s *Server) authorize(ctx context.Context, c *call) error {
	if c.tool.authorize == nil {
		return nil
	}
	op := &Op{Tool: c.tool.name, Key: c.key, Principal: c.caller.Principal, Tenant: c.caller.Tenant}
	return prepare(ctx, c.tool, "Authorize", func(ctx context.Context) error { return c.tool.authorize(ctx, op, c.in) })
}
