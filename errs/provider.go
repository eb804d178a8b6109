package errs

import (
	"log/slog"
	"time"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// LimitKind is the kind of a [ProviderLimit].
type LimitKind string

// The kinds of limits.
const (
	LimitRate     LimitKind = "rate_limit"
	LimitQuota    LimitKind = "quota"
	LimitOverload LimitKind = "overload"
)

// ProviderLimit is a rate limit, a spent quota or overload.
type ProviderLimit struct {
	// Kind says which.
	Kind LimitKind
	// RetryAfter is how long to wait; zero when the provider did not say.
	RetryAfter time.Duration
	// ResetsAt is the end of the window; zero when the provider did not say.
	ResetsAt time.Time
	// Window is the name of the window, for example 5h.
	Window string
}

func (l *ProviderLimit) message(f *form) *remedyv1.ProviderLimit {
	if l == nil {
		return nil
	}
	m := &remedyv1.ProviderLimit{
		Kind:     remedyv1.ProviderLimit_Kind(f.enum("limit.kind", remedyv1.ProviderLimit_Kind_value, "KIND_", string(l.Kind))),
		ResetsAt: timestampOf(l.ResetsAt), Window: f.text(l.Window),
	}
	if l.RetryAfter > 0 {
		m.RetryAfter = durationpb.New(l.RetryAfter)
	}
	return m
}

func providerLimitOf(m *remedyv1.ProviderLimit) *ProviderLimit {
	if m == nil {
		return nil
	}
	return &ProviderLimit{
		Kind: LimitKind(wordOf(m.GetKind(), "KIND_")), RetryAfter: m.GetRetryAfter().AsDuration(),
		ResetsAt: timeOf(m.GetResetsAt()), Window: m.GetWindow(),
	}
}

// ProviderError is any failure of a model provider but an exceeded context. Retryable and Limit decide rule and status.
type ProviderError struct {
	// Provider is the provider that failed.
	Provider string
	// ProviderCode is its own code, when it gave one.
	ProviderCode string
	// Retryable says whether a retry with backoff is likely to succeed; nil means that nobody decided, and is read as no.
	Retryable *bool
	// Limit is the limit behind the failure, when it is one.
	Limit *ProviderLimit
	// RetryAfter is the wait before a retry of what is no limit, such as a server that restarts; zero when not known. It travels
	// whatever the rule says. Where Limit is set, its own counts.
	RetryAfter time.Duration
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*ProviderError)(nil)

// Error returns the portable message.
func (e *ProviderError) Error() string { return messageOf(e) }

// ErrorCode returns provider_error.
func (e *ProviderError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *ProviderError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *ProviderError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *ProviderError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *ProviderError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *ProviderError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *ProviderError) LogValue() slog.Value { return logValue(e) }

func (e *ProviderError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *ProviderError) clone() typed {
	return &ProviderError{
		Provider: e.Provider, ProviderCode: e.ProviderCode, Retryable: e.Retryable, Limit: e.Limit, RetryAfter: e.RetryAfter,
		Message: e.Message, Cause: e.Cause,
	}
}

func (e *ProviderError) describe(f *form) {
	m := &remedyv1.ProviderError{
		Provider: f.text(e.Provider), ProviderCode: f.text(e.ProviderCode), Retryable: e.Retryable,
		Limit: e.Limit.message(f), Message: f.override(e.Message),
	}
	if f.after = e.RetryAfter; e.Limit != nil {
		f.after = max(e.Limit.RetryAfter, 0)
	}
	f.fromCatalog(m, e.class(), e.Message, "")
}

// decodeProviderError reads the identity message.
func decodeProviderError(m *remedyv1.ProviderError) typed {
	return &ProviderError{
		Provider: m.GetProvider(), ProviderCode: m.GetProviderCode(),
		Retryable: m.Retryable,
		Limit:     providerLimitOf(m.GetLimit()), Message: guide.Text(m.GetMessage()),
	}
}

// class is the discriminator of the catalog.
func (e *ProviderError) class() string {
	retryable := e.Retryable != nil && *e.Retryable
	switch {
	case e.Limit != nil && e.Limit.Kind == LimitOverload:
		return "overload"
	case e.Limit != nil && retryable:
		return "limit_retryable"
	case e.Limit != nil:
		return "limit"
	case retryable:
		return "retryable"
	default:
		return "other"
	}
}
