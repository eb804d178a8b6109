package errs

import (
	"log/slog"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// OutcomeUnknownError says that the call may or may not have taken effect. Never send the intent again under a new
// operation key: reconcile the original operation.
type OutcomeUnknownError struct {
	// Tool is the tool that was called, or the full name of the method.
	Tool string
	// OperationKey is the key of the operation.
	OperationKey string
	// OperationID is the server's name for the operation, if it is known.
	OperationID string
	// Reason says what is in doubt; it is not part of the message.
	Reason string
	// Inferred is true when a client concluded this from a lost answer.
	Inferred bool
	// Keyed is true when an inferred call went to a ledger under OperationKey, so that sending it again under the same
	// key is safe.
	Keyed bool
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*OutcomeUnknownError)(nil)

// Error returns the portable message.
func (e *OutcomeUnknownError) Error() string { return messageOf(e) }

// ErrorCode returns outcome_unknown.
func (e *OutcomeUnknownError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *OutcomeUnknownError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *OutcomeUnknownError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *OutcomeUnknownError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *OutcomeUnknownError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *OutcomeUnknownError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *OutcomeUnknownError) LogValue() slog.Value { return logValue(e) }

func (e *OutcomeUnknownError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *OutcomeUnknownError) clone() typed {
	return &OutcomeUnknownError{
		Tool: e.Tool, OperationKey: e.OperationKey, OperationID: e.OperationID, Reason: e.Reason, Inferred: e.Inferred,
		Keyed: e.Keyed, Message: e.Message, Cause: e.Cause,
	}
}

func (e *OutcomeUnknownError) describe(f *form) {
	m := &remedyv1.OutcomeUnknownError{
		Tool: f.text(e.Tool), OperationKey: f.key(e.OperationKey), OperationId: f.id(e.OperationID),
		Reason: f.text(e.Reason), Inferred: e.Inferred, Message: f.override(e.Message),
	}
	class := "reported"
	switch {
	case e.Inferred && e.Keyed && m.GetOperationKey() != "":
		class, f.sameKeyOnly = "inferred_keyed", true
	case e.Inferred:
		class = "inferred"
	}
	f.info.Tool, f.info.OperationKey, f.info.OperationID = toolNamed(e.Tool), m.GetOperationKey(), m.GetOperationId()
	f.fromCatalog(m, class, e.Message, "")
}

// decodeOutcomeUnknownError reads the identity message.
func decodeOutcomeUnknownError(m *remedyv1.OutcomeUnknownError) typed {
	return &OutcomeUnknownError{
		Tool: m.GetTool(), OperationKey: m.GetOperationKey(), OperationID: m.GetOperationId(), Reason: m.GetReason(),
		Inferred: m.GetInferred(), Message: guide.Text(m.GetMessage()),
	}
}
