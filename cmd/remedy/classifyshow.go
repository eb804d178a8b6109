package main

import (
	"time"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/provider"
)

// verdict is what a failure was found to be, as --json writes it.
type verdict struct {
	Kind         provider.Kind `json:"kind"`
	ProviderCode string        `json:"providerCode,omitempty"`
	// Retryable is null where it is not known.
	Retryable *bool             `json:"retryable"`
	Limit     *limit            `json:"limit,omitempty"`
	Auth      *errs.AuthFailure `json:"auth,omitempty"`
	// RetryAfter is the wait that was asked for, as Go writes a duration.
	RetryAfter string         `json:"retryAfter,omitempty"`
	Next       []string       `json:"next"`
	Error      *report.Report `json:"error"`
}

// limit is a limit as --json writes it.
type limit struct {
	Kind     errs.LimitKind `json:"kind"`
	Window   string         `json:"window,omitempty"`
	ResetsAt string         `json:"resetsAt,omitempty"`
	// Text is for a person.
	Text string `json:"text"`
}

func verdictOf(f *provider.Failure) *verdict {
	found := provider.Classify(*f)
	v := &verdict{
		Kind: found.Kind, ProviderCode: found.ProviderCode, Retryable: found.Retryable,
		Limit: limitOf(found.Limit, f.Now), Auth: found.Auth,
		Error: report.OfError(provider.ToTypedError(found, f.Provider, nil)),
	}
	wait := found.RetryAfter
	if found.Limit != nil {
		wait = found.Limit.RetryAfter
	}
	if wait > 0 {
		v.RetryAfter = wait.String()
	}
	v.Next = v.next()
	return v
}

func limitOf(l *errs.ProviderLimit, now time.Time) *limit {
	if l == nil {
		return nil
	}
	out := &limit{Kind: l.Kind, Window: l.Window, Text: provider.DescribeLimit("", l, now)}
	if !l.ResetsAt.IsZero() {
		out.ResetsAt = l.ResetsAt.UTC().Format(time.RFC3339)
	}
	return out
}

// next says what to do: the plan where there is one, else what the rule allows.
func (v *verdict) next() []string {
	if lines := v.Error.Plan.Sentences(); len(lines) > 0 {
		return lines
	}
	switch {
	case v.Error.Retry == errs.AsIs.String() && v.RetryAfter != "":
		return []string{"Send the same call again after " + v.RetryAfter + "."}
	case v.Error.Retry == errs.AsIs.String():
		return []string{"Send the same call again, with a wait that grows from one attempt to the next."}
	case v.Limit != nil && v.Limit.ResetsAt != "":
		return []string{"Do not send this call again before " + v.Limit.ResetsAt + "."}
	case v.Kind == provider.KindProviderError && v.Retryable == nil:
		return []string{"Do not send this call again: nothing says that it would succeed."}
	default:
		return []string{"Do not send this call again."}
	}
}

func (v *verdict) text(p *term.Printer) {
	p.Title(v.Error.Headline)
	p.Field("Go type", v.Error.Type)
	p.Field("match", v.Error.Match)
	p.Field("code", v.Error.Code)
	p.Field("kind", string(v.Kind))
	p.Field("providerCode", v.ProviderCode)
	if v.Kind == provider.KindProviderError {
		p.Field("retryable", retryableText(v.Retryable))
	}
	p.Field("retry", report.RetryText(v.Error.Retry, v.Error.RetryAfter))
	if v.Limit != nil {
		p.Field("limit", string(v.Limit.Kind))
		p.Field("window", v.Limit.Window)
		p.Field("resetsAt", v.Limit.ResetsAt)
		p.Field("in words", v.Limit.Text)
	}
	if v.Auth != nil {
		p.Field("auth", string(v.Auth.Kind))
		p.Field("source", string(v.Auth.Source))
	}
	p.Field("retryAfter", v.RetryAfter)
	p.Title("What to do next")
	for _, line := range v.Next {
		p.Item(1, line)
	}
	p.Title("What an agent reads")
	p.Line(1, v.Error.Message)
}

func retryableText(retryable *bool) string {
	switch {
	case retryable == nil:
		return "not known, which is read as no"
	case *retryable:
		return "yes"
	default:
		return "no"
	}
}
