package errs

import (
	"iter"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// Action is the kind of one repair step.
type Action int32

// The actions, numbered as in remedy.v1.RepairAction.
const (
	ActionChangeInput        = Action(remedyv1.RepairAction_REPAIR_ACTION_CHANGE_INPUT)
	ActionCallTool           = Action(remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL)
	ActionRefreshState       = Action(remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE)
	ActionRetrySameOperation = Action(remedyv1.RepairAction_REPAIR_ACTION_RETRY_SAME_OPERATION)
	ActionAskUser            = Action(remedyv1.RepairAction_REPAIR_ACTION_ASK_USER)
	ActionReconcile          = Action(remedyv1.RepairAction_REPAIR_ACTION_RECONCILE)
	ActionStop               = Action(remedyv1.RepairAction_REPAIR_ACTION_STOP)
)

// String returns the action in lower snake case, such as call_tool; the zero value and unknown numbers are empty.
func (a Action) String() string {
	switch a {
	case ActionChangeInput:
		return "change_input"
	case ActionCallTool:
		return "call_tool"
	case ActionRefreshState:
		return "refresh_state"
	case ActionRetrySameOperation:
		return "retry_same_operation"
	case ActionAskUser:
		return "ask_user"
	case ActionReconcile:
		return "reconcile"
	case ActionStop:
		return "stop"
	default:
		return ""
	}
}

// Step is one step of a [Plan]. It is built by the functions named after the actions and cannot be changed.
type Step struct {
	action      Action
	tool        string
	instruction string
}

// ChangeInput tells the caller to send another input. The instruction may be empty.
func ChangeInput(instruction guide.Text) Step {
	return Step{action: ActionChangeInput, instruction: string(instruction)}
}

// CallTool tells the caller to call tool and to wait for its result. The tool is required, the instruction may be empty.
func CallTool(tool string, instruction guide.Text) Step {
	return Step{action: ActionCallTool, tool: tool, instruction: string(instruction)}
}

// RefreshState tells the caller to read the state again, with tool where it is not empty.
func RefreshState(tool string, instruction guide.Text) Step {
	return Step{action: ActionRefreshState, tool: tool, instruction: string(instruction)}
}

// RetrySameOperation tells the caller to send the operation again under the same key, with tool where it is not empty.
func RetrySameOperation(tool string, instruction guide.Text) Step {
	return Step{action: ActionRetrySameOperation, tool: tool, instruction: string(instruction)}
}

// AskUser tells the caller to ask the person it works for. The instruction may be empty.
func AskUser(instruction guide.Text) Step {
	return Step{action: ActionAskUser, instruction: string(instruction)}
}

// Reconcile tells the caller to find out what became of the original operation. The instruction may be empty.
func Reconcile(instruction guide.Text) Step {
	return Step{action: ActionReconcile, instruction: string(instruction)}
}

// Stop tells the caller to give up. The instruction may be empty.
func Stop(instruction guide.Text) Step {
	return Step{action: ActionStop, instruction: string(instruction)}
}

// Action returns the kind of the step.
func (s Step) Action() Action { return s.action }

// Tool returns the tool to use, empty where the step names none.
func (s Step) Tool() string { return s.tool }

// Instruction returns the authored guidance, whole; a message shows at most 160 code points of it.
func (s Step) Instruction() string { return s.instruction }

// sentence is what a message says for the step, without the instruction.
func (s Step) sentence() string {
	with := ""
	if s.tool != "" {
		with = " with " + s.toolShown()
	}
	switch s.action {
	case ActionChangeInput:
		return "Change the input."
	case ActionCallTool:
		return "Call " + s.toolShown() + " and wait for its result before continuing."
	case ActionRefreshState:
		return "Refresh the state" + with + "."
	case ActionRetrySameOperation:
		return "Retry the same operation" + with + "."
	case ActionAskUser:
		return "Ask the user."
	case ActionReconcile:
		return "Reconcile the original operation under the same operation key; never use a new key."
	case ActionStop:
		return "Stop."
	default:
		return ""
	}
}

// toolShown is the tool in a sentence; only a status from elsewhere can hold a name that is none.
func (s Step) toolShown() string {
	if authored.IsTool(s.tool) {
		return s.tool
	}
	return "(unnamed)"
}

// Plan is what has to happen before a retry, in order. It is immutable and safe for concurrent use; a nil Plan is an empty
// one.
type Plan struct {
	steps            []Step
	preserve, update []string
	cut              bool    // something did not fit into the bounds
	wire             []byte  // the RepairPlan message
	one              [1]Step // memory for the step of a received plan, which mostly has one
}

// NewPlan makes a plan of at most five steps. An error that carries an impossible plan, for instance a call_tool step
// without a tool, is answered as internal and found by errstest.Check; [Define] refuses it.
func NewPlan(steps ...Step) *Plan { return newPlan(steps, nil, nil) }

// WithPreserve returns a copy that names the input fields whose values must survive the repair, at most eight, in place
// of those it named before.
func (p *Plan) WithPreserve(fields ...string) *Plan {
	return newPlan(p.list(), fields, p.updates()).keepCut(p)
}

// WithUpdate returns a copy that names the input fields to be replaced from repair output, at most eight, in place of
// those it named before.
func (p *Plan) WithUpdate(fields ...string) *Plan {
	return newPlan(p.list(), p.preserves(), fields).keepCut(p)
}

// withSteps returns a copy with other steps.
func (p *Plan) withSteps(steps []Step) *Plan {
	return newPlan(steps, p.preserves(), p.updates()).keepCut(p)
}

// keepCut remembers that the plan this one was made from had to be cut.
func (p *Plan) keepCut(from *Plan) *Plan {
	p.cut = p.cut || from != nil && from.cut
	return p
}

// newPlan keeps what the wire holds: steps beyond the fifth and names beyond the sixteenth are cut and said to be.
func newPlan(steps []Step, preserve, update []string) *Plan {
	p := &Plan{cut: len(steps) > maxSteps || len(preserve) > maxList || len(update) > maxList}
	p.steps = slices.Clone(steps[:min(len(steps), maxSteps)])
	for i := range p.steps {
		p.steps[i].instruction = validUTF8(p.steps[i].instruction)
		p.steps[i].tool = validUTF8(p.steps[i].tool)
	}
	p.preserve = slices.Clone(preserve[:min(len(preserve), maxList)])
	p.update = slices.Clone(update[:min(len(update), maxList)])
	for _, names := range [][]string{p.preserve, p.update} {
		for i := range names {
			names[i] = validUTF8(names[i])
		}
	}
	p.wire, _ = proto.MarshalOptions{Deterministic: true}.Marshal(p.message()) // strings are valid, so it cannot fail
	return p
}

// bounded returns the plan within its bounds. A name that is too long is left out: the beginning of it would name
// something else.
func (p *Plan) bounded() *Plan {
	if p == nil {
		return nil
	}
	steps := p.Steps()
	for i := range steps {
		if len(steps[i].tool) > maxNameBytes {
			steps[i].tool = ""
		}
	}
	tooLong := func(name string) bool { return len(name) > maxNameBytes }
	return newPlan(steps, slices.DeleteFunc(p.Preserve(), tooLong), slices.DeleteFunc(p.Update(), tooLong))
}

func (p *Plan) message() *remedyv1.RepairPlan {
	m := &remedyv1.RepairPlan{Preserve: p.preserve, Update: p.update}
	for _, s := range p.steps {
		m.Steps = append(m.Steps, &remedyv1.RepairStep{
			Action: remedyv1.RepairAction(s.action), Tool: s.tool, Instruction: s.instruction,
		})
	}
	return m
}

// Steps returns the steps in order. They are to be taken one at a time, never in parallel.
func (p *Plan) Steps() []Step { return slices.Clone(p.list()) }

// All iterates over the steps in order, counted from zero.
func (p *Plan) All() iter.Seq2[int, Step] { return slices.All(p.list()) }

// Preserve returns the names of the input fields whose values must not change.
func (p *Plan) Preserve() []string { return slices.Clone(p.preserves()) }

// Update returns the names of the input fields to be replaced from repair output.
func (p *Plan) Update() []string { return slices.Clone(p.updates()) }

// Equal reports whether both plans say the same; a nil plan equals an empty one.
func (p *Plan) Equal(other *Plan) bool {
	return slices.Equal(p.list(), other.list()) && slices.Equal(p.preserves(), other.preserves()) &&
		slices.Equal(p.updates(), other.updates())
}

func (p *Plan) list() []Step {
	if p == nil {
		return nil
	}
	return p.steps
}

func (p *Plan) preserves() []string {
	if p == nil {
		return nil
	}
	return p.preserve
}

func (p *Plan) updates() []string {
	if p == nil {
		return nil
	}
	return p.update
}

func (p *Plan) bytes() []byte {
	if p == nil {
		return nil
	}
	return p.wire
}

func (p *Plan) empty() bool {
	return p == nil || len(p.steps) == 0 && len(p.preserve) == 0 && len(p.update) == 0
}

// problem says what is wrong with the plan under the given rule, or nothing.
func (p *Plan) problem(retry RetryPolicy) string {
	retries := false
	for i, step := range p.list() {
		if problem := step.problem(); problem != "" {
			return "repair.steps[" + strconv.Itoa(i) + "]" + problem
		}
		retries = retries || step.action == ActionRetrySameOperation
	}
	switch {
	case retries && retry != AfterRepair:
		return "repair has a retry_same_operation step, so retry must be after_repair"
	case retry == AfterRepair && len(p.list()) == 0:
		return "repair is missing: after_repair needs at least one step"
	}
	for _, name := range slices.Concat(p.preserves(), p.updates()) {
		if !authored.IsField(name) {
			return "repair.preserve and repair.update name input fields, 1 to 64 of [A-Za-z0-9_.$-]"
		}
	}
	for _, name := range p.preserves() {
		if slices.Contains(p.updates(), name) {
			return "repair.preserve and repair.update both name " + name
		}
	}
	return ""
}

// problem says what is wrong with the step, beginning with the field, or nothing.
func (s Step) problem() string {
	switch {
	case s.action.String() == "":
		return ".action is missing: build steps with ChangeInput, CallTool and the like"
	case s.action == ActionCallTool && s.tool == "":
		return ".tool is missing: a call_tool step names its tool"
	case s.tool != "" && !authored.IsTool(s.tool):
		return ".tool must be 1 to 64 of [A-Za-z0-9_./-]"
	default:
		return ""
	}
}
