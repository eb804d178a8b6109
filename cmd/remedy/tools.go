package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// toolsCommand is remedy tools.
type toolsCommand struct {
	address

	Name string `arg:"" help:"Show this tool whole, with its input schema and its errors." optional:""`

	Timeout time.Duration `default:"30s" help:"How long to wait; 0 is no bound."`

	JSON bool `help:"Write JSON, for programs."`
}

// Run lists the tools of a service, or shows one.
func (c *toolsCommand) Run(ctx context.Context, s *streams) error {
	service, err := c.dial()
	if err != nil {
		return err
	}
	defer service.Close() //nolint:errcheck // nothing is left to lose
	ctx, cancel := c.context(ctx, c.Timeout)
	defer cancel()
	if c.Name != "" {
		return c.one(ctx, s, service)
	}
	var tools []*servicev1.Tool
	for tool, err := range service.Tools(ctx) {
		if err != nil {
			return fail(s, err, failure{addr: c.Addr, json: c.JSON})
		}
		tools = append(tools, tool)
	}
	if c.JSON {
		list := make([]*tool, len(tools))
		for i := range tools {
			list[i] = toolOf(tools[i])
		}
		return term.JSON(s.out, list)
	}
	p := s.printer()
	table(p, tools)
	return p.Err()
}

func (c *toolsCommand) one(ctx context.Context, s *streams, service *client.Client) error {
	found, err := service.Tool(ctx, c.Name)
	if err != nil {
		return fail(s, err, failure{addr: c.Addr, json: c.JSON})
	}
	if c.JSON {
		return term.JSON(s.out, toolOf(found))
	}
	p := s.printer()
	toolOf(found).text(p)
	return p.Err()
}

// tool is a tool as --json writes it.
type tool struct {
	Name         string   `json:"name"`
	Description  string   `json:"description"`
	OperationKey string   `json:"operationKey"`
	Hints        []string `json:"hints,omitempty"`
	// Window is the least time that the deadline of a call has to leave; empty for any.
	Window      string          `json:"window,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	Errors      []toolError     `json:"errors,omitempty"`
}

// toolError is one error that a tool declares.
type toolError struct {
	Code     string       `json:"code"`
	Domain   string       `json:"domain"`
	Headline string       `json:"headline"`
	Status   string       `json:"status"`
	Retry    string       `json:"retry"`
	Plan     *report.Plan `json:"plan,omitempty"`
}

func toolOf(t *servicev1.Tool) *tool {
	out := &tool{
		Name: t.GetName(), Description: t.GetDescription(), OperationKey: keySource(t), Hints: hints(t),
	}
	if w := t.GetWindow(); w != nil {
		out.Window = w.AsDuration().String()
	}
	if schema := json.RawMessage(t.GetInputSchemaJson()); json.Valid(schema) {
		out.InputSchema = schema
	}
	for _, e := range t.GetErrors() {
		out.Errors = append(out.Errors, toolError{
			Code: e.GetCode(), Domain: e.GetDomain(), Headline: e.GetMessage(),
			Status: strings.TrimPrefix(e.GetStatus().String(), "STATUS_CODE_"),
			Retry:  errs.RetryPolicy(e.GetRetry()).String(), Plan: report.PlanOfProto(e.GetRepair()),
		})
	}
	return out
}

// keySource says in a word who names the operations of a tool: none, caller or tool.
func keySource(t *servicev1.Tool) string {
	word := strings.ToLower(strings.TrimPrefix(t.GetOperationKeySource().String(), "OPERATION_KEY_SOURCE_"))
	if word == "unspecified" {
		return "-"
	}
	return word
}

// hints are the annotations of a tool in words.
func hints(t *servicev1.Tool) []string {
	var words []string
	a := t.GetAnnotations()
	for _, hint := range []struct {
		set  bool
		word string
	}{{a.GetReadOnly(), "read-only"}, {a.GetDestructive(), "destructive"}, {a.GetIdempotent(), "idempotent"}} {
		if hint.set {
			words = append(words, hint.word)
		}
	}
	return words
}

// table writes one line a tool.
func table(p *term.Printer, tools []*servicev1.Tool) {
	rows := make([][]string, 1, len(tools)+1)
	rows[0] = []string{"NAME", "KEY", "HINTS", "DESCRIPTION"}
	for _, t := range tools {
		rows = append(rows, []string{t.GetName(), keySource(t), strings.Join(hints(t), ","), t.GetDescription()})
	}
	p.Table(rows)
}

func (t *tool) text(p *term.Printer) {
	p.Title(t.Name)
	p.Line(1, t.Description)
	switch t.OperationKey {
	case "caller":
		p.Line(1, "A call needs an operation key.")
	case "tool":
		p.Line(1, "The tool makes the operation key of its input; a call needs none.")
	}
	if t.Window != "" {
		p.Line(1, "The deadline of a call has to leave at least "+t.Window+".")
	}
	if len(t.Hints) > 0 {
		p.Line(1, "Hints: "+strings.Join(t.Hints, ", "))
	}
	if len(t.InputSchema) > 0 {
		p.Title("Input")
		p.JSON(1, t.InputSchema)
	}
	if len(t.Errors) > 0 {
		p.Title("Errors of its own")
	}
	for _, e := range t.Errors {
		p.Item(1, fmt.Sprintf("%s (%s, %s, %s): %s", e.Code, e.Domain, e.Status, e.Retry, e.Headline))
		if e.Plan != nil {
			report.PlanText(p, 2, e.Plan)
		}
	}
}
