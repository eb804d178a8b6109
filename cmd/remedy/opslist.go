package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/operations"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

// opsListCommand is remedy ops list.
type opsListCommand struct {
	address

	State []string `enum:"free,claimed,effect,done,unknown,closed" help:"States to list: ${enum}; all but free if none." placeholder:"STATE"`

	Tool string `help:"Tool to list those of." placeholder:"NAME"`

	Key string `help:"Operation key to list those of, whoever called." placeholder:"KEY"`

	RunID string `help:"Agent run to list those of." name:"run" placeholder:"ID"`

	Principal string `help:"Caller to list those of; others than oneself are for operators." placeholder:"NAME"`

	Limit int `default:"100" help:"Most operations to list; 0 is no bound."`

	Timeout time.Duration `default:"30s" help:"How long to wait; 0 is no bound."`

	JSON bool `help:"Write JSON, one operation a line, for programs."`
}

// Help says more.
func (*opsListCommand) Help() string {
	return `A caller sees its own operations, an operator those of its tenant. Results and trails are shown by "remedy ops get". The verdict
is what verification said of a result. With --key and no --state, those that are free are listed, too.`
}

// mostOperations is the largest page of a service.
const mostOperations = 1000

// Run lists operations. As JSON they are written as they come.
func (c *opsListCommand) Run(ctx context.Context, s *streams) error {
	if c.Limit < 0 || c.Limit > math.MaxInt32 {
		return usageError{errors.New("--limit: must not be negative; 0 is no bound")}
	}
	service, err := c.dial()
	if err != nil {
		return err
	}
	defer service.Close() //nolint:errcheck // nothing is left to lose
	ctx, cancel := c.context(ctx, c.Timeout)
	defer cancel()
	var all []*operations.Operation
	var failed error
	for operation, err := range service.Operations(ctx, c.filter()) {
		if failed = err; err != nil {
			break
		}
		all = append(all, operations.Of(operation))
		if c.JSON {
			if err := term.JSONLine(s.out, all[len(all)-1]); err != nil {
				return err
			}
		}
		if len(all) == c.Limit {
			break
		}
	}
	if !c.JSON && (failed == nil || len(all) > 0) {
		if err := c.table(s, all); err != nil {
			return err
		}
	}
	if failed != nil {
		return fail(s, failed, failure{addr: c.Addr, looks: true, json: c.JSON, lines: true})
	}
	return nil
}

// filter asks for no more than are listed.
func (c *opsListCommand) filter() client.OperationFilter {
	filter := client.OperationFilter{
		Tool: c.Tool, OperationKey: c.Key, RunID: c.RunID, Principal: c.Principal,
		PageSize: int32(min(c.Limit, mostOperations)), //nolint:gosec // small
	}
	states := c.State
	if c.Key != "" && len(states) == 0 {
		states = slices.Sorted(maps.Keys(operations.States()))
	}
	for _, word := range states {
		filter.States = append(filter.States, operations.States()[word])
	}
	return filter
}

// table writes what was listed, however many there are.
func (c *opsListCommand) table(s *streams, all []*operations.Operation) error {
	p := s.printer()
	operations.Table(p, all, time.Now())
	if p.Err() == nil && c.Limit > 0 && len(all) == c.Limit {
		p = term.NewPrinter(s.err, false)
		p.Line(0, fmt.Sprintf("There may be more than %d (--limit).", c.Limit))
	}
	return p.Err()
}
