package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/operations"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// opsResolveCommand is remedy ops resolve.
type opsResolveCommand struct {
	address

	ID string `arg:"" help:"The service's name for the operation: a decision is about one operation, not about a key."`

	Applied bool `help:"It took effect." required:"true" xor:"decision"`

	NotApplied bool `help:"It did not, and never will: its key is closed for good." name:"not-applied" required:"true" xor:"decision"`

	Reason string `help:"What was looked at, 1 to 1024 bytes; it is kept in the trail." placeholder:"TEXT" required:"true"`

	Output *string `help:"Output of what was applied, as JSON; - is standard input. Equal calls get it." placeholder:"FILE"`

	Timeout time.Duration `default:"30s" help:"How long to wait; 0 is no bound."`

	JSON bool `help:"Write JSON, for programs. What is decided is on standard error all the same."`
}

// Help says more.
func (*opsResolveCommand) Help() string {
	return `For operators. Nothing is asked: what is about to be decided, and what follows from it, is written to standard error before it
is sent. The same decision may be sent again, and should be after exit code 6, which here says that its answer was lost.

--not-applied is refused with exit code 4 while an attempt at the operation could still act, and either decision with 3 when
the operation is not unknown, or was decided otherwise.`
}

// Run decides one operation.
func (c *opsResolveCommand) Run(ctx context.Context, s *streams) error {
	output, err := c.read(ctx, s)
	if err != nil {
		return err
	}
	d := decision{oneOperation{&c.address, c.Timeout, c.JSON}, c.ID}
	if c.NotApplied {
		return d.send(ctx, s, c.closes, func(service *client.Client, ctx context.Context) (*servicev1.Operation, error) {
			return service.ResolveNotApplied(ctx, c.ID, c.Reason)
		})
	}
	consequences := func(operation *servicev1.Operation) []string { return c.completes(operation, output) }
	return d.send(ctx, s, consequences, func(service *client.Client, ctx context.Context) (*servicev1.Operation, error) {
		return service.ResolveApplied(ctx, c.ID, c.Reason, output)
	})
}

// read returns the output; nil for none.
func (c *opsResolveCommand) read(ctx context.Context, s *streams) (json.RawMessage, error) {
	switch {
	case strings.TrimSpace(c.Reason) == "":
		return nil, usageError{errors.New("--reason: is empty; say what was looked at")}
	case c.Output == nil:
		return nil, nil
	case c.NotApplied:
		return nil, usageError{errors.New("--output: what was not applied has no output")}
	}
	from := "@" + *c.Output
	if *c.Output == "-" {
		from = "-"
	}
	output, err := readInput(ctx, from, s.in, maxInput+1)
	switch {
	case err != nil:
		return nil, err
	case len(output) > maxInput:
		return nil, usageError{fmt.Errorf("--output: more than %d bytes", maxInput)}
	case !utf8.Valid(output), !json.Valid(output):
		return nil, usageError{errors.New("--output: expected a file of JSON, or -")}
	}
	return output, nil
}

// closes says what a decision that an operation was not applied does.
func (c *opsResolveCommand) closes(operation *servicev1.Operation) []string {
	return []string{
		"Resolve as NOT APPLIED: " + described(operation),
		"The reason that is kept: " + c.Reason,
		"Its key never runs again: equal calls are answered operation_closed. This cannot be taken back.",
		"Whoever still wants it has to send the intent again, under a new key: if it was applied after all, that is a second effect.",
		"Should it turn out to have taken effect, it becomes done, marked as contradicted.",
	}
}

// completes says what a decision that an operation was applied does.
func (c *opsResolveCommand) completes(operation *servicev1.Operation, output []byte) []string {
	follows := "Equal calls are answered that it completed, and that its output is not kept (no --output)."
	switch {
	case output == nil:
	case *c.Output == "-":
		follows = fmt.Sprintf("Equal calls get the %d bytes of standard input as its stored result.", len(output))
	default:
		follows = fmt.Sprintf("Equal calls get the %d bytes of %s as its stored result.", len(output), *c.Output)
	}
	return []string{
		"Resolve as APPLIED: " + described(operation),
		"The reason that is kept: " + c.Reason,
		follows + " This cannot be taken back.",
		"It never executes again: if it was not applied, it never will be under this key.",
	}
}

// opsPurgeCommand is remedy ops purge.
type opsPurgeCommand struct {
	address

	ID string `arg:"" help:"The service's name for the operation."`

	Timeout time.Duration `default:"30s" help:"How long to wait; 0 is no bound."`

	JSON bool `help:"Write JSON, for programs. What is dropped is on standard error all the same."`
}

// Help says more.
func (*opsPurgeCommand) Help() string {
	return `For operators, and for operations that are done, closed or free: one that runs is refused with exit code 4, one that is unknown
with 3. What is about to be dropped is written to standard error before it is sent. It may be sent again, and should be after
exit code 6, which here says that the answer was lost.`
}

// Run purges one operation.
func (c *opsPurgeCommand) Run(ctx context.Context, s *streams) error {
	d := decision{oneOperation{&c.address, c.Timeout, c.JSON}, c.ID}
	consequences := func(operation *servicev1.Operation) []string {
		return []string{
			"PURGE " + described(operation),
			"Its input, output, reasons and notes are dropped for everybody. This cannot be taken back.",
			keptKey(operation),
		}
	}
	return d.send(ctx, s, consequences, func(service *client.Client, ctx context.Context) (*servicev1.Operation, error) {
		return service.Purge(ctx, c.ID)
	})
}

// keptKey says what the key of a purged operation means.
func keptKey(operation *servicev1.Operation) string {
	switch operation.GetState() {
	case servicev1.OperationState_OPERATION_STATE_DONE:
		return "Its key is kept: equal calls never execute. Where there was an output, they are answered operation_expired."
	case servicev1.OperationState_OPERATION_STATE_CLOSED:
		return "Its key is kept, and stays closed: equal calls are answered operation_closed."
	case servicev1.OperationState_OPERATION_STATE_FREE:
		return "Its key is kept, and stays free: an equal call executes."
	default:
		return "It will be refused: an operation that runs or is unknown cannot be purged."
	}
}

// decision is a command that changes one operation.
type decision struct {
	oneOperation

	id string
}

// send reads the operation, says what is about to happen to it, and then makes the call.
func (d *decision) send(
	ctx context.Context, s *streams, consequences func(*servicev1.Operation) []string,
	call func(*client.Client, context.Context) (*servicev1.Operation, error),
) error {
	service, err := d.dial()
	if err != nil {
		return err
	}
	defer service.Close() //nolint:errcheck // nothing is left to lose
	ctx, cancel := d.context(ctx, d.timeout)
	defer cancel()
	operation, err := service.Operation(ctx, client.OperationID(d.id))
	if err != nil {
		return fail(s, err, d.looking(err, &operationName{ID: d.id}))
	}
	p := term.NewPrinter(s.err, false)
	for i, line := range consequences(operation) {
		p.Item(min(i, 1), line)
	}
	if p.Err() != nil {
		return p.Err()
	}
	operation, err = call(service, ctx)
	if err != nil {
		f := failure{addr: d.Addr, json: d.json}
		switch errs.CodeOf(err) { //nolint:exhaustive // of any code
		case errs.CodeOutcomeUnknown:
			f.instead = []string{"Run the same command again: what was decided already stays as it was decided."}
		case errs.CodeAuthorizationDenied:
			f.instead = []string{"Have an operator do it: whoever runs the service says who that is."}
		}
		p.Gap()
		return fail(s, err, f)
	}
	if !d.json {
		p.Gap()
	}
	return d.show(s, operation)
}

// described names an operation in full.
func described(operation *servicev1.Operation) string {
	o := operations.Of(operation)
	text := fmt.Sprintf("operation %s, which is %s: %s under the key %s", o.ID, o.State, o.Tool, o.OperationKey)
	if o.Principal != "" {
		text += " of " + o.Principal
	}
	return text
}
