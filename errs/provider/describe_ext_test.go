package provider_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/provider"
)

func TestDescribeLimit(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		provider string
		limit    *errs.ProviderLimit
		want     string
	}{
		{"", nil, "limit reached"},
		{"x", &errs.ProviderLimit{}, "x: limit reached"},
		{
			"anthropic", &errs.ProviderLimit{Kind: errs.LimitRate, RetryAfter: 12 * time.Second, Window: "tokens_per_minute"},
			"anthropic: rate limit (tokens per minute); try again in 12 s",
		},
		{
			"codex", &errs.ProviderLimit{Kind: errs.LimitQuota, ResetsAt: now.Add(time.Hour), Window: "plan_5h"},
			"codex: quota used up (5-hour plan limit); resets in 60 min",
		},
		{
			"x", &errs.ProviderLimit{Kind: errs.LimitQuota, ResetsAt: now.Add(-time.Hour), Window: "plan_week"},
			"x: quota used up (weekly plan limit)",
		},
		{"x", &errs.ProviderLimit{Kind: errs.LimitOverload, RetryAfter: time.Nanosecond}, "x: overloaded; try again in 1 ms"},
		{"x", &errs.ProviderLimit{Kind: errs.LimitRate, RetryAfter: 1500 * time.Millisecond}, "x: rate limit; try again in 2 s"},
		{"x", &errs.ProviderLimit{Kind: errs.LimitRate, RetryAfter: 24 * time.Hour}, "x: rate limit; try again in 24 h"},
		{"x", &errs.ProviderLimit{Kind: errs.LimitRate, RetryAfter: 1<<63 - 1}, "x: rate limit; try again in 106752 days"},
		{"x", &errs.ProviderLimit{Kind: errs.LimitRate, RetryAfter: -1}, "x: rate limit"},
	}
	for _, test := range tests {
		if got := provider.DescribeLimit(test.provider, test.limit, now); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestDescribeLimitBound gives it names that are no names.
func TestDescribeLimitBound(t *testing.T) {
	t.Parallel()
	for _, name := range []string{strings.Repeat("x", 1<<20), strings.Repeat("é", 1<<16), "a\nb\x00\u202e\xff", strings.Repeat("\n", 99)} {
		got := provider.DescribeLimit(name, &errs.ProviderLimit{Kind: errs.LimitRate, Window: name, RetryAfter: 1<<63 - 1}, time.Time{})
		if len(got) > 250 || strings.ContainsAny(got, "\n\x00\u202e") || !utf8.ValidString(got) {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	}
}
