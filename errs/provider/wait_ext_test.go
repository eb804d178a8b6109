package provider_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/provider"
)

// TestRetryAfterWithoutLimit holds that the wait of a failure that is no limit is kept, travels in the typed error, and is
// read back; and that none stands where a retry is of no use, or in the place of that of a limit.
func TestRetryAfterWithoutLimit(t *testing.T) {
	t.Parallel()
	header := http.Header{"Retry-After": {"7"}}
	const google = `{"error":{"code":500,"status":"INTERNAL","message":"Internal error",` +
		`"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3s"}]}}`
	for name, test := range map[string]struct {
		failure provider.Failure
		want    time.Duration
	}{
		"408":        {provider.Failure{Status: 408, Header: header}, 7 * time.Second},
		"409":        {provider.Failure{Status: 409, Header: header}, 7 * time.Second},
		"425":        {provider.Failure{Status: 425, Header: header}, 7 * time.Second},
		"500":        {provider.Failure{Status: 500, Header: header}, 7 * time.Second},
		"502":        {provider.Failure{Status: 502, Header: http.Header{"Retry-After-Ms": {"250"}}}, 250 * time.Millisecond},
		"RetryInfo":  {provider.Failure{Status: 500, Body: []byte(google)}, 3 * time.Second},
		"told yes":   {provider.Failure{Status: 400, Header: http.Header{"X-Should-Retry": {"true"}, "Retry-After": {"1"}}}, time.Second},
		"no retry":   {provider.Failure{Status: 400, Header: header}, 0},
		"not known":  {provider.Failure{Status: 424, Header: header}, 0},
		"a limit":    {provider.Failure{Status: 429, Header: header}, 0},
		"bucket":     {provider.Failure{Status: 500, Header: http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"9"}}}, 0},
		"not a hint": {provider.Failure{Status: 500, Header: http.Header{"Retry-After": {"-1"}}}, 0},
	} {
		found := provider.Classify(test.failure)
		if found.RetryAfter != test.want {
			t.Errorf("%s: got %+v, want %v", name, found, test.want)
		}
		err := provider.ToTypedError(found, "openai", nil)
		if typed, ok := errors.AsType[*errs.ProviderError](err); !ok || typed.RetryAfter != test.want {
			t.Errorf("%s: got %+v", name, err)
		}
		if again := provider.Classify(provider.Failure{Err: err}); again.RetryAfter != test.want {
			t.Errorf("%s: read back as %+v", name, again)
		}
		if same := provider.ToTypedError(found, "openai", err); same != err { //nolint:errorlint // it is to be the very same
			t.Errorf("%s: made %v anew", name, same)
		}
	}
}

// TestToTypedErrorCopies holds that a typed error shares nothing with what it was made of, or was read back as.
func TestToTypedErrorCopies(t *testing.T) {
	t.Parallel()
	found := provider.Classify(provider.Failure{Status: 429, Header: http.Header{"Retry-After": {"7"}}})
	err := provider.ToTypedError(found, "openai", nil)
	typed, ok := errors.AsType[*errs.ProviderError](err)
	if !ok {
		t.Fatalf("got %T", err)
	}
	again := provider.Classify(provider.Failure{Err: err})
	found.Limit.Window, *found.Retryable = "changed", false
	again.Limit.Window, *again.Retryable = "changed", false
	if typed.Limit.Window != "" || !*typed.Retryable {
		t.Errorf("got %+v", typed)
	}
}

// TestResets holds where the end of a limit is read from.
func TestResets(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	midnight := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	const regain = "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."
	for name, test := range map[string]struct {
		failure provider.Failure
		want    errs.ProviderLimit
	}{
		"regained": {
			provider.Failure{Status: 400, Body: []byte(regain), Now: now}, errs.ProviderLimit{Kind: errs.LimitQuota, ResetsAt: midnight},
		},
		"regained long ago": {
			provider.Failure{Status: 400, Body: []byte(regain), Now: midnight}, errs.ProviderLimit{Kind: errs.LimitQuota},
		},
		"listed": {
			provider.Failure{Status: 429, Header: http.Header{"Ratelimit": {`"burst";r=5;t=90, "default";r=0;t=50, "day";t=70;r=0`}}},
			errs.ProviderLimit{Kind: errs.LimitRate, RetryAfter: 70 * time.Second},
		},
		"listed and left": {
			provider.Failure{Status: 429, Header: http.Header{"Ratelimit": {`"default";r=1;t=50`}}}, errs.ProviderLimit{Kind: errs.LimitRate},
		},
	} {
		if got := provider.Classify(test.failure); got.Limit == nil || *got.Limit != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got.Limit, test.want)
		}
	}
	loading := provider.Classify(provider.Failure{
		Provider: "huggingface", Status: 503, Body: []byte(`{"error":"Model x/y is currently loading","estimated_time":20.0}`),
	})
	if loading.Limit != nil || loading.RetryAfter != 20*time.Second {
		t.Errorf("a model that loads: got %+v", loading)
	}
}
