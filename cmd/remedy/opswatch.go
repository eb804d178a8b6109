package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/operations"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// opsWatchCommand is remedy ops watch.
type opsWatchCommand struct {
	address
	operationName

	Timeout time.Duration `default:"0s" help:"How long to watch; 0 is no bound."`

	JSON bool `help:"Write JSON, one line for each change, for programs."`
}

// Help says more.
func (*opsWatchCommand) Help() string {
	return `Shows the operation as it is, and a line whenever it has changed. It goes on while the operation is unknown, which somebody
may still resolve; a script should give --timeout. A stream that breaks is begun again.

The exit code is 0 when the operation is done, free or closed, and 6 when time ran out before.`
}

// Run follows one operation.
func (c *opsWatchCommand) Run(ctx context.Context, s *streams) error {
	name, err := c.name()
	if err != nil {
		return err
	}
	service, err := c.dial(client.WithRetry(client.Retry{}))
	if err != nil {
		return err
	}
	defer service.Close() //nolint:errcheck // nothing is left to lose
	ctx, cancel := c.context(ctx, c.Timeout)
	defer cancel()
	var last *servicev1.Operation
	p := s.printer()
	for operation, err := range service.WatchOperation(ctx, name) {
		if err != nil {
			return c.ended(s, last, err)
		}
		shown := operations.Of(operation)
		switch {
		case c.JSON:
			err = term.JSONLine(s.out, shown)
		case last == nil:
			p.Line(0, fmt.Sprintf("%s, %s under the key %s", shown.ID, shown.Tool, shown.OperationKey))
			fallthrough
		default:
			p.Code(0, shown.Line())
			err = p.Err()
		}
		if err != nil {
			return err
		}
		last = operation
	}
	return nil
}

// ended shows why a watch ended before its operation did.
func (c *opsWatchCommand) ended(s *streams, last *servicev1.Operation, err error) error {
	if last == nil || !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		f := (&oneOperation{address: &c.address, json: c.JSON}).looking(err, &c.operationName)
		f.lines = true
		return fail(s, err, f)
	}
	term.NewPrinter(s.err, false).Bad("remedy: the watch has ended, the operation has not: it is " + operations.State(last.GetState()))
	return outcome(last)
}
