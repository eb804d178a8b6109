package errs

import (
	"log/slog"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// ConfirmationReason says what about the confirmation does not allow the call.
type ConfirmationReason string

// The reasons of a [ConfirmationError].
const (
	ConfirmationRequired    ConfirmationReason = "required"
	ConfirmationPending     ConfirmationReason = "pending"
	ConfirmationDeclined    ConfirmationReason = "declined"
	ConfirmationDismissed   ConfirmationReason = "dismissed"
	ConfirmationExpired     ConfirmationReason = "expired"
	ConfirmationMismatch    ConfirmationReason = "mismatch"
	ConfirmationUnavailable ConfirmationReason = "unavailable"
)

// ConfirmationError says that a confirmation does not allow the call, or not yet. Its Reason decides code and rule.
type ConfirmationError struct {
	// Tool is the tool that was called.
	Tool string
	// OperationKey is the key of the operation that waits.
	OperationKey string
	// Reason is one of the Confirmation constants.
	Reason ConfirmationReason
	// ConfirmationID names the stored confirmation. It is no secret and grants nothing.
	ConfirmationID string
	// ExpiresAt is the end of its validity; zero when it has none.
	ExpiresAt time.Time
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*ConfirmationError)(nil)

// Error returns the portable message.
func (e *ConfirmationError) Error() string { return messageOf(e) }

// ErrorCode returns confirmation_ and the reason, for example confirmation_declined.
func (e *ConfirmationError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *ConfirmationError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *ConfirmationError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *ConfirmationError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *ConfirmationError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *ConfirmationError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *ConfirmationError) LogValue() slog.Value { return logValue(e) }

func (e *ConfirmationError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *ConfirmationError) clone() typed {
	return &ConfirmationError{
		Tool: e.Tool, OperationKey: e.OperationKey, Reason: e.Reason, ConfirmationID: e.ConfirmationID,
		ExpiresAt: e.ExpiresAt, Message: e.Message, Cause: e.Cause,
	}
}

func (e *ConfirmationError) describe(f *form) {
	m := &remedyv1.ConfirmationError{
		Tool: f.name(e.Tool), OperationKey: f.key(e.OperationKey), Reason: f.text(string(e.Reason)),
		ConfirmationId: f.id(e.ConfirmationID), Message: f.override(e.Message), ExpiresAt: timestampOf(e.ExpiresAt),
	}
	f.info.Tool, f.info.OperationKey = toolNamed(e.Tool), m.GetOperationKey()
	f.fromCatalog(m, m.GetReason(), e.Message, "")
	f.precondition = &errdetails.PreconditionFailure{Violations: []*errdetails.PreconditionFailure_Violation{{
		Type: "CONFIRMATION", Subject: m.GetTool(), Description: f.headline,
	}}}
}

// decodeConfirmationError reads the identity message.
func decodeConfirmationError(m *remedyv1.ConfirmationError) typed {
	return &ConfirmationError{
		Tool: m.GetTool(), OperationKey: m.GetOperationKey(), Reason: ConfirmationReason(m.GetReason()),
		ConfirmationID: m.GetConfirmationId(), ExpiresAt: timeOf(m.GetExpiresAt()), Message: guide.Text(m.GetMessage()),
	}
}
