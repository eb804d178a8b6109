package server

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

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
	w.op.reporter = &reporter{server: s, hold: c.row.Hold()}
	defer func() {
		if !w.op.crossed {
			w.op.reporter.end()
		}
	}()
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
