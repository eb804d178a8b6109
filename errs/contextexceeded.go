package errs

import (
	"log/slog"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// ContextExceededError says that the context window of a model was exceeded: prune the history, then retry.
type ContextExceededError struct {
	// Provider is the provider that raised it.
	Provider string
	// ProviderCode is its own code, when it gave one.
	ProviderCode string
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*ContextExceededError)(nil)

// Error returns the portable message.
func (e *ContextExceededError) Error() string { return messageOf(e) }

// ErrorCode returns context_exceeded.
func (e *ContextExceededError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *ContextExceededError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *ContextExceededError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *ContextExceededError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *ContextExceededError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *ContextExceededError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *ContextExceededError) LogValue() slog.Value { return logValue(e) }

func (e *ContextExceededError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *ContextExceededError) clone() typed {
	return &ContextExceededError{Provider: e.Provider, ProviderCode: e.ProviderCode, Message: e.Message, Cause: e.Cause}
}

func (e *ContextExceededError) describe(f *form) {
	m := &remedyv1.ContextExceededError{
		Provider: f.text(e.Provider), ProviderCode: f.text(e.ProviderCode), Message: f.override(e.Message),
	}
	f.fromCatalog(m, "", e.Message, "")
}

// decodeContextExceededError reads the identity message.
func decodeContextExceededError(m *remedyv1.ContextExceededError) typed {
	return &ContextExceededError{
		Provider: m.GetProvider(), ProviderCode: m.GetProviderCode(), Message: guide.Text(m.GetMessage()),
	}
}
