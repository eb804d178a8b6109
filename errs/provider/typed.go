package provider

import (
	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/provider/internal/chain"
)

// ToTypedError returns the error of errs for what was found: [errs.AbortedError], [errs.ContextExceededError],
// [errs.ToolPairingError], [errs.AuthError] where a credential is the cause, and [errs.ProviderError] for anything else,
// an unknown kind too. Its headline is that of the catalog: what a provider wrote is data, and stays in the cause, which
// is kept for [errors.Is] and [errors.As] in process and does not travel. A cause may be nil. One that is already the
// error that was found, as [Classify] reads it back, is returned as it is.
func ToTypedError(c Classified, provider string, cause error) error {
	if found, ok := own(cause); ok && found.same(c) {
		return cause
	}
	switch {
	case c.Kind == KindAborted:
		return &errs.AbortedError{Reason: reasonAborted, Cause: cause}
	case c.Kind == KindContextExceeded:
		return &errs.ContextExceededError{Provider: provider, ProviderCode: c.ProviderCode, Cause: cause}
	case c.Kind == KindToolPairing:
		return &errs.ToolPairingError{Provider: provider, ProviderCode: c.ProviderCode, Cause: cause}
	case c.Auth != nil:
		auth := *c.Auth
		if auth.Provider == "" {
			auth.Provider = provider
		}
		return &errs.AuthError{Auth: auth, RetryAfter: c.RetryAfter, Cause: cause}
	default:
		return &errs.ProviderError{
			Provider: provider, ProviderCode: c.ProviderCode, Retryable: retryOf(c.Retryable).pointer(), Limit: copyOf(c.Limit),
			RetryAfter: c.RetryAfter, Cause: cause,
		}
	}
}

const reasonAborted = "the caller canceled the call to the provider"

// own reads back an error that was classified before, of several the outermost.
func own(err error) (Classified, bool) {
	for e := range chain.All(err) {
		if found, ok := classifiedAs(e); ok {
			return found, true
		}
	}
	return Classified{}, false
}

// classifiedAs reads back one error, and none that it wraps. A nil pointer says nothing.
func classifiedAs(err error) (Classified, bool) {
	switch e := err.(type) { //nolint:errorlint // who walks the tree asks for each
	case *errs.AbortedError:
		return Classified{Kind: KindAborted}, e != nil
	case *errs.ContextExceededError:
		if e != nil {
			return Classified{Kind: KindContextExceeded, ProviderCode: e.ProviderCode}, true
		}
	case *errs.ToolPairingError:
		if e != nil {
			return Classified{Kind: KindToolPairing, ProviderCode: e.ProviderCode}, true
		}
	case *errs.AuthError:
		if e != nil {
			failure := e.Auth
			return Classified{
				Kind: KindProviderError, Retryable: retryOfAuth(failure.Kind).pointer(), Auth: &failure, RetryAfter: e.RetryAfter,
			}, true
		}
	case *errs.ProviderError:
		if e != nil {
			return Classified{
				Kind: KindProviderError, ProviderCode: e.ProviderCode, Retryable: retryOf(e.Retryable).pointer(),
				Limit: copyOf(e.Limit), RetryAfter: e.RetryAfter,
			}, true
		}
	}
	return Classified{}, false
}

// copyOf keeps what is handed on apart: the limit of an error is its own.
func copyOf(l *errs.ProviderLimit) *errs.ProviderLimit {
	if l == nil {
		return nil
	}
	return new(*l)
}

// same reports whether two classifications make the same typed error.
func (c Classified) same(d Classified) bool {
	switch {
	case c.Kind != d.Kind, (c.Auth == nil) != (d.Auth == nil), (c.Limit == nil) != (d.Limit == nil):
		return false
	case c.Kind == KindAborted:
		return true
	case c.Auth != nil:
		return c.Auth.Kind == d.Auth.Kind && c.Auth.Source == d.Auth.Source && c.RetryAfter == d.RetryAfter
	case c.Limit != nil && *c.Limit != *d.Limit:
		return false
	default:
		return c.ProviderCode == d.ProviderCode && retryOf(c.Retryable) == retryOf(d.Retryable) && c.RetryAfter == d.RetryAfter
	}
}
