package openaierr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/provider"
	"github.com/remedyrpc/remedy/errs/provider/openaierr"
)

func ExampleToTypedError() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "2")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"type":"requests","code":"rate_limit_exceeded",`+
			`"message":"Rate limit reached on requests per min (RPM)."}}`)
	}))
	defer server.Close()
	client := openai.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("key"), option.WithMaxRetries(0))

	ctx := context.Background()
	_, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model: "a-model", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello.")},
	})
	err = openaierr.ToTypedError(ctx, err, openaierr.WithProvider("groq"))

	if e, ok := errors.AsType[*errs.ProviderError](err); ok {
		fmt.Println(e.Provider, e.ProviderCode, e.RetryPolicy())
		fmt.Println(e.Limit.Kind, e.Limit.Window, e.Limit.RetryAfter)
	}
	if e, ok := errors.AsType[*openai.Error](err); ok {
		fmt.Println(e.StatusCode, e.Code)
	}
	// Output:
	// groq rate_limit_exceeded as_is
	// rate_limit requests_per_minute 2s
	// 429 rate_limit_exceeded
}

// An event of the Responses API that reports a failure is no error to the SDK.
func Example_event() {
	var event responses.ResponseStreamEventUnion
	if err := event.UnmarshalJSON([]byte(`{"type":"response.failed","response":{"status":"failed",` +
		`"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}}`)); err != nil {
		fmt.Println(err)
	}

	if event.Type == "response.failed" || event.Type == "error" {
		found := provider.Classify(provider.Failure{
			Provider: "openai", Status: http.StatusOK, Body: []byte(event.RawJSON()), InStream: true,
		})
		fmt.Println(found.Kind)
	}
	// Output: context_exceeded
}
