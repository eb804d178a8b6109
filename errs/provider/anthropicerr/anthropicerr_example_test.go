package anthropicerr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/provider/anthropicerr"
)

func ExampleToTypedError() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error",`+
			`"message":"prompt is too long: 210000 tokens > 200000 maximum"}}`)
	}))
	defer server.Close()
	client := anthropic.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("key"))

	ctx := context.Background()
	_, err := client.Messages.New(ctx, anthropic.MessageNewParams{
		MaxTokens: 1024, Model: "a-model",
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("A long story."))},
	})
	err = anthropicerr.ToTypedError(ctx, err)

	if e, ok := errors.AsType[*errs.ContextExceededError](err); ok {
		fmt.Println(e.Provider, e.ErrorCode(), e.RetryPolicy())
	}
	if e, ok := errors.AsType[*anthropic.Error](err); ok {
		fmt.Println(e.StatusCode, e.Type())
	}
	// Output:
	// anthropic context_exceeded after_repair
	// 400 invalid_request_error
}
