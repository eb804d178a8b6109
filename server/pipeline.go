package server

import (
	"context"
	"time"
)

// stage is one step in the life of a call. Its error ends the call.
type stage struct {
	name string
	run  func(s *Server, ctx context.Context, c *call) error
}

// pipeline is the life of a call, in order, one file per stage.
func pipeline() []stage {
	return []stage{
		{"find", (*Server).find},           // the tool, or tool_not_found
		{"validate", (*Server).validate},   // the input, its defaults and the operation key, or invalid_input
		{"context", (*Server).identify},    // who is calling, and whether anybody still waits
		{"authorize", (*Server).authorize}, // on every call, replays included
		{"lookup", (*Server).lookup},       // what is known of the operation answers the call, where its claim would not say so
		{"gates", (*Server).gates},         // the time that is left, for calls that would execute; runs and quotas belong here, too
		// confirm: an approval of this very input
		{"execute", (*Server).execute}, // claim, Execute, cross, effect; recover where the effect returned no result
		// record: the receipt is written by whoever carries the effect, in record.go, so that it does not need the caller
		{"verify", (*Server).verify}, // authoritative state agrees, on replays too
	}
}

// Call runs one call of a tool. Every error is a typed error of package errs, or a status that a hook returned, and
// whatever the hooks returned is matched by errors.Is and errors.As in it.
func (s *Server) Call(ctx context.Context, request Call) (Result, error) {
	begun := time.Now()
	c := &call{Call: request}
	at, err := s.run(ctx, c)
	s.observe(ctx, c, at, begun, err)
	s.logCall(ctx, c, at, begun, err)
	if err != nil {
		return Result{}, err
	}
	return c.result(), nil
}

// run takes the call through the stages and returns the one where it ended, empty when it came through.
func (s *Server) run(ctx context.Context, c *call) (string, error) {
	for _, stage := range s.stages {
		if err := caught(stage.name, func() error { return stage.run(s, ctx, c) }); err != nil {
			return stage.name, s.answer(ctx, c, stage.name, err)
		}
	}
	return "", nil
}
