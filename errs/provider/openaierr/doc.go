// Package openaierr tells what a failed call of the OpenAI SDK means: it reads an error of github.com/openai/openai-go/v3
// for package provider.
//
//	completion, err := client.Chat.Completions.New(ctx, params)
//	if err != nil {
//		return openaierr.ToTypedError(ctx, err)
//	}
//
// Many providers are called with this SDK and a base URL of theirs: name them by [WithProvider]. The SDK's error stays
// reachable as the cause, so that errors.As finds *openai.Error as before. What it holds of the request, its key among it,
// is never read.
//
// Some failures are no error to the SDK. The Responses API reports them in events (response.failed, and error without an
// object in it), which come out of the stream as any other: classify their RawJSON as the body of a [provider.Failure]. A
// stream that ends before its last event without a failure of the connection is not noticed either.
//
// It is a package of its own, so that only who calls this SDK compiles it; its name differs from that of the SDK, because
// whoever imports one imports both.
package openaierr
