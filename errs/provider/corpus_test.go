package provider

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/errs"
)

// corpusCase is one line of testdata, a failure as it came over the wire and what it is.
//
//nolint:tagliatelle // the corpus is shared, and names its members so
type corpusCase struct {
	ID           string            `json:"id"`
	Decision     string            `json:"decision"`
	Provider     string            `json:"provider"`
	Status       int               `json:"http_status"`
	Headers      map[string]string `json:"headers"`
	Body         string            `json:"body"`
	BodyEncoding string            `json:"body_encoding"`
	InStream     bool              `json:"in_stream"`
	Now          time.Time         `json:"now"`
	Endpoint     string            `json:"endpoint"`
	AuthSource   errs.AuthSource   `json:"auth_source"`
	Expect       map[string]any    `json:"expect"`
	Alt          map[string]any    `json:"alt"`
	AcceptCodes  []any             `json:"accept_codes"`
}

func (c *corpusCase) failure(t *testing.T) Failure {
	t.Helper()
	f := Failure{
		Provider: c.Provider, Status: c.Status, Header: http.Header{}, Body: []byte(c.Body), InStream: c.InStream,
		Token: c.Endpoint == "oauth_token", Source: c.AuthSource, Now: c.Now,
	}
	if strings.HasPrefix(c.BodyEncoding, "base64") {
		raw, err := base64.StdEncoding.DecodeString(c.Body)
		if err != nil {
			t.Fatal(err)
		}
		f.Body = raw
	}
	for name, value := range c.Headers {
		f.Header.Set(name, value)
	}
	return f
}

// corpus reads the cases of a file.
func corpus(tb testing.TB, name string) []corpusCase {
	tb.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	var cases []corpusCase
	for line := range bytes.Lines(raw) {
		var c corpusCase
		if err := json.Unmarshal(line, &c); err != nil {
			tb.Fatal(err)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		tb.Fatalf("%s has no cases", name)
	}
	return cases
}

// expectedFailures are the ids of cases that are known to fail.
func expectedFailures(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile("testdata/expected_failures.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, reason, ok := strings.Cut(line, " ")
		if !ok {
			t.Fatalf("expected failure %q has no reason", line)
		}
		known[id] = reason
	}
	return known
}

// TestCorpus classifies every failure of the corpus, and holds that no look-alike is taken for an exceeded context. The
// cases of failures, fresh, lookalikes and freshalikes name their source; wordings and alikes are further wordings of the same
// providers, and decisions are cases for DECISIONS.md.
func TestCorpus(t *testing.T) {
	t.Parallel()
	known := expectedFailures(t)
	check := func(id string, ok bool, got, want any) {
		_, expected := known[id]
		delete(known, id)
		switch {
		case ok && expected:
			t.Errorf("%s passes: it is to be removed from the expected failures", id)
		case !ok && !expected:
			t.Errorf("%s:\n got %v\nwant %v", id, got, want)
		}
	}
	for _, c := range slices.Concat(corpus(t, "failures.jsonl"), corpus(t, "fresh.jsonl"), corpus(t, "wordings.jsonl"),
		corpus(t, "decisions.jsonl")) {
		got := fieldsOf(Classify(c.failure(t)))
		check(c.ID, c.accepts(got), got, c.Expect)
	}
	for _, c := range slices.Concat(corpus(t, "lookalikes.jsonl"), corpus(t, "freshalikes.jsonl"), corpus(t, "alikes.jsonl")) {
		got := MatchesContextExceeded(c.Body) || Classify(c.failure(t)).Kind == KindContextExceeded
		check(c.ID, !got, "context exceeded", c.Expect)
	}
	for id := range known {
		t.Errorf("%s is an expected failure, and no case", id)
	}
}

// fieldsOf writes a classification as the corpus has it.
func fieldsOf(c Classified) map[string]any {
	fields := map[string]any{"kind": string(c.Kind), "provider_code": nil, "retryable": nil, "limit": nil, "auth_kind": nil}
	if c.Kind != KindProviderError {
		return fields
	}
	if c.ProviderCode != "" {
		fields["provider_code"] = c.ProviderCode
	}
	if c.Retryable != nil {
		fields["retryable"] = *c.Retryable
	}
	if c.Auth != nil {
		fields["auth_kind"] = string(c.Auth.Kind)
	}
	if c.Limit != nil {
		limit := map[string]any{"kind": string(c.Limit.Kind), "retry_after_ms": nil, "window": nil}
		if c.Limit.RetryAfter > 0 {
			limit["retry_after_ms"] = float64(c.Limit.RetryAfter.Milliseconds())
		}
		if c.Limit.Window != "" {
			limit["window"] = c.Limit.Window
		}
		fields["limit"] = limit
	}
	return fields
}

// accepts reports whether a classification is what a case wants, or what any of its alternatives does.
func (c *corpusCase) accepts(got map[string]any) bool {
	keys := slices.Sorted(maps.Keys(c.Alt))
	for subset := range 1 << len(keys) {
		want := maps.Clone(c.Expect)
		for i, key := range keys {
			if subset&(1<<i) == 0 {
				continue
			}
			want[key] = c.Alt[key]
			if alt, ok := c.Alt[key].(map[string]any); ok {
				if limit, ok := c.Expect[key].(map[string]any); ok {
					merged := maps.Clone(limit)
					maps.Copy(merged, alt)
					want[key] = merged
				}
			}
		}
		if c.equal(got, want) {
			return true
		}
	}
	return false
}

func (c *corpusCase) equal(got, want map[string]any) bool {
	if got["kind"] != want["kind"] {
		return false
	}
	if want["kind"] != string(KindProviderError) { // the other fields say nothing there
		return true
	}
	code := got["provider_code"] == want["provider_code"] || slices.Contains(c.AcceptCodes, got["provider_code"])
	return code && got["retryable"] == want["retryable"] && got["auth_kind"] == want["auth_kind"] &&
		equalLimits(got["limit"], want["limit"])
}

func equalLimits(got, want any) bool {
	g, ok1 := got.(map[string]any)
	w, ok2 := want.(map[string]any)
	if !ok1 || !ok2 {
		return !ok1 && !ok2
	}
	return g["kind"] == w["kind"] && g["retry_after_ms"] == w["retry_after_ms"] && g["window"] == w["window"]
}
