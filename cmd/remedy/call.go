package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// callCommand is remedy call.
type callCommand struct {
	address

	Tool string `arg:"" help:"Name of the tool."`

	Input string `default:"{}" help:"Input as JSON, as @FILE, or - for standard input." placeholder:"JSON"`

	Key string `help:"Operation key: your name for this intent, the same on every retry. Made when the tool needs one." placeholder:"KEY"`

	RunID string `help:"Agent run that the call belongs to." name:"run-id" placeholder:"ID"`

	Timeout time.Duration `default:"30s" help:"How long to wait; 0 is no bound. A call that is given up may still take effect."`

	JSON bool `help:"Write one JSON object, for the result and for an error alike."`
}

// maxInput is the largest input that a service takes.
const maxInput = 1 << 20

// Run calls one tool.
func (c *callCommand) Run(ctx context.Context, s *streams) error {
	input, err := readInput(c.Input, s.in, maxInput+1)
	if err != nil {
		return err
	}
	if len(input) > maxInput {
		return usageError{fmt.Errorf("--input: more than %d bytes", maxInput)}
	}
	if !json.Valid(input) {
		return usageError{errors.New("--input: expected JSON, for example '{\"orderId\":\"o-1\"}', @FILE or -")}
	}
	service, err := c.dial()
	if err != nil {
		return err
	}
	defer service.Close() //nolint:errcheck // nothing is left to lose
	ctx, cancel := c.context(ctx, c.Timeout)
	defer cancel()
	options, err := c.options(ctx, service)
	if err != nil {
		return fail(s, err, failure{addr: c.Addr, json: c.JSON})
	}
	result, err := service.CallJSON(ctx, c.Tool, input, options...)
	if err != nil {
		return fail(s, err, failure{addr: c.Addr, key: result.OperationKey, json: c.JSON})
	}
	return c.succeed(s, &result)
}

// options are those of the call. A tool that takes no key, because it reads or makes the key of its input, gets none;
// only the service knows which these are.
func (c *callCommand) options(ctx context.Context, service *client.Client) ([]client.CallOption, error) {
	var options []client.CallOption
	if c.RunID != "" {
		options = append(options, client.WithRunID(c.RunID))
	}
	if c.Key != "" {
		return append(options, client.WithOperationKey(c.Key)), nil
	}
	tool, err := service.Tool(ctx, c.Tool)
	if err == nil && tool.GetOperationKeySource() != servicev1.OperationKeySource_OPERATION_KEY_SOURCE_CALLER {
		options = append(options, client.WithoutOperationKey())
	}
	return options, err
}

// answer is a result as --json writes it.
type answer struct {
	OK           bool   `json:"ok"`
	Tool         string `json:"tool"`
	OperationKey string `json:"operationKey,omitempty"`
	OperationID  string `json:"operationId,omitempty"`
	// Output is absent when it was too large to be kept.
	Output           json.RawMessage `json:"output,omitempty"`
	OutputOmitted    bool            `json:"outputOmitted,omitempty"`
	Verified         bool            `json:"verified"`
	Replayed         bool            `json:"replayed"`
	FirstCompletedAt string          `json:"firstCompletedAt,omitempty"`
}

func (c *callCommand) succeed(s *streams, result *client.Result[json.RawMessage]) error {
	a := &answer{
		OK: true, Tool: c.Tool, OperationKey: result.OperationKey, OperationID: result.OperationID,
		Output: result.Output, OutputOmitted: result.OutputOmitted, Verified: result.Verified, Replayed: result.Replayed,
	}
	if at := result.FirstCompletedAt; !at.IsZero() {
		a.FirstCompletedAt = at.UTC().Format(time.RFC3339)
	}
	if c.JSON {
		return term.JSON(s.out, a)
	}
	if a.Output != nil {
		if err := term.JSON(s.out, a.Output); err != nil {
			return err
		}
	}
	p := term.NewPrinter(s.err, false) // so that the output can be piped
	a.text(p)
	return p.Err()
}

// text writes what is to be said of a result beside its output.
func (a *answer) text(p *term.Printer) {
	switch {
	case a.Replayed && a.FirstCompletedAt != "":
		p.Line(0, "ok: the stored result of a call that completed at "+a.FirstCompletedAt)
	case a.Replayed:
		p.Line(0, "ok: the stored result of an earlier call")
	default:
		p.Line(0, "ok")
	}
	if a.OutputOmitted {
		p.Field("output", "too large to be kept; the operation is complete all the same")
	}
	if a.Verified {
		p.Field("verified", "authoritative state agrees")
	}
	p.Field("operationKey", a.OperationKey)
	p.Field("operationId", a.OperationID)
}
