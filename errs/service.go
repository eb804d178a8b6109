package errs

import (
	"log/slog"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// ServiceError is a refusal by the service itself: the operation conflicts, the tool does not exist, the service is
// overloaded. Its Code decides status, rule and plan.
type ServiceError struct {
	// Code is one of the codes of the catalog's ServiceError, from [CodeOperationKeyRequired] to [CodeInternal].
	Code Code
	// Subject is what it is about: a tool, an operation or a run.
	Subject string
	// RetryAfter is the wait before a retry; zero when not known. It travels whatever the rule says.
	RetryAfter time.Duration
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*ServiceError)(nil)

// Error returns the portable message.
func (e *ServiceError) Error() string { return messageOf(e) }

// ErrorCode returns the Code.
func (e *ServiceError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *ServiceError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *ServiceError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *ServiceError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *ServiceError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *ServiceError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *ServiceError) LogValue() slog.Value { return logValue(e) }

func (e *ServiceError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *ServiceError) clone() typed {
	return &ServiceError{Code: e.Code, Subject: e.Subject, RetryAfter: e.RetryAfter, Message: e.Message, Cause: e.Cause}
}

func (e *ServiceError) describe(f *form) {
	m := &remedyv1.ServiceError{Code: f.text(string(e.Code)), Subject: f.text(e.Subject), Message: f.override(e.Message)}
	f.after = e.RetryAfter
	f.fromCatalog(m, m.GetCode(), e.Message, "")
	switch e.Code {
	case CodeToolNotFound:
		f.resource = &errdetails.ResourceInfo{ResourceType: "tool", ResourceName: m.GetSubject()}
	case CodeOperationNotFound:
		f.resource = &errdetails.ResourceInfo{ResourceType: "operation", ResourceName: m.GetSubject()}
	case CodeRunNotFound:
		f.resource = &errdetails.ResourceInfo{ResourceType: "run", ResourceName: m.GetSubject()}
	default:
	}
}

// decodeServiceError reads the identity message.
func decodeServiceError(m *remedyv1.ServiceError) typed {
	return &ServiceError{Code: Code(m.GetCode()), Subject: m.GetSubject(), Message: guide.Text(m.GetMessage())}
}
