package vector

import (
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/trusted"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// extra is what an error says beside its identity message.
type extra struct {
	status codes.Code
	plan   *errs.Plan
	after  time.Duration
	keyed  bool
	cause  error
}

// fromMessage builds the typed error that an identity message describes. It is written field by field and by hand, so
// that it proves something about the decoder, which is not used here.
func fromMessage(m proto.Message, x extra) (errs.Error, error) { //nolint:cyclop,funlen // one case a class
	switch m := m.(type) {
	case *remedyv1.ToolError:
		e := &errs.ToolError{
			Code: m.GetCode(), Message: trusted.Text(m.GetMessage()), Retry: errs.RetryPolicy(m.GetRetry()),
			Status: x.status, Repair: x.plan, RetryAfter: x.after, Cause: x.cause,
		}
		if m.GetDetails() != nil {
			e.Details = m.GetDetails().AsMap()
		}
		return e, nil
	case *remedyv1.ValidationError:
		e := &errs.ValidationError{Subject: m.GetSubject(), Message: trusted.Text(m.GetMessage()), Cause: x.cause}
		for _, i := range m.GetIssues() {
			e.Issues = append(e.Issues, errs.Issue{Path: i.GetPath(), Keyword: i.GetKeyword(), Message: i.GetMessage()})
		}
		return e, nil
	case *remedyv1.AuthorizationError:
		return &errs.AuthorizationError{
			Tool: m.GetTool(), Reason: m.GetReason(), Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	case *remedyv1.ConfirmationError:
		return &errs.ConfirmationError{
			Tool: m.GetTool(), OperationKey: m.GetOperationKey(), Reason: errs.ConfirmationReason(m.GetReason()),
			ConfirmationID: m.GetConfirmationId(), ExpiresAt: timeOf(m.GetExpiresAt()),
			Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	case *remedyv1.VerificationError:
		return &errs.VerificationError{
			Tool: m.GetTool(), OperationKey: m.GetOperationKey(), Reason: m.GetReason(), OperationID: m.GetOperationId(),
			Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	case *remedyv1.OutcomeUnknownError:
		return &errs.OutcomeUnknownError{
			Tool: m.GetTool(), OperationKey: m.GetOperationKey(), OperationID: m.GetOperationId(), Reason: m.GetReason(),
			Inferred: m.GetInferred(), Keyed: x.keyed, Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	case *remedyv1.AbortedError:
		return &errs.AbortedError{
			RunID: m.GetRunId(), Reason: m.GetReason(), Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	case *remedyv1.AuthError:
		a := m.GetAuth()
		return &errs.AuthError{
			Auth: errs.AuthFailure{
				Kind: errs.AuthKind(word(a.GetKind(), "KIND_")), Source: errs.AuthSource(word(a.GetSource(), "SOURCE_")),
				Provider: a.GetProvider(), ProviderID: a.GetProviderId(), AccountID: a.GetAccountId(),
				AccountLabel: a.GetAccountLabel(), HolderPID: a.HolderPid,
			},
			RetryAfter: x.after, Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	case *remedyv1.BudgetExceededError:
		return &errs.BudgetExceededError{
			Limit: errs.BudgetLimit(word(m.GetLimit(), "BUDGET_LIMIT_")), LimitValue: m.GetLimitValue(),
			ActualValue: m.GetActualValue(), RunID: m.GetRunId(), BudgetRunID: m.GetBudgetRunId(),
			LimitNanos: m.GetLimitNanos(), ActualNanos: m.GetActualNanos(),
			Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	case *remedyv1.ContextExceededError:
		return &errs.ContextExceededError{
			Provider: m.GetProvider(), ProviderCode: m.GetProviderCode(), Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	case *remedyv1.ProviderError:
		return &errs.ProviderError{
			Provider: m.GetProvider(), ProviderCode: m.GetProviderCode(), Retryable: m.Retryable,
			Limit: limitOf(m.GetLimit()), Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	case *remedyv1.ToolNotAllowedError:
		return &errs.ToolNotAllowedError{
			ToolName: m.GetToolName(), DisplayName: m.GetDisplayName(), ActiveSkills: m.GetActiveSkills(),
			AllowedUnion: m.GetAllowedUnion(), Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	case *remedyv1.ToolPairingError:
		e := &errs.ToolPairingError{
			Provider: m.GetProvider(), ProviderCode: m.GetProviderCode(), Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}
		for _, r := range m.GetRepairs() {
			e.Repairs = append(e.Repairs, errs.PairingRepair{CallID: r.GetCallId(), MessageIndex: r.GetMessageIndex(), Mode: r.GetMode()})
		}
		return e, nil
	case *remedyv1.OperationTimeoutError:
		return &errs.OperationTimeoutError{
			Operation: m.GetOperation(), Timeout: m.GetTimeout().AsDuration(), RetryAfter: x.after,
			Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	case *remedyv1.LengthResumeExhaustedError:
		return &errs.LengthResumeExhaustedError{
			Provider: m.GetProvider(), Attempts: m.GetAttempts(), Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	case *remedyv1.ServiceError:
		return &errs.ServiceError{
			Code: errs.Code(m.GetCode()), Subject: m.GetSubject(), RetryAfter: x.after,
			Message: trusted.Text(m.GetMessage()), Cause: x.cause,
		}, nil
	default:
		return nil, fmt.Errorf("%T is not the identity of a class", m)
	}
}

// toMessage is the way back: what the exported fields of a typed error say.
func toMessage(e errs.Error) (proto.Message, error) { //nolint:cyclop,funlen // one case a class
	switch e := e.(type) {
	case errs.Declared:
		return toMessage(e.Base())
	case *errs.ToolError:
		m := &remedyv1.ToolError{Code: e.Code, Message: string(e.Message), Retry: remedyv1.RetryPolicy(e.Retry)}
		if len(e.Details) > 0 {
			details, err := structpb.NewStruct(e.Details)
			if err != nil {
				return nil, fmt.Errorf("writing details: %w", err)
			}
			m.Details = details
		}
		return m, nil
	case *errs.ValidationError:
		m := &remedyv1.ValidationError{Subject: e.Subject, Message: string(e.Message)}
		for _, i := range e.Issues {
			m.Issues = append(m.Issues, &remedyv1.Issue{Path: i.Path, Keyword: i.Keyword, Message: i.Message})
		}
		return m, nil
	case *errs.AuthorizationError:
		return &remedyv1.AuthorizationError{Tool: e.Tool, Reason: e.Reason, Message: string(e.Message)}, nil
	case *errs.ConfirmationError:
		return &remedyv1.ConfirmationError{
			Tool: e.Tool, OperationKey: e.OperationKey, Reason: string(e.Reason), ConfirmationId: e.ConfirmationID,
			ExpiresAt: timestampOf(e.ExpiresAt), Message: string(e.Message),
		}, nil
	case *errs.VerificationError:
		return &remedyv1.VerificationError{
			Tool: e.Tool, OperationKey: e.OperationKey, Reason: e.Reason, OperationId: e.OperationID, Message: string(e.Message),
		}, nil
	case *errs.OutcomeUnknownError:
		return &remedyv1.OutcomeUnknownError{
			Tool: e.Tool, OperationKey: e.OperationKey, OperationId: e.OperationID, Reason: e.Reason, Inferred: e.Inferred,
			Message: string(e.Message),
		}, nil
	case *errs.AbortedError:
		return &remedyv1.AbortedError{RunId: e.RunID, Reason: e.Reason, Message: string(e.Message)}, nil
	case *errs.AuthError:
		a := e.Auth
		return &remedyv1.AuthError{Message: string(e.Message), Auth: &remedyv1.AuthFailure{
			Kind:     remedyv1.AuthFailure_Kind(number(remedyv1.AuthFailure_Kind_value, "KIND_", string(a.Kind))),
			Source:   remedyv1.AuthFailure_Source(number(remedyv1.AuthFailure_Source_value, "SOURCE_", string(a.Source))),
			Provider: a.Provider, ProviderId: a.ProviderID, AccountId: a.AccountID, AccountLabel: a.AccountLabel,
			HolderPid: a.HolderPID,
		}}, nil
	case *errs.BudgetExceededError:
		return &remedyv1.BudgetExceededError{
			Limit:      remedyv1.BudgetLimit(number(remedyv1.BudgetLimit_value, "BUDGET_LIMIT_", string(e.Limit))),
			LimitValue: e.LimitValue, ActualValue: e.ActualValue, RunId: e.RunID, BudgetRunId: e.BudgetRunID,
			LimitNanos: e.LimitNanos, ActualNanos: e.ActualNanos, Message: string(e.Message),
		}, nil
	case *errs.ContextExceededError:
		return &remedyv1.ContextExceededError{Provider: e.Provider, ProviderCode: e.ProviderCode, Message: string(e.Message)}, nil
	case *errs.ProviderError:
		return &remedyv1.ProviderError{
			Provider: e.Provider, ProviderCode: e.ProviderCode, Retryable: e.Retryable, Limit: limitMessage(e.Limit),
			Message: string(e.Message),
		}, nil
	case *errs.ToolNotAllowedError:
		return &remedyv1.ToolNotAllowedError{
			ToolName: e.ToolName, DisplayName: e.DisplayName, ActiveSkills: e.ActiveSkills, AllowedUnion: e.AllowedUnion,
			Message: string(e.Message),
		}, nil
	case *errs.ToolPairingError:
		m := &remedyv1.ToolPairingError{Provider: e.Provider, ProviderCode: e.ProviderCode, Message: string(e.Message)}
		for _, r := range e.Repairs {
			m.Repairs = append(m.Repairs, &remedyv1.PairingRepair{CallId: r.CallID, MessageIndex: r.MessageIndex, Mode: r.Mode})
		}
		return m, nil
	case *errs.OperationTimeoutError:
		m := &remedyv1.OperationTimeoutError{Operation: e.Operation, Message: string(e.Message)}
		if e.Timeout != 0 {
			m.Timeout = durationpb.New(e.Timeout)
		}
		return m, nil
	case *errs.LengthResumeExhaustedError:
		return &remedyv1.LengthResumeExhaustedError{Provider: e.Provider, Attempts: e.Attempts, Message: string(e.Message)}, nil
	case *errs.ServiceError:
		return &remedyv1.ServiceError{Code: string(e.Code), Subject: e.Subject, Message: string(e.Message)}, nil
	default:
		return nil, fmt.Errorf("%T is not a class of the contract", e)
	}
}

func limitOf(m *remedyv1.ProviderLimit) *errs.ProviderLimit {
	if m == nil {
		return nil
	}
	return &errs.ProviderLimit{
		Kind: errs.LimitKind(word(m.GetKind(), "KIND_")), RetryAfter: m.GetRetryAfter().AsDuration(),
		ResetsAt: timeOf(m.GetResetsAt()), Window: m.GetWindow(),
	}
}

func limitMessage(l *errs.ProviderLimit) *remedyv1.ProviderLimit {
	if l == nil {
		return nil
	}
	m := &remedyv1.ProviderLimit{
		Kind:     remedyv1.ProviderLimit_Kind(number(remedyv1.ProviderLimit_Kind_value, "KIND_", string(l.Kind))),
		ResetsAt: timestampOf(l.ResetsAt), Window: l.Window,
	}
	if l.RetryAfter != 0 {
		m.RetryAfter = durationpb.New(l.RetryAfter)
	}
	return m
}

// planOf builds a plan step by step.
func planOf(m *remedyv1.RepairPlan) *errs.Plan {
	if proto.Size(m) == 0 {
		return nil
	}
	steps := make([]errs.Step, 0, len(m.GetSteps()))
	for _, s := range m.GetSteps() {
		instruction := trusted.Text(s.GetInstruction())
		switch s.GetAction() {
		case remedyv1.RepairAction_REPAIR_ACTION_CHANGE_INPUT:
			steps = append(steps, errs.ChangeInput(instruction))
		case remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL:
			steps = append(steps, errs.CallTool(s.GetTool(), instruction))
		case remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE:
			steps = append(steps, errs.RefreshState(s.GetTool(), instruction))
		case remedyv1.RepairAction_REPAIR_ACTION_RETRY_SAME_OPERATION:
			steps = append(steps, errs.RetrySameOperation(s.GetTool(), instruction))
		case remedyv1.RepairAction_REPAIR_ACTION_ASK_USER:
			steps = append(steps, errs.AskUser(instruction))
		case remedyv1.RepairAction_REPAIR_ACTION_RECONCILE:
			steps = append(steps, errs.Reconcile(instruction))
		case remedyv1.RepairAction_REPAIR_ACTION_STOP:
			steps = append(steps, errs.Stop(instruction))
		default: // an action that this version does not have
			steps = append(steps, errs.Step{})
		}
	}
	return errs.NewPlan(steps...).WithPreserve(m.GetPreserve()...).WithUpdate(m.GetUpdate()...)
}

// planMessage reads a plan by its accessors.
func planMessage(p *errs.Plan) *remedyv1.RepairPlan {
	m := &remedyv1.RepairPlan{Preserve: p.Preserve(), Update: p.Update()}
	for _, s := range p.Steps() {
		m.Steps = append(m.Steps, &remedyv1.RepairStep{
			Action: remedyv1.RepairAction(s.Action()), Tool: s.Tool(), Instruction: s.Instruction(),
		})
	}
	return m
}
