package openaierr

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/auth"
	"github.com/openai/openai-go/v3/packages/ssestream"

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
// or typed already. ctx is that of the call.
//
// The header is the one that the SDK's error holds: do not change it. The body of the response is read and put back, as
// DumpResponse of the SDK's error does it: do not read it at the same time.
func FailureOf(ctx context.Context, err error, options ...Option) (provider.Failure, bool) {
	c := configOf(options)
	f, ok := sdk.Failure(ctx, c.provider, err)
	if !ok {
		return f, false
	}
	if e, ok := chain.As[*openai.Error](err); ok {
		answer(&f, e)
	} else if e, ok := chain.As[*ssestream.StreamError](err); ok {
		sdk.Answer(&f, http.StatusOK, bytes.TrimSpace(e.Event.Data))
		f.InStream = true
	} else if e, ok := chain.As[*auth.OAuthError](err); ok {
		sdk.Answer(&f, e.StatusCode, object("error", string(e.ErrorCode)))
		f.Token = true
	} else if c.response != nil && c.response.StatusCode >= http.StatusBadRequest {
		respond(&f, c.response)
	}
	return f, true
}

// answer reads the answer of the provider. The SDK keeps only one member of it as text, so that the rest has to come from
// the response, which it leaves to be read once more.
func answer(f *provider.Failure, e *openai.Error) {
	sdk.Answer(f, e.StatusCode, nil)
	if e.Response != nil {
		f.Header, f.Body = e.Response.Header, body(e.Response)
	}
	if raw := e.RawJSON(); len(f.Body) == 0 && raw != "" {
		f.Body = object("error", json.RawMessage(raw))
	}
}

// respond reads a response that the SDK could not make an error of. Where its body was cut off, err is what says so.
func respond(f *provider.Failure, response *http.Response) {
	f.Status, f.Header = response.StatusCode, response.Header
	if text := body(response); len(text) > 0 {
		sdk.Answer(f, response.StatusCode, text)
	}
}

// body reads the body of a failed response, which the SDK holds in memory, and puts it back.
func body(response *http.Response) []byte {
	if response.Body == nil {
		return nil
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil
	}
	response.Body = io.NopCloser(bytes.NewReader(text))
	return text
}

// object is a JSON object with one member; nil where the value is no JSON.
func object(name string, value any) []byte {
	text, err := json.Marshal(map[string]any{name: value})
	if err != nil {
		return nil
	}
	return text
}
