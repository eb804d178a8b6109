// Package sdk reads what the errors of every provider's SDK have in common: those of the transport, and of the caller's
// context.
package sdk

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/provider"
	"github.com/remedyrpc/remedy/errs/provider/internal/chain"
)

// Failure is what err says of a call where no answer of the provider does. It reports false where nothing is to be
// classified: err is nil, or typed already.
func Failure(ctx context.Context, name string, err error) (provider.Failure, bool) {
	if err == nil {
		return provider.Failure{}, false
	}
	if _, typed := chain.As[errs.Error](err); typed {
		return provider.Failure{}, false
	}
	var gone error
	if ctx != nil {
		gone = ctx.Err()
	}
	f := provider.Failure{Provider: name, Err: withoutURL(err), Canceled: errors.Is(gone, context.Canceled)}
	if gone == nil && chain.Is(err, context.DeadlineExceeded) {
		// The deadline is that of an attempt, which an SDK sets itself; the context's bare error would not tell.
		f.Err = fmt.Errorf("the attempt timed out: %w", f.Err)
	}
	return f, true
}

// Answer puts the answer of the provider in the place of what the error said. An answer stands even where the context was
// canceled: whoever classifies after a deferred cancel wants to know what the provider said.
func Answer(f *provider.Failure, status int, body []byte) {
	f.Err, f.Canceled = nil, false
	f.Status, f.Body = status, body
}

// withoutURL leaves out the address of the request. It says nothing of why the request failed, may say so by accident, and
// some hosts take a key in it.
func withoutURL(err error) error {
	if e, ok := chain.As[*url.Error](err); ok && e.Err != nil {
		return e.Err
	}
	return err
}
