package report

import (
	"strconv"
	"strings"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// Plan is a repair plan.
type Plan struct {
	Steps    []Step   `json:"steps,omitempty"`
	Preserve []string `json:"preserve,omitempty"`
	Update   []string `json:"update,omitempty"`
}

// Step is one step of a plan.
type Step struct {
	Action      string `json:"action"`
	Tool        string `json:"tool,omitempty"`
	Instruction string `json:"instruction,omitempty"`
}

// PlanOf copies a plan; nil for a nil or empty one.
func PlanOf(p *errs.Plan) *Plan {
	plan := &Plan{Preserve: p.Preserve(), Update: p.Update()}
	for _, step := range p.All() {
		plan.Steps = append(plan.Steps, Step{step.Action().String(), step.Tool(), step.Instruction()})
	}
	return plan.orNil()
}

// PlanOfProto copies a plan off the wire; nil for a nil or empty one.
func PlanOfProto(m *remedyv1.RepairPlan) *Plan {
	plan := &Plan{Preserve: m.GetPreserve(), Update: m.GetUpdate()}
	for _, step := range m.GetSteps() {
		plan.Steps = append(plan.Steps, Step{errs.Action(step.GetAction()).String(), step.GetTool(), step.GetInstruction()})
	}
	return plan.orNil()
}

func (p *Plan) orNil() *Plan {
	if len(p.Steps)+len(p.Preserve)+len(p.Update) == 0 {
		return nil
	}
	return p
}

// Sentences say what to do in the words of the message that an agent reads; none for a nil plan. They are whole where that
// message has to be short.
func (p *Plan) Sentences() []string {
	if p == nil {
		return nil
	}
	var lines []string
	for i, step := range p.Steps {
		line := step.Sentence()
		if len(p.Steps) > 1 {
			line = strconv.Itoa(i+1) + ". " + line
		}
		lines = append(lines, line)
	}
	if len(p.Preserve) > 0 {
		lines = append(lines, "Keep unchanged: "+strings.Join(p.Preserve, ", ")+".")
	}
	if len(p.Update) > 0 {
		lines = append(lines, "Replace from repair output: "+strings.Join(p.Update, ", ")+".")
	}
	return lines
}

// Sentence is the step in the words of the message that an agent reads.
func (s Step) Sentence() string { return strings.TrimSpace(s.action() + " " + s.Instruction) }

// action is the action in words; empty for an action of a later version.
func (s Step) action() string {
	with := ""
	if s.Tool != "" {
		with = " with " + s.Tool
	}
	switch s.Action {
	case errs.ActionChangeInput.String():
		return "Change the input."
	case errs.ActionCallTool.String():
		return "Call " + s.Tool + " and wait for its result before continuing."
	case errs.ActionRefreshState.String():
		return "Refresh the state" + with + "."
	case errs.ActionRetrySameOperation.String():
		return "Retry the same operation" + with + "."
	case errs.ActionAskUser.String():
		return "Ask the user."
	case errs.ActionReconcile.String():
		return "Reconcile the original operation under the same operation key; never use a new key."
	case errs.ActionStop.String():
		return "Stop."
	default:
		return ""
	}
}

// Lines are the numbered steps, and then the fields that must not and those that must change; none for a nil plan.
func (p *Plan) Lines() []string {
	if p == nil {
		return nil
	}
	var lines []string
	for i, step := range p.Steps {
		lines = append(lines, strconv.Itoa(i+1)+". "+step.String())
	}
	if len(p.Preserve) > 0 {
		lines = append(lines, "keep unchanged: "+strings.Join(p.Preserve, ", "))
	}
	if len(p.Update) > 0 {
		lines = append(lines, "replace from repair output: "+strings.Join(p.Update, ", "))
	}
	return lines
}

// String is the step on one line.
func (s Step) String() string {
	text := s.Action
	if text == "" {
		text = "(an action of a later version)"
	}
	if s.Tool != "" {
		text += " " + s.Tool
	}
	if s.Instruction != "" {
		text += ": " + s.Instruction
	}
	return text
}
