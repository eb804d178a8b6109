package server

import (
	"context"

	"github.com/remedyrpc/remedy/interceptors/auth"
)

// identify takes who is calling from the context, and ends the calls that nobody waits for any more.
func (s *Server) identify(ctx context.Context, c *call) error {
	c.caller, _ = auth.FromContext(ctx)
	return gone(ctx, nil)
}
