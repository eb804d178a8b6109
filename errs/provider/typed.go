package provider

import (
	"errors"

	"github.com/remedyrpc/remedy/errs"
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
			Provider: provider, ProviderCode: c.ProviderCode, Retryable: c.Retryable, Limit: c.Limit, Cause: cause,
		}
	}
}

const reasonAborted = "the caller canceled the call to the provider"

// own reads back an error that was classified before.
func own(err error) (Classified, bool) {
	var (
		aborted *errs.AbortedError
		context *errs.ContextExceededError
		pairing *errs.ToolPairingError
		auth    *errs.AuthError
		other   *errs.ProviderError
	)
	switch {
	case err == nil:
		return Classified{}, false
	case errors.As(err, &aborted) && aborted != nil:
		return Classified{Kind: KindAborted}, true
	case errors.As(err, &context) && context != nil:
		return Classified{Kind: KindContextExceeded, ProviderCode: context.ProviderCode}, true
	case errors.As(err, &pairing) && pairing != nil:
		return Classified{Kind: KindToolPairing, ProviderCode: pairing.ProviderCode}, true
	case errors.As(err, &auth) && auth != nil:
		failure := auth.Auth
		return Classified{
			Kind: KindProviderError, Retryable: retryOfAuth(failure.Kind).pointer(), Auth: &failure, RetryAfter: auth.RetryAfter,
		}, true
	case errors.As(err, &other) && other != nil:
		return Classified{
			Kind: KindProviderError, ProviderCode: other.ProviderCode, Retryable: other.Retryable, Limit: other.Limit,
		}, true
	default:
		return Classified{}, false
	}
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
		return c.ProviderCode == d.ProviderCode && retryOf(c.Retryable) == retryOf(d.Retryable)
	}
}
