package errs

import (
	"log/slog"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// LengthResumeExhaustedError says that the answer of a model was still cut off after it was resumed as often as allowed.
type LengthResumeExhaustedError struct {
	// Provider is the provider.
	Provider string
	// Attempts is how often the answer was resumed.
	Attempts int32
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*LengthResumeExhaustedError)(nil)

// Error returns the portable message.
func (e *LengthResumeExhaustedError) Error() string { return messageOf(e) }

// ErrorCode returns length_resume_exhausted.
func (e *LengthResumeExhaustedError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *LengthResumeExhaustedError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *LengthResumeExhaustedError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *LengthResumeExhaustedError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *LengthResumeExhaustedError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *LengthResumeExhaustedError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *LengthResumeExhaustedError) LogValue() slog.Value { return logValue(e) }

func (e *LengthResumeExhaustedError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *LengthResumeExhaustedError) clone() typed {
	return &LengthResumeExhaustedError{Provider: e.Provider, Attempts: e.Attempts, Message: e.Message, Cause: e.Cause}
}

func (e *LengthResumeExhaustedError) describe(f *form) {
	m := &remedyv1.LengthResumeExhaustedError{
		Provider: f.text(e.Provider), Attempts: e.Attempts, Message: f.override(e.Message),
	}
	f.fromCatalog(m, "", e.Message, "")
}

// decodeLengthResumeExhaustedError reads the identity message.
func decodeLengthResumeExhaustedError(m *remedyv1.LengthResumeExhaustedError) typed {
	return &LengthResumeExhaustedError{
		Provider: m.GetProvider(), Attempts: m.GetAttempts(), Message: guide.Text(m.GetMessage()),
	}
}
