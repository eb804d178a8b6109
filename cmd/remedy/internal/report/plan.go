package report

import "github.com/remedyrpc/remedy/errs"

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
	if len(plan.Steps)+len(plan.Preserve)+len(plan.Update) == 0 {
		return nil
	}
	return plan
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
