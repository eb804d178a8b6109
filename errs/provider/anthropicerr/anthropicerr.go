package anthropicerr

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go/v2"
	sdkconfig "github.com/anthropics/anthropic-sdk-go/v2/config"

	"github.com/remedyrpc/remedy/errs/provider"
	"github.com/remedyrpc/remedy/errs/provider/internal/chain"
	"github.com/remedyrpc/remedy/errs/provider/internal/sdk"
)

// ToTypedError returns the typed error that a failed call of the SDK is, with err as its cause; err itself where it is nil
// or typed already. ctx is the context that the call was made with: only it tells whether the caller gave the call up, and
// nil tells nothing.
// See [provider.ToTypedError] for the types.
func ToTypedError(ctx context.Context, err error, options ...Option) error {
	f, ok := FailureOf(ctx, err, options...)
	if !ok {
		return err
	}
	return provider.ToTypedError(provider.Classify(f), f.Provider, err)
}

// FailureOf returns what an error of the SDK says of the call, for [provider.Classify]: status, headers and body of the
// answer, or the event that a stream ended with; else the error of the transport. It reports false for an error that is nil
// or typed already. ctx is that of the call. The header is the one that the SDK's error holds: do not change it.
func FailureOf(ctx context.Context, err error, options ...Option) (provider.Failure, bool) {
	f, ok := sdk.Failure(ctx, configOf(options).provider, err)
	if !ok {
		return f, false
	}
	if e, ok := chain.As[*anthropic.Error](err); ok {
		answer(&f, e)
	} else if e, ok := chain.As[*sdkconfig.FederationExchangeError](err); ok {
		sdk.Answer(&f, e.StatusCode, []byte(e.Body))
		f.Token = true
	} else {
		token(&f)
	}
	return f, true
}

// answer reads the answer of the provider. The SDK keeps the body as text, whatever it is; the one of the response may be
// a stream that somebody still reads.
func answer(f *provider.Failure, e *anthropic.Error) {
	sdk.Answer(f, e.StatusCode, []byte(e.RawJSON()))
	f.InStream = e.StatusCode > 0 && e.StatusCode < 400 // an event called error, after a status that said well
	if e.Response != nil {
		f.Header = e.Response.Header
	}
}
