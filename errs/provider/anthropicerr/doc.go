// Package anthropicerr tells what a failed call of the Anthropic SDK means: it reads an error of
// github.com/anthropics/anthropic-sdk-go/v2 for package provider.
//
//	message, err := client.Messages.New(ctx, params)
//	if err != nil {
//		return anthropicerr.ToTypedError(ctx, err)
//	}
//
// The SDK's error stays reachable as the cause, so that errors.As finds *anthropic.Error as before. What it holds of the
// request, its key among it, is never read.
//
// A stream that ends before its last event without a failure of the connection is no error to the SDK, and nothing here
// can see it: check that message_stop came.
//
// It is a package of its own, so that only who calls this SDK compiles it; its name differs from that of the SDK, because
// whoever imports one imports both.
package anthropicerr
