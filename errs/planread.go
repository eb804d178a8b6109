package errs

import (
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
		switch in.tag {
		case planSteps<<tagBits | tagBytes:
			p.steps = append(p.steps, in.step())
		case planPreserve<<tagBits | tagBytes:
			p.preserve = append(p.preserve, in.text())
		case planUpdate<<tagBits | tagBytes:
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
		switch in.tag {
		case stepAction<<tagBits | tagVarint:
			s.action = Action(in.number) //nolint:gosec // as protobuf does
		case stepTool<<tagBits | tagBytes:
			s.tool = in.text()
		case stepInstruction<<tagBits | tagBytes:
			s.instruction = in.text()
		}
	}
	r.bad = r.bad || in.bad
	return s
}
