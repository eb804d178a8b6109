package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/operations"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// opsCommand is remedy ops.
type opsCommand struct {
	List      opsListCommand      `cmd:"" help:"List operations, the newest first."`
	Get       opsGetCommand       `cmd:"" help:"Show one operation with its result and its trail."`
	Watch     opsWatchCommand     `cmd:"" help:"Follow one operation until it is done, closed or free."`
	Reconcile opsReconcileCommand `cmd:"" help:"Have the service look what became of one operation; it never executes."`
	Resolve   opsResolveCommand   `cmd:"" help:"Decide an unknown operation, as an operator who has looked."`
	Purge     opsPurgeCommand     `cmd:"" help:"Drop the output and the texts of one operation, as an operator, and keep its key."`
}

// operationName is how a command line names one operation.
type operationName struct {
	ID string `arg:"" help:"The service's name for the operation." optional:""`

	Tool *string `help:"Tool of the operation, with --key in place of an ID." placeholder:"NAME"`

	Key *string `help:"Operation key of the call." placeholder:"KEY"`
}

// name is the name, one of the two kinds.
func (n *operationName) name() (client.OperationName, error) {
	switch {
	case n.ID != "" && n.Tool == nil && n.Key == nil:
		return client.OperationID(n.ID), nil
	case n.ID == "" && n.Tool != nil && n.Key != nil:
		return client.OperationKey(*n.Tool, *n.Key), nil
	default:
		return client.OperationName{}, usageError{errors.New("expected an ID, or --tool and --key")}
	}
}

// opsGetCommand is remedy ops get.
type opsGetCommand struct {
	address
	operationName

	Timeout time.Duration `default:"30s" help:"How long to wait; 0 is no bound."`

	JSON bool `help:"Write JSON, for programs."`
}

// Help says more.
func (*opsGetCommand) Help() string {
	return `The result is only shown of a tool that authorizes nobody: an equal call under the same key gets it of every tool.

The exit code is 0 for an operation in any state. One that is not found may be somebody else's, be forgotten, or be on its way
still: that is no proof that nothing happened.`
}

// Run shows one operation.
func (c *opsGetCommand) Run(ctx context.Context, s *streams) error {
	one := oneOperation{&c.address, c.Timeout, c.JSON}
	operation, err := one.ask(ctx, s, &c.operationName, (*client.Client).Operation)
	if err != nil {
		return err
	}
	return one.show(s, operation)
}

// opsReconcileCommand is remedy ops reconcile.
type opsReconcileCommand struct {
	address
	operationName

	Timeout time.Duration `default:"30s" help:"How long to wait; 0 is no bound."`

	JSON bool `help:"Write JSON, for programs."`
}

// Help says more.
func (*opsReconcileCommand) Help() string {
	return `Where the tool can tell, the service looks what became of the operation, and records it. It never executes, so this may be
repeated. The service looks at most every few seconds, and not while the operation runs.

The exit code is 0 when it is known what became of the operation (done, free or closed), and 6 when it is not: it is unknown,
or still runs.`
}

// Run has the service look, and shows what it found.
func (c *opsReconcileCommand) Run(ctx context.Context, s *streams) error {
	one := oneOperation{&c.address, c.Timeout, c.JSON}
	operation, err := one.ask(ctx, s, &c.operationName, (*client.Client).Reconcile)
	if err != nil {
		return err
	}
	return errors.Join(one.show(s, operation), outcome(operation))
}

// oneOperation is a command about one operation.
type oneOperation struct {
	*address

	timeout time.Duration
	json    bool
}

// ask makes one call about an operation, and shows its error.
func (o *oneOperation) ask(
	ctx context.Context, s *streams, n *operationName,
	call func(*client.Client, context.Context, client.OperationName) (*servicev1.Operation, error),
) (*servicev1.Operation, error) {
	name, err := n.name()
	if err != nil {
		return nil, err
	}
	service, err := o.dial()
	if err != nil {
		return nil, err
	}
	defer service.Close() //nolint:errcheck // nothing is left to lose
	ctx, cancel := o.context(ctx, o.timeout)
	defer cancel()
	operation, err := call(service, ctx, name)
	if err != nil {
		return nil, fail(s, err, o.looking(err, n))
	}
	return operation, nil
}

// looking is how to show the error of a call that looks at one operation, which was named so.
func (o *oneOperation) looking(err error, n *operationName) failure {
	f := failure{addr: o.Addr, looks: true, json: o.json}
	if errs.CodeOf(err) != errs.CodeOperationNotFound {
		return f
	}
	f.instead = []string{
		"Check the name, and who asks: it may be somebody else's.",
		"This is no proof that nothing happened: the call may be on its way still, or be forgotten.",
	}
	if n.Key != nil {
		f.instead = append(f.instead, "A key is looked for among one's own: an operator finds those of everybody in the list.")
		f.command = o.remedyOps(slices.Concat([]string{"list"}, flagged("--tool", *n.Tool), flagged("--key", *n.Key))...)
	}
	return f
}

// show writes an operation, and what can be done about one that is unknown.
func (o *oneOperation) show(s *streams, operation *servicev1.Operation) error {
	shown := operations.Of(operation)
	if o.json {
		return term.JSON(s.out, shown)
	}
	p := s.printer()
	shown.Text(p, time.Now())
	if operation.GetState() == servicev1.OperationState_OPERATION_STATE_UNKNOWN {
		p.Title("What to do next")
		if shown.RedoUntil.After(time.Now()) {
			p.Item(1, "Send the same call again, under the same key: until "+shown.RedoUntil.UTC().Format(time.RFC3339)+
				" that executes it again as the same request, which has its effect once.")
		}
		p.Item(1, "Have the service look again; it learns nothing where the tool has no way to look (no Recover):")
		p.Code(2, o.about("reconcile", operation))
		p.Item(1, fmt.Sprintf("Or look in the system behind %s, and say as an operator what you saw:", shown.Tool))
		p.Code(2, o.about("resolve", operation)+" --applied --reason TEXT")
		p.Code(2, o.about("resolve", operation)+" --not-applied --reason TEXT")
	}
	return p.Err()
}

// outcome is the error that makes the exit code of a command that was to find out what became of an operation.
func outcome(operation *servicev1.Operation) error {
	switch operation.GetState() {
	case servicev1.OperationState_OPERATION_STATE_DONE, servicev1.OperationState_OPERATION_STATE_CLOSED,
		servicev1.OperationState_OPERATION_STATE_FREE:
		return nil
	default:
		return shownError{&errs.OutcomeUnknownError{
			Tool: operation.GetTool(), OperationKey: operation.GetOperationKey(), OperationID: operation.GetId(),
		}}
	}
}
