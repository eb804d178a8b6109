package errs

import (
	"log/slog"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// VerificationError says that the effect ran and that authoritative state disagrees, or could not be read.
type VerificationError struct {
	// Tool is the tool that was called.
	Tool string
	// OperationKey is the key of the operation.
	OperationKey string
	// Reason is not_verified, or unavailable when verification itself could not be done.
	Reason string
	// OperationID is the server's name for the operation.
	OperationID string
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*VerificationError)(nil)

// Error returns the portable message.
func (e *VerificationError) Error() string { return messageOf(e) }

// ErrorCode returns verification_failed.
func (e *VerificationError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *VerificationError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *VerificationError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *VerificationError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *VerificationError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *VerificationError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *VerificationError) LogValue() slog.Value { return logValue(e) }

func (e *VerificationError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *VerificationError) clone() typed {
	return &VerificationError{
		Tool: e.Tool, OperationKey: e.OperationKey, Reason: e.Reason, OperationID: e.OperationID, Message: e.Message,
		Cause: e.Cause,
	}
}

func (e *VerificationError) describe(f *form) {
	m := &remedyv1.VerificationError{
		Tool: f.name(e.Tool), OperationKey: f.key(e.OperationKey), Reason: f.text(e.Reason),
		OperationId: f.id(e.OperationID), Message: f.override(e.Message),
	}
	f.info.Tool, f.info.OperationKey, f.info.OperationID = toolNamed(e.Tool), m.GetOperationKey(), m.GetOperationId()
	f.fromCatalog(m, "", e.Message, "")
}

// decodeVerificationError reads the identity message.
func decodeVerificationError(m *remedyv1.VerificationError) typed {
	return &VerificationError{
		Tool: m.GetTool(), OperationKey: m.GetOperationKey(), Reason: m.GetReason(), OperationID: m.GetOperationId(),
		Message: guide.Text(m.GetMessage()),
	}
}
