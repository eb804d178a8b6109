package demo

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/plain"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/errs"
)

// scene is one error and the way to it.
type scene struct {
	code errs.Code
	// why is the reason that the shop has.
	why       string
	principal string
	// prepare brings the shop into the state in which the call fails, and returns the call. Each caller has a name of its
	// own for what it wants.
	prepare func(ctx context.Context, s *stage, name string) (*Call, error)
	// matches is what a caller writes.
	matches func(err error) bool
	// helper returns the call of a tool that the plan asks for; nil where the tool takes neither input nor key.
	helper func(tool string, failed *Call) *Call
	// repaired returns what the retry changes in the input, given what the last tool returned; nil when nothing.
	repaired func(output fields) (fields, error)
	// reconcile finds out what became of a call, where the plan says so.
	reconcile func(ctx context.Context, s *stage, call *Call, step string) ([]*Call, string, error)
}

// play plays one scene: first with a caller that has none of our code, then with package client, which goes on to do
// what the error says.
func (s *stage) play(ctx context.Context, sc *scene) *Scene {
	ctx = as(ctx, sc.principal)
	out := &Scene{Code: string(sc.code), Why: sc.why, Principal: sc.principal}
	theirs, err := sc.prepare(ctx, s, "stranger-"+string(sc.code))
	if err != nil {
		return out.failed("preparing", err)
	}
	seen := plain.Of(status.Convert(s.ask(ctx, theirs)).Proto())
	call, err := sc.prepare(ctx, s, "demo-"+string(sc.code))
	if err != nil {
		return out.failed("preparing", err)
	}
	out.Call = call
	err = s.call(ctx, call)
	out.Matched = errors.Is(err, sc.code) && sc.matches(err)
	if out.Error = report.OfError(err); out.Error != nil {
		out.Error.Plain = seen
	}
	switch {
	case err == nil:
		return out.failed("calling", errors.New("it succeeded"))
	case !out.Matched:
		return out.failed("matching", err)
	case !agrees(seen, out.Error):
		return out.failed("comparing", errors.New("the caller without our types sees another error"))
	}
	if err := s.follow(ctx, sc, out, errs.PlanOf(err)); err != nil {
		return out.failed("following the plan", err)
	}
	return out
}

// failed notes what went wrong.
func (out *Scene) failed(doing string, err error) *Scene {
	out.Problem = doing + ": " + errs.Message(err)
	return out
}

// agrees reports whether a caller without our types saw the same code, rule and status.
func agrees(seen plain.View, r *report.Report) bool {
	infos := seen.ErrorInfos()
	return len(infos) == 1 && r.Typed && infos[0].GetReason() == strings.ToUpper(r.Code) && infos[0].GetMetadata()["retry"] == r.Retry
}

// follow does what a plan says, one step after the other, and then calls again.
func (s *stage) follow(ctx context.Context, sc *scene, out *Scene, plan *errs.Plan) error {
	steps := report.PlanOf(plan)
	if steps == nil {
		return nil // nothing to do, and nothing to send again
	}
	retry := &Call{Tool: out.Call.Tool, Key: out.Call.Key, Input: out.Call.Input, Step: "Retry the call."}
	var last fields
	for i, step := range plan.All() {
		text := steps.Steps[i].Sentence()
		switch step.Action() {
		case errs.ActionCallTool, errs.ActionRefreshState:
			call := &Call{Tool: step.Tool(), Input: fields{}}
			if sc.helper != nil {
				call = sc.helper(step.Tool(), out.Call)
			}
			call.Step = text
			if err := s.call(ctx, call); err != nil {
				return err
			}
			last = call.Output
			out.Repair = append(out.Repair, call)
		case errs.ActionChangeInput, errs.ActionRetrySameOperation:
			retry.Step = text
		case errs.ActionReconcile:
			calls, found, err := sc.reconcile(ctx, s, out.Call, text)
			out.Repair, out.Found = append(out.Repair, calls...), found
			return err
		case errs.ActionAskUser, errs.ActionStop:
			return fmt.Errorf("the demo cannot do this: %s", text)
		}
	}
	changed, err := sc.repaired(last)
	if err != nil {
		return err
	}
	retry.Input = retry.Input.with(changed)
	for _, name := range plan.Preserve() {
		if !reflect.DeepEqual(retry.Input[name], out.Call.Input[name]) {
			return fmt.Errorf("the plan says to keep %s unchanged", name)
		}
	}
	for _, name := range plan.Update() {
		if reflect.DeepEqual(retry.Input[name], out.Call.Input[name]) {
			return fmt.Errorf("the plan says to replace %s", name)
		}
	}
	out.Repair = append(out.Repair, retry)
	return s.call(ctx, retry)
}
