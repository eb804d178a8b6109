package provider_test

import (
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/remedyrpc/remedy/errs/provider"
)

func ExampleClassify() {
	found := provider.Classify(provider.Failure{
		Provider: "anthropic",
		Status:   http.StatusTooManyRequests,
		Header:   http.Header{"Retry-After": {"12"}},
		Body: []byte(`{"type":"error","error":{"type":"rate_limit_error",` +
			`"message":"This request would exceed the rate limit of 30,000 input tokens per minute."}}`),
	})
	fmt.Println(found.Kind, found.ProviderCode, *found.Retryable)
	fmt.Println(provider.DescribeLimit("anthropic", found.Limit, time.Time{}))
	fmt.Println(provider.ToTypedError(found, "anthropic", nil))
	// Output:
	// provider_error rate_limit_error true
	// anthropic: rate limit (input tokens per minute); try again in 12 s
	// anthropic refused the call because of a limit. [provider_error; retry unchanged is allowed, after 12s]
}

func ExampleMatchesContextExceeded() {
	fmt.Println(provider.MatchesContextExceeded("prompt is too long: 208310 tokens > 200000 maximum"))
	fmt.Println(provider.MatchesContextExceeded("Too many tokens, please wait before trying again."))
	// Output:
	// true
	// false
}

// A classifier of one's own adds the wording of a server that nobody else has, and keeps the vetoes of this package.
func ExampleContextExceededPatterns() {
	patterns := provider.ContextExceededPatterns().
		With(regexp.MustCompile(`(?i)the scroll is full`)).
		Without(regexp.MustCompile(`(?i)rehearsal`))
	for _, message := range []string{
		"The scroll is full.",
		"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
		"The scroll is full, but this was a rehearsal.",
		"Limit of 30000 tokens per minute exceeded: prompt is too long.",
	} {
		fmt.Println(patterns.Match(message))
	}
	// Output:
	// true
	// true
	// false
	// false
}
