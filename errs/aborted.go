package errs

import (
	"log/slog"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// AbortedError says that an agent run was aborted, always before an effect. Its headline is "Agent run aborted".
type AbortedError struct {
	// RunID is the run that was aborted.
	RunID string
	// Reason says who or what aborted it; may be empty.
	Reason string
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*AbortedError)(nil)

// Error returns the portable message.
func (e *AbortedError) Error() string { return messageOf(e) }

// ErrorCode returns aborted.
func (e *AbortedError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *AbortedError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *AbortedError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *AbortedError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *AbortedError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *AbortedError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *AbortedError) LogValue() slog.Value { return logValue(e) }

func (e *AbortedError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *AbortedError) clone() typed {
	return &AbortedError{RunID: e.RunID, Reason: e.Reason, Message: e.Message, Cause: e.Cause}
}

func (e *AbortedError) describe(f *form) {
	m := &remedyv1.AbortedError{RunId: f.id(e.RunID), Reason: f.text(e.Reason), Message: f.override(e.Message)}
	f.info.RunID = m.GetRunId()
	f.fromCatalog(m, "", e.Message, "")
}

// decodeAbortedError reads the identity message.
func decodeAbortedError(m *remedyv1.AbortedError) typed {
	return &AbortedError{RunID: m.GetRunId(), Reason: m.GetReason(), Message: guide.Text(m.GetMessage())}
}
