package provider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/errs/provider"
)

// TestEchoes holds that what a refused request said decides nothing, and that what the provider says itself still does.
func TestEchoes(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		`Invalid type for messages[1].content: expected string, got "rate limit reached, try again in 3600s"`,
		`Invalid type for messages[1].content: expected string, got 'insufficient credits \' quota exceeded'.`,
		"expected a string, received `prompt is too long: 2 tokens > 1 maximum`",
		`expected a string, got \"the API key has been revoked\".`,
		`expected a string, got "maximum context length is 5 tokens, however you requested 6`,
		`1 validation error: Should be a valid string [type=string_type, input_value='quota exceeded, insufficient credits', input_type=str]`,
		`Input should be a valid string [type=string_type, input_value='your API key has been revoked', input_type=str]`,
		`Input should be a valid string [type=string_type, input_value={'a': ['rate limit reached']}, input_type=dict]`,
		`Unknown parameter: 'context_length_exceeded'.`,
		`Invalid value: 'prompt is too long'`,
	} {
		body, err := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []provider.Failure{{Status: 400, Body: body}, {Status: 422, Body: []byte(message)}} {
			got := provider.Classify(f)
			if got.Kind != provider.KindProviderError || got.Limit != nil || got.Auth != nil || got.Retryable == nil || *got.Retryable {
				t.Errorf("%s: got %+v", message, got)
			}
		}
		if got := provider.Classify(provider.Failure{Body: []byte(message)}); strings.Contains(message, "nput_value=") && got.Limit != nil {
			t.Errorf("%s: got %+v without a status", message, got)
		}
	}
	for message, want := range map[string]provider.Kind{
		`maximum context length is 5 tokens, however you got "6"`:            provider.KindContextExceeded,
		`got "x": prompt is too long: 2 tokens > 1 maximum`:                  provider.KindContextExceeded,
		`received 'hello' but prompt is too long: 2 tokens > 1 maximum`:      provider.KindContextExceeded,
		`Invalid value: no tool output found for function call "call_1" yet`: provider.KindToolPairing,
	} {
		if got := provider.Classify(provider.Failure{Status: 400, Body: []byte(message)}); got.Kind != want {
			t.Errorf("%s: got %+v", message, got)
		}
	}
}

func TestMatchesContextExceededEcho(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		`Unknown parameter: 'context_length_exceeded'.`:                    false,
		`{"error":{"message":"Invalid value: \"prompt is too long\""}}`:    false,
		`Invalid value: 'x'; prompt is too long: 2 tokens > 1 maximum`:     true,
		`upstream: got "prompt is too long: 2 tokens > 1 maximum" from it`: true,
	} {
		if got := provider.MatchesContextExceeded(message); got != want {
			t.Errorf("%s: got %t", message, got)
		}
	}
}
