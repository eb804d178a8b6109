package errs

import (
	"log/slog"
	"time"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// OperationTimeoutError says that an operation ran out of time, always before an effect.
type OperationTimeoutError struct {
	// Operation is the operation that timed out.
	Operation string
	// Timeout is the limit that was exceeded.
	Timeout time.Duration
	// RetryAfter is the wait before a retry; zero when not known. It travels whatever the rule says.
	RetryAfter time.Duration
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*OperationTimeoutError)(nil)

// Error returns the portable message.
func (e *OperationTimeoutError) Error() string { return messageOf(e) }

// ErrorCode returns operation_timeout.
func (e *OperationTimeoutError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *OperationTimeoutError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *OperationTimeoutError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *OperationTimeoutError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *OperationTimeoutError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *OperationTimeoutError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *OperationTimeoutError) LogValue() slog.Value { return logValue(e) }

func (e *OperationTimeoutError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *OperationTimeoutError) clone() typed {
	return &OperationTimeoutError{
		Operation: e.Operation, Timeout: e.Timeout, RetryAfter: e.RetryAfter, Message: e.Message, Cause: e.Cause,
	}
}

func (e *OperationTimeoutError) describe(f *form) {
	m := &remedyv1.OperationTimeoutError{
		Operation: f.text(e.Operation), Timeout: durationpb.New(e.Timeout), Message: f.override(e.Message),
	}
	f.after = e.RetryAfter
	f.info.Tool = toolNamed(e.Operation)
	f.fromCatalog(m, "", e.Message, named(e.Operation)+" timed out after "+fixed(int64(e.Timeout), int64(time.Millisecond))+"ms")
}

// decodeOperationTimeoutError reads the identity message.
func decodeOperationTimeoutError(m *remedyv1.OperationTimeoutError) typed {
	return &OperationTimeoutError{
		Operation: m.GetOperation(), Timeout: m.GetTimeout().AsDuration(), Message: guide.Text(m.GetMessage()),
	}
}
