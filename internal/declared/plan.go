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
	for i, step := range plan.GetSteps() {
		c.checkStep(e, int32(i), step)
	}
	c.checkNames(e, planPreserve, "preserve", plan.GetPreserve())
	c.checkNames(e, planUpdate, "update", plan.GetUpdate())
	for i, name := range plan.GetUpdate() {
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
	if _, known := remedyv1.RepairAction_name[int32(action)]; !known || action == 0 {
		refusef(stepAction, ".action is missing: write REPAIR_ACTION_CALL_TOOL, REPAIR_ACTION_ASK_USER or another one of RepairAction")
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
	case tool != "" && !c.tools[tool]:
		refusef(stepTool, ".tool %q is the tool of no contract (by default the method's name in lower snake case): "+
			"%s, generate all files at once (strategy: all), or give the plugin external_tools=%s",
			tool, c.toolChoices(), tool)
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
	names := slices.Collect(maps.Keys(c.tools))
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
	for i, name := range names {
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
