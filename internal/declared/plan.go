package declared

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

const afterRepair = remedyv1.RetryPolicy_RETRY_POLICY_AFTER_REPAIR

func (c *checker) checkPlan(e *Error) {
	plan, rule := e.Options.GetRepair(), e.Options.GetRetry()
	switch steps := len(plan.GetSteps()); {
	case rule == afterRepair && steps == 0:
		c.refusef(e.Message, in(optionRepair), "retry is RETRY_POLICY_AFTER_REPAIR and repair has no step: say what has to happen first, "+
			"such as steps: {action: REPAIR_ACTION_REFRESH_STATE}")
	case steps > authored.MaxSteps:
		c.refusef(e.Message, in(optionRepair, planSteps, authored.MaxSteps), "repair has %d steps, at most %d are sent: leave some out",
			steps, authored.MaxSteps)
	}
	steps := plan.GetSteps()[:min(len(plan.GetSteps()), authored.MaxSteps)]
	for i, step := range steps {
		c.checkStep(e, int32(i), step)
	}
	isStop := func(step *remedyv1.RepairStep) bool {
		return step.GetAction() == remedyv1.RepairAction_REPAIR_ACTION_STOP
	}
	switch {
	case rule == remedyv1.RetryPolicy_RETRY_POLICY_AS_IS && len(steps) > 0:
		c.refusef(e.Message, in(optionRepair, planSteps), "retry is RETRY_POLICY_AS_IS, which sends the same call again at once, and repair "+
			"has a step: leave the step out, or take RETRY_POLICY_AFTER_REPAIR")
	case rule == afterRepair && len(steps) > 0 && !slices.ContainsFunc(steps, func(s *remedyv1.RepairStep) bool { return !isStop(s) }):
		c.refusef(e.Message, in(optionRepair, planSteps), "retry is RETRY_POLICY_AFTER_REPAIR, and repair says nothing but "+
			"REPAIR_ACTION_STOP: take RETRY_POLICY_NEVER, or say what has to happen first")
	}
	c.checkNames(e, planPreserve, "preserve", plan.GetPreserve())
	c.checkNames(e, planUpdate, "update", plan.GetUpdate())
	for i, name := range plan.GetUpdate()[:min(len(plan.GetUpdate()), authored.MaxNames)] {
		if slices.Contains(plan.GetPreserve(), name) {
			c.refusef(e.Message, in(optionRepair, planUpdate, int32(i)), "repair.preserve and repair.update both name %q: "+
				"keep it in one of them", name)
		}
	}
}

func (c *checker) checkStep(e *Error, i int32, step *remedyv1.RepairStep) {
	refusef := func(field int32, format string, arguments ...any) {
		path := in(optionRepair, planSteps, i, field)
		c.refusef(e.Message, path, "repair.steps[%d]"+format, append([]any{i}, arguments...)...)
	}
	action, tool := step.GetAction(), step.GetTool()
	if _, known := remedyv1.RepairAction_name[int32(action)]; action == 0 {
		refusef(stepAction, ".action is missing: write REPAIR_ACTION_CALL_TOOL, REPAIR_ACTION_ASK_USER or another one of RepairAction")
	} else if !known {
		refusef(stepAction, ".action %d is not one of this version: take one of RepairAction", action)
	}
	if action == remedyv1.RepairAction_REPAIR_ACTION_RETRY_SAME_OPERATION && e.Options.GetRetry() != afterRepair {
		refusef(stepAction, ".action is REPAIR_ACTION_RETRY_SAME_OPERATION, so retry must be RETRY_POLICY_AFTER_REPAIR, not %s",
			e.Options.GetRetry())
	}
	switch {
	case tool == "" && action == remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL:
		refusef(stepTool, ".tool is missing, and REPAIR_ACTION_CALL_TOOL needs one: %s", c.toolChoices())
	case tool != "" && !takesTool(action):
		refusef(stepTool, ".tool is %q, and %s uses no tool: leave it out", tool, action)
	case tool != "" && !authored.IsTool(tool):
		refusef(stepTool, ".tool %q is malformed: write 1 to %d of A-Z, a-z, 0-9 and _ . / -", tool, authored.MaxName)
	case tool != "":
		c.checkTool(e, in(optionRepair, planSteps, i, stepTool), i, tool)
	}
	instruction := step.GetInstruction()
	if problem := authored.TextProblem(instruction, authored.MaxInstruction); problem != "" {
		refusef(stepInstruction, ".instruction %s: shorten or clean it", problem)
	}
	if fields := authored.ParseTemplate(instruction).Fields(); len(fields) > 0 {
		refusef(stepInstruction, ".instruction has the placeholder {%s}: write it into message, where it cannot become an instruction, "+
			"or leave it out", fields[0])
	}
}

// checkTool refuses a tool that nobody has, or that two methods have: an agent could not know which of them to call. Where
// one of them is of the error's own package, that is the one.
func (c *checker) checkTool(e *Error, path []int32, i int32, tool string) {
	methods := c.tools[tool]
	own := slices.DeleteFunc(slices.Clone(methods), func(m *Method) bool {
		return m.Method.ParentFile().Package() != e.Message.ParentFile().Package()
	})
	switch {
	case c.external[tool] || len(methods) == 1 || len(own) == 1:
	case len(methods) == 0:
		c.refusef(e.Message, path, "repair.steps[%d].tool %q is the tool of no contract (by default the method's name in lower snake "+
			"case): %s, look at all files at once (buf: strategy: all), or name it as external (buf: external_tools=%s, "+
			"remedy lint: --external-tools=%s)", i, tool, c.toolChoices(), tool, tool)
	default:
		c.refusef(e.Message, path, "repair.steps[%d].tool %q is the tool of %s and of %s: give one of them another tool in its contract",
			i, tool, methods[0].Method.FullName(), methods[1].Method.FullName())
	}
}

// takesTool reports whether a step of that action may name a tool.
func takesTool(action remedyv1.RepairAction) bool {
	switch action {
	case remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL, remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE,
		remedyv1.RepairAction_REPAIR_ACTION_RETRY_SAME_OPERATION:
		return true
	default:
		return false
	}
}

func (c *checker) toolChoices() string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(c.tools)), maps.Keys(c.external))
	if len(names) == 0 {
		return "give the method that it calls a contract"
	}
	return "take one of " + choices(names)
}

// checkNames holds preserve and update to the inputs of the methods that may return the error.
func (c *checker) checkNames(e *Error, number int32, list string, names []string) {
	if len(names) > authored.MaxNames {
		c.refusef(e.Message, in(optionRepair, number, authored.MaxNames), "repair.%s has %d names, at most %d are sent: "+
			"leave some out", list, len(names), authored.MaxNames)
	}
	for i, name := range names[:min(len(names), authored.MaxNames)] {
		at := in(optionRepair, number, int32(i))
		switch {
		case !authored.IsField(name):
			c.refusef(e.Message, at, "repair.%s names %q, which is no input field: write 1 to %d of A-Z, a-z, 0-9 and _ . $ -",
				list, name, authored.MaxName)
			continue
		case slices.Contains(names[:i], name):
			c.refusef(e.Message, at, "repair.%s names %q twice: keep one of them", list, name)
			continue
		}
		for _, m := range c.listed[e] {
			if input := m.Method.Input(); !hasInput(input, name) {
				c.refusef(e.Message, at, "repair.%s names %q, which is no field of %s, the input of %s: %s",
					list, name, input.FullName(), m.Method.FullName(), inputChoices(input, name))
				break
			}
		}
	}
}

func hasInput(m protoreflect.MessageDescriptor, name string) bool {
	return m.Fields().ByJSONName(name) != nil
}

func inputChoices(m protoreflect.MessageDescriptor, wrong string) string {
	if field := m.Fields().ByName(protoreflect.Name(wrong)); field != nil {
		return "write its JSON name, " + field.JSONName()
	}
	var names []string
	for i := range m.Fields().Len() {
		names = append(names, m.Fields().Get(i).JSONName())
	}
	if len(names) == 0 {
		return "leave it out, the input has no field"
	}
	return "take one of " + choices(names)
}
