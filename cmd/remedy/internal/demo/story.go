package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/operations"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/internal/shop"
)

// Chapter is what became of one call whose service was killed.
type Chapter struct {
	// Tool is the tool that was called; Title says what the chapter is about.
	Tool   string   `json:"tool"`
	Title  string   `json:"title"`
	Events []*Event `json:"events"`
	// Problem says what did not go as it should; empty when everything did.
	Problem string `json:"problem,omitempty"`
}

// Event is one thing that happened. What is empty does not apply.
type Event struct {
	// Kind is started, called, held, killed, reconciled, resolved or counted.
	Kind string `json:"kind"`
	// Text says what happened.
	Text string `json:"text"`
	// Addr is where the service listens.
	Addr string `json:"addr,omitempty"`
	// Call is a call that was answered, or a lost one; Error its error.
	Call  *Call          `json:"call,omitempty"`
	Error *report.Report `json:"error,omitempty"`
	// OperationID and State are those of the operation, as the service said.
	OperationID string `json:"operationId,omitempty"`
	State       string `json:"state,omitempty"`
	// Book are the lines in the book of the carrier.
	Book []string `json:"book,omitempty"`
}

// later is how far the clock of the store is moved while the service is not there: further than any lease of its tools goes.
const later = time.Minute

// story is the chapters; each has an end of its own.
func story() []chapter {
	return []chapter{
		{"ship_tracked", "the service is killed after an effect that its tool can look up", (*telling).lookedUp},
		{"ship_untracked", "the service is killed after an effect that nothing can look up", (*telling).resolved},
	}
}

type chapter struct {
	tool, title string
	// rest is told by the service that was started after the other was killed.
	rest func(t *telling, ctx context.Context) error
}

// tell tells the story.
func (t *Transcript) tell(ctx context.Context, options Options) {
	for _, c := range story() {
		told := &Chapter{Tool: c.tool, Title: c.title, Events: []*Event{}}
		if err := c.tell(ctx, options, told); err != nil {
			told.Problem = errs.Message(err)
		}
		t.OK = t.OK && told.Problem == ""
		t.Story = append(t.Story, told)
		if options.Told != nil {
			options.Told(told)
		}
	}
}

// tell tells one chapter, in a folder of its own. It leaves neither the folder nor a process.
func (c *chapter) tell(ctx context.Context, options Options, out *Chapter) (err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	folder, err := os.MkdirTemp("", "remedy-demo-")
	if err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	t := &telling{
		out: out, options: options, call: Call{Tool: c.tool, Key: "demo-" + c.tool, Input: fields{"parcel": "p1"}},
		service: Service{DB: filepath.Join(folder, "operations.db"), Book: filepath.Join(folder, "book"), Hold: c.tool},
	}
	defer func() { err = errors.Join(err, t.end(), os.RemoveAll(folder)) }()
	if err := t.start(ctx); err != nil {
		return err
	}
	if err := t.lose(as(ctx, customer)); err != nil {
		return err
	}
	t.service.Ahead, t.service.Hold = later, ""
	if err := t.start(ctx); err != nil {
		return err
	}
	if err := c.rest(t, ctx); err != nil {
		return err
	}
	if err := t.count(); err != nil {
		return err
	}
	if err := t.running.stop(); err != nil {
		return fmt.Errorf("stopping the service: %w", err)
	}
	return nil
}

// telling is a chapter that is being told.
type telling struct {
	out     *Chapter
	options Options
	service Service
	running *process // the last one
	call    Call     // that everything is about
	id      string   // of its operation
}

func (t *telling) happened(e *Event) { t.out.Events = append(t.out.Events, e) }

// end ends what runs.
func (t *telling) end() error {
	if t.running == nil {
		return nil
	}
	return t.running.end()
}

// start starts the service.
func (t *telling) start(ctx context.Context) error {
	p, err := launch(ctx, t.options, &t.service)
	if err != nil {
		return fmt.Errorf("starting the service in a process of its own: %w", err)
	}
	if err := t.end(); err != nil { // of the one before, which is killed
		return errors.Join(err, p.end())
	}
	t.running = p
	text := "The service starts in a process of its own, and keeps its operations in an SQLite file"
	if t.service.Ahead > 0 {
		text = "The service starts again on the same file, a minute later by the clock of the store: the demo sets that ahead, and " +
			"does not wait until the time that the killed process had for its work is out"
	}
	t.happened(&Event{Kind: "started", Text: text, Addr: p.addr})
	return nil
}

// lose makes the call, and kills the service when the effect took place and was not answered yet.
func (t *telling) lose(ctx context.Context) error {
	lost, answered := t.call, make(chan error, 1)
	go func() { answered <- lost.send(ctx, t.running.client) }()
	err := t.hold(ctx, answered)
	if err != nil {
		return err
	}
	status, err := t.running.kill()
	if err != nil {
		return err
	}
	select {
	case err = <-answered:
	case <-ctx.Done():
		return context.Cause(ctx) //nolint:wrapcheck // it says what ended the wait
	}
	t.happened(&Event{
		Kind: "killed", Text: "The process is killed before the call is answered (" + status + ")", Call: &lost, Error: report.OfError(err),
	})
	e, ok := errors.AsType[*errs.OutcomeUnknownError](err)
	if !ok || e.OperationKey != t.call.Key || e.OperationID != t.id {
		return fmt.Errorf("the lost answer is not the unknown outcome of %s under the key %s: %w", t.id, t.call.Key, orNone(err))
	}
	return nil
}

// orNone is an error, or says that there was none.
func orNone(err error) error {
	if err == nil {
		return errors.New("it succeeded")
	}
	return err
}

// hold waits until the effect of a call took place.
func (t *telling) hold(ctx context.Context, answered <-chan error) error {
	type held struct {
		id  string
		err error
	}
	holds := make(chan held, 1)
	go func() {
		id, err := t.running.expect(ctx, saysHolding)
		holds <- held{id, err}
	}()
	select {
	case err := <-answered:
		return fmt.Errorf("the call was answered before the service was killed: %w", orNone(err))
	case h := <-holds:
		if h.err != nil {
			return fmt.Errorf("waiting for the effect: %w", h.err)
		}
		t.id = h.id
	}
	lines, err := t.book()
	if err != nil {
		return err
	}
	// What the service says of the operation comes after the header of the call: the client then knows the operation, too.
	operation, err := t.running.client.Operation(ctx, client.OperationKey(t.call.Tool, t.call.Key))
	if err != nil {
		return fmt.Errorf("asking for the operation: %w", err)
	}
	t.happened(&Event{
		Kind: "held", Text: customer + " calls " + t.call.String() + ". The effect takes place: the carrier notes the parcel in its " +
			"book, a file, and has not answered yet", Book: lines, OperationID: operation.GetId(), State: operations.Of(operation).State,
	})
	if operation.GetId() != t.id || operation.GetState() != servicev1.OperationState_OPERATION_STATE_EFFECT {
		return fmt.Errorf("the operation %s is %s, and not past its boundary", operation.GetId(), operation.GetState())
	}
	return nil
}

// again makes the same call and notes how it ended.
func (t *telling) again(ctx context.Context) (*Call, error) {
	call := t.call
	err := call.send(as(ctx, customer), t.running.client)
	t.happened(&Event{
		Kind: "called", Text: customer + " makes the same call under the same key", Call: &call, Error: report.OfError(err),
	})
	return &call, err
}

// receipt makes the same call, which has to get the result of the operation.
func (t *telling) receipt(ctx context.Context, verified bool) error {
	call, err := t.again(ctx)
	switch want := t.output(); {
	case err != nil:
		return fmt.Errorf("the same call: %w", err)
	case !call.Replayed, call.Verified != verified, !reflect.DeepEqual(call.Output, want):
		return fmt.Errorf("the same call got another result than the stored %s", compact(want))
	default:
		return nil
	}
}

// output is what the tools of the carrier return.
func (t *telling) output() fields { return fields{"parcel": t.call.Input["parcel"], "tracking": t.id} }

// lookedUp is the rest of a call whose tool has Recover.
func (t *telling) lookedUp(ctx context.Context) error { return t.receipt(ctx, true) }

// resolved is the rest of a call whose tool has none.
func (t *telling) resolved(ctx context.Context) error {
	_, err := t.again(ctx)
	if e, ok := errors.AsType[*errs.OutcomeUnknownError](err); !ok || e.OperationID != t.id {
		return fmt.Errorf("the outcome is not unknown any more: %w", orNone(err))
	}
	name, _ := client.OperationOf(err)
	operation, err := t.running.client.Reconcile(as(ctx, customer), name)
	if err != nil {
		return fmt.Errorf("reconciling: %w", err)
	}
	t.operation("reconciled", customer+" has the service reconcile, which finds nothing: "+t.call.Tool+" has no Recover", operation)
	if operation.GetState() != servicev1.OperationState_OPERATION_STATE_UNKNOWN {
		return fmt.Errorf("after that it is %s, and not unknown", operation.GetState())
	}
	output, err := json.Marshal(t.output())
	if err != nil {
		return fmt.Errorf("encoding the output: %w", err)
	}
	if _, err := t.book(); err != nil { // the operator looks
		return err
	}
	operation, err = t.running.client.ResolveApplied(as(ctx, operator), t.id, "the parcel is in the book of the carrier", output)
	if err != nil {
		return fmt.Errorf("resolving: %w", err)
	}
	t.operation("resolved", operator+", an operator, looks into the book, finds the parcel, and resolves the operation as applied", operation)
	return t.receipt(ctx, false) // the tool has no Verify
}

// operation notes what the service says of the operation.
func (t *telling) operation(kind, text string, operation *servicev1.Operation) {
	t.happened(&Event{Kind: kind, Text: text, OperationID: operation.GetId(), State: operations.Of(operation).State})
}

// count notes what is in the book in the end.
func (t *telling) count() error {
	lines, err := t.book()
	if err == nil {
		t.happened(&Event{Kind: "counted", Text: "The book has one line: the parcel was shipped once", Book: lines})
	}
	return err
}

// book returns the lines of the book, which has to have one, of the operation.
func (t *telling) book() ([]string, error) {
	requests, err := shop.NewCarrier(t.service.Book).Requests()
	if err != nil {
		return nil, err
	}
	if n := len(requests); n != 1 {
		return nil, fmt.Errorf("the book of the carrier has %d lines, and not one", n)
	}
	r := requests[0]
	if r.OperationID != t.id || r.OperationKey != t.call.Key || r.Tool != t.call.Tool {
		return nil, fmt.Errorf("the line in the book is of operation %s, and not of %s", r.OperationID, t.id)
	}
	return []string{fmt.Sprintf("%s %s %s %s", r.OperationID, r.OperationKey, r.Tool, r.Parcel)}, nil
}
