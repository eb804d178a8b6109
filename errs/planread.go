package errs

import (
	"google.golang.org/protobuf/encoding/protowire"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// planOf takes a plan from the options of a proto.
func planOf(m *remedyv1.RepairPlan) *Plan {
	steps := make([]Step, 0, len(m.GetSteps()))
	for _, s := range m.GetSteps() {
		steps = append(steps, Step{action: Action(s.GetAction()), tool: s.GetTool(), instruction: s.GetInstruction()})
	}
	return newPlan(steps, m.GetPreserve(), m.GetUpdate())
}

// Fields of remedy.v1.RepairPlan and RepairStep.
const (
	planSteps       = 1
	planPreserve    = 2
	planUpdate      = 3
	stepAction      = 1
	stepTool        = 2
	stepInstruction = 3
)

// read reads a plan off the wire, whoever wrote it, and keeps its bytes to be sent on. It returns false when they are no
// plan, or an empty one.
func (p *Plan) read(b []byte) bool {
	p.wire, p.steps, p.preserve, p.update = b, p.one[:0], nil, nil
	in := fields{b: string(b)}
	for in.next() {
		switch {
		case in.kind != protowire.BytesType:
		case in.field == planSteps:
			p.steps = append(p.steps, in.step())
		case in.field == planPreserve:
			p.preserve = append(p.preserve, in.text())
		case in.field == planUpdate:
			p.update = append(p.update, in.text())
		}
	}
	return !in.bad && !p.empty()
}

// step reads the current field as a RepairStep.
func (r *fields) step() Step {
	var s Step
	in := fields{b: r.value}
	for in.next() {
		switch {
		case in.field == stepAction && in.kind == protowire.VarintType:
			s.action = Action(in.number) //nolint:gosec // as protobuf does
		case in.field == stepTool && in.kind == protowire.BytesType:
			s.tool = in.text()
		case in.field == stepInstruction && in.kind == protowire.BytesType:
			s.instruction = in.text()
		}
	}
	r.bad = r.bad || in.bad
	return s
}
