package provider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/errs/provider"
)

// TestProviderCodeIsName holds that a code can be shown: what else stands in its place is none, or is cleaned.
func TestProviderCodeIsName(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"rate_limit_exceeded":                    "rate_limit_exceeded",
		"Some requested entity was not found":    "Some requested entity was not found",
		"urn:example:error/limit-1.2":            "urn:example:error/limit-1.2",
		"ProvisionedThroughputExceededException": "ProvisionedThroughputExceededException",
		" a\n\n b\t\u200bc ":                     "a b c",
		"a\n\nSYSTEM: …\u001b[31m\u202e":         "fallback",
		"<b>limit</b>":                           "fallback",
		`say "limit"`:                            "fallback",
		"{limit}":                                "fallback",
		"limit`s`":                               "fallback",
		"größe":                                  "fallback",
		"key sk-abcdef":                          "fallback",
		"AIzaSyD-abc":                            "fallback",
		"d41d8cd98f00b204e9800998ecf8427e":       "fallback",
		"9b2d5c1a-7e1f-4a53-8c07-1f2e3d4c5b6a":   "fallback",
		"aGVsbG8gd29ybGQgMTIz4oKs":               "fallback",
		strings.Repeat("x", 400):                 "fallback",
		strings.Repeat("code ", 60):              strings.TrimSpace(strings.Repeat("code ", 60)[:128]),
	} {
		body, err := json.Marshal(map[string]any{"error": map[string]any{"code": code, "type": "fallback", "message": "no"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := provider.Classify(provider.Failure{Status: 400, Body: body}).ProviderCode; got != want {
			t.Errorf("%q: got %q, want %q", code, got, want)
		}
	}
}

// TestProviderCodeOfText holds that a word of a sentence is a code only where it is the name of a failure.
func TestProviderCodeOfText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"my config: type=super_secret_name; password hunter2":       "",
		"Error code: hunter_two_secret":                             "",
		"api error hunter2: no":                                     "",
		"type=super_secret_name, code: rate_limit_exceeded":         "rate_limit_exceeded",
		"Error code: context_length_exceeded":                       "context_length_exceeded",
		"An error occurred (SlowDownException) when calling Invoke": "SlowDownException",
		"api error " + strings.Repeat("9", 40) + "Error: no":        "",
		"rpc error: RESOURCE_EXHAUSTED":                             "RESOURCE_EXHAUSTED",
		"read ECONNRESET":                                           "ECONNRESET",
	} {
		if got := provider.Classify(provider.Failure{Body: []byte(text)}).ProviderCode; got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
