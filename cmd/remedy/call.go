package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// callCommand is remedy call.
type callCommand struct {
	address

	Tool string `arg:"" help:"Name of the tool."`

	Input string `default:"{}" help:"Input as JSON, as @FILE, or - for standard input." placeholder:"JSON"`

	Key *string `help:"Operation key: your name for this intent on a retry. The default is a new one, or the input's own." placeholder:"KEY"`

	RunID *string `help:"Agent run that the call belongs to." name:"run-id" placeholder:"ID"`

	Ledger bool `help:"The service keeps operations durably (not in memory): a lost answer may be sent again under its key."`

	Timeout time.Duration `default:"30s" help:"How long to wait; 0 is no bound. A call that is given up may still take effect."`

	JSON bool `help:"Write one JSON object, for the result and for an error alike."`
}

// maxInput is the largest input that a service takes.
const maxInput = 1 << 20

// read returns the input. What was given and is empty is refused: it is more likely a variable that was never set than a
// wish for the default, and a key made anew on each run of a script is a second effect.
func (c *callCommand) read(ctx context.Context, s *streams) ([]byte, error) {
	switch {
	case c.Key != nil && *c.Key == "":
		return nil, usageError{errors.New("--key: is empty; leave it out to have one made")}
	case c.RunID != nil && *c.RunID == "":
		return nil, usageError{errors.New("--run-id: is empty; leave it out for no run")}
	case c.Input == "":
		return nil, usageError{errors.New("--input: is empty; leave it out for {}")}
	}
	input, err := readInput(ctx, c.Input, s.in, maxInput+1)
	switch {
	case err != nil:
		return nil, err
	case len(input) > maxInput:
		return nil, usageError{fmt.Errorf("--input: more than %d bytes", maxInput)}
	case !utf8.Valid(input), !json.Valid(input):
		return nil, usageError{errors.New("--input: expected JSON, for example '{\"orderId\":\"o-1\"}', @FILE or -")}
	}
	return input, nil
}

// Run calls one tool.
func (c *callCommand) Run(ctx context.Context, s *streams) error {
	input, err := c.read(ctx, s)
	if err != nil {
		return err
	}
	var options []client.Option
	if c.Ledger {
		options = append(options, client.WithLedger())
	}
	service, err := c.dial(options...)
	if err != nil {
		return err
	}
	defer service.Close() //nolint:errcheck // nothing is left to lose
	ctx, cancel := c.context(ctx, c.Timeout)
	defer cancel()
	tool, err := service.Tool(ctx, c.Tool)
	if err != nil && c.Key == nil { // whether a key is to be made is not known
		return fail(s, notCalledError{err}, failure{addr: c.Addr, json: c.JSON})
	}
	result, err := service.CallJSON(ctx, c.Tool, input, c.options(tool)...)
	if err != nil {
		return fail(s, err, failure{
			addr: c.Addr, key: result.OperationKey, reads: reads(tool), json: c.JSON,
			command: c.reconcile(err, c.Tool, result.OperationKey),
		})
	}
	return c.succeed(s, &result)
}

// options are those of the call of a tool; nil for one that nothing is known of, which may have an effect. A tool that
// needs no key gets none but the one that was given; one that makes the key of its input gets none at all, because it goes
// by its own, and nobody is to reconcile under another.
func (c *callCommand) options(tool *servicev1.Tool) []client.CallOption {
	var options []client.CallOption
	if c.RunID != nil {
		options = append(options, client.WithRunID(*c.RunID))
	}
	if reads(tool) {
		options = append(options, client.WithReadOnly())
	}
	const ofCaller, ofTool = servicev1.OperationKeySource_OPERATION_KEY_SOURCE_CALLER, servicev1.OperationKeySource_OPERATION_KEY_SOURCE_TOOL
	switch source := tool.GetOperationKeySource(); {
	case c.Key != nil && source != ofTool:
		return append(options, client.WithOperationKey(*c.Key))
	case source != ofCaller:
		return append(options, client.WithoutOperationKey())
	default:
		return options
	}
}

// reads reports whether a service says of a tool that it changes nothing, without saying that its calls are operations.
func reads(tool *servicev1.Tool) bool {
	switch tool.GetOperationKeySource() {
	case servicev1.OperationKeySource_OPERATION_KEY_SOURCE_CALLER, servicev1.OperationKeySource_OPERATION_KEY_SOURCE_TOOL:
		return false
	default:
		return tool.GetAnnotations().GetReadOnly()
	}
}

// answer is a result as --json writes it.
type answer struct {
	OK           bool   `json:"ok"`
	Tool         string `json:"tool"`
	OperationKey string `json:"operationKey,omitempty"`
	OperationID  string `json:"operationId,omitempty"`
	// Output is absent when it was not kept.
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
		p.Field("output", "not kept; the operation is complete all the same")
	}
	if a.Verified {
		p.Field("verified", "authoritative state agrees")
	}
	p.Field("operationKey", a.OperationKey)
	p.Field("operationId", a.OperationID)
}
