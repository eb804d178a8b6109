package errs

import (
	"log/slog"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// AuthorizationError says that the caller may not do this. It says nothing about what exists.
type AuthorizationError struct {
	// Tool is the tool that was called.
	Tool string
	// Reason is what the policy gives as its reason; may be empty.
	Reason string
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*AuthorizationError)(nil)

// Error returns the portable message.
func (e *AuthorizationError) Error() string { return messageOf(e) }

// ErrorCode returns authorization_denied.
func (e *AuthorizationError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *AuthorizationError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *AuthorizationError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *AuthorizationError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *AuthorizationError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *AuthorizationError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *AuthorizationError) LogValue() slog.Value { return logValue(e) }

func (e *AuthorizationError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *AuthorizationError) clone() typed {
	return &AuthorizationError{Tool: e.Tool, Reason: e.Reason, Message: e.Message, Cause: e.Cause}
}

func (e *AuthorizationError) describe(f *form) {
	m := &remedyv1.AuthorizationError{Tool: f.name(e.Tool), Reason: f.text(e.Reason), Message: f.override(e.Message)}
	f.info.Tool = toolNamed(e.Tool)
	f.fromCatalog(m, "", e.Message, "")
}

// decodeAuthorizationError reads the identity message.
func decodeAuthorizationError(m *remedyv1.AuthorizationError) typed {
	return &AuthorizationError{Tool: m.GetTool(), Reason: m.GetReason(), Message: guide.Text(m.GetMessage())}
}
