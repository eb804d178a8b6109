package provider

import (
	"net/http"
	"time"

	"github.com/remedyrpc/remedy/errs"
)

// Failure is what is known of a call to a provider that failed. Every field may be left out.
type Failure struct {
	// Provider is the name of the provider, for example anthropic. It is used to word the error, and where providers
	// mean different things by the same word.
	Provider string
	// Status is the HTTP status; 0 when there was none.
	Status int
	// Header are the headers of the answer.
	Header http.Header
	// Body is the answer as it came: JSON, an event of a stream, HTML, text, or their gzip bytes.
	Body []byte
	// Err is the error of the call, for example of the transport. Its text is read where the body says nothing.
	Err error
	// InStream says that the failure came in a stream that had begun with status 200.
	InStream bool
	// Canceled says that the caller's own context was canceled, which proves that the call was aborted. A text that says so is
	// only a fallback: it counts where nothing else is known.
	Canceled bool
	// Token says that it was the endpoint of tokens that was called: a sign-in or a refresh.
	Token bool
	// Source is what signs in; empty means errs.AuthProvider.
	Source errs.AuthSource
	// Now is the clock for the dates of headers; zero means time.Now.
	Now time.Time
}

// Kind is what a failure is.
type Kind string

// The kinds of failures; each is the class of errs that [ToTypedError] returns.
const (
	KindContextExceeded Kind = "context_exceeded"
	KindToolPairing     Kind = "tool_pairing_corruption"
	KindAborted         Kind = "aborted"
	KindProviderError   Kind = "provider_error"
)

// Classified is what a failure was found to be.
type Classified struct {
	// Kind says what it is.
	Kind Kind
	// ProviderCode is the provider's own code; empty when it gave none.
	ProviderCode string
	// Retryable says whether a retry with backoff is likely to succeed; nil when that cannot be told, which callers
	// should read as no.
	Retryable *bool
	// Limit is the rate limit, the spent quota or the overload behind the failure; nil when it is none.
	Limit *errs.ProviderLimit
	// Auth is which sign-in failed and why; nil when no credential is the cause.
	Auth *errs.AuthFailure
	// RetryAfter is the wait that was asked for before a retry of what is no limit, such as a server that restarts or a busy
	// endpoint of tokens; zero when not known, and where a retry is of no use. Where Limit is set, the wait stands there.
	RetryAfter time.Duration
}
