package server

import (
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// describe describes a tool; whole with its schema and errors.
func describe(t *AnyTool, whole bool) *servicev1.Tool {
	m := &servicev1.Tool{
		Name: t.name, Description: t.description, OperationKeySource: keySource(t),
		Annotations: &servicev1.ToolAnnotations{ReadOnly: !t.effect, Destructive: t.destructive, Idempotent: t.idempotent},
	}
	if !whole {
		return m
	}
	m.InputSchemaJson = t.schema.JSON()
	if t.timeouts.Window > 0 {
		m.Window = durationpb.New(t.timeouts.Window)
	}
	for _, d := range t.errors {
		m.Errors = append(m.Errors, &servicev1.DeclaredError{
			Code: string(d.Code()), Domain: d.Sentinel().Domain, Message: d.Headline(),
			Status: remedyv1.StatusCode(d.Status()), //nolint:gosec // 16 at most
			Retry:  remedyv1.RetryPolicy(d.RetryPolicy()), Repair: repairOf(d.Plan()),
		})
	}
	return m
}

// keySource says who names the operations of a tool.
func keySource(t *AnyTool) servicev1.OperationKeySource {
	switch {
	case !t.effect:
		return servicev1.OperationKeySource_OPERATION_KEY_SOURCE_NONE
	case t.key != nil:
		return servicev1.OperationKeySource_OPERATION_KEY_SOURCE_TOOL
	default:
		return servicev1.OperationKeySource_OPERATION_KEY_SOURCE_CALLER
	}
}

func repairOf(p *errs.Plan) *remedyv1.RepairPlan {
	if p == nil {
		return nil
	}
	m := &remedyv1.RepairPlan{Preserve: p.Preserve(), Update: p.Update()}
	for _, step := range p.All() {
		m.Steps = append(m.Steps, &remedyv1.RepairStep{
			Action: remedyv1.RepairAction(step.Action()), Tool: step.Tool(), Instruction: step.Instruction(),
		})
	}
	return m
}
