package main

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/provider"
)

// A line says everything of its failure.
func TestClassifyLineReads(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]provider.Failure{
		`{"id":"a"}`:                              {Header: http.Header{}, Body: []byte{}},
		`{"id":"a","body":null}`:                  {Header: http.Header{}, Body: []byte{}},
		`{"id":"a","body":"\u00e4\n"}`:            {Header: http.Header{}, Body: []byte("ä\n")},
		`{"id":"a","body":{"error": {"code":7}}}`: {Header: http.Header{}, Body: []byte(`{"error": {"code":7}}`)},
		`{"id":"a","body":[1]}`:                   {Header: http.Header{}, Body: []byte(`[1]`)},
		`{"id":"a","provider":"acme","http_status":429,"headers":{"retry-after":"7","X-A":""},"body":"{}","body_encoding":"",
			"in_stream":true,"now":"2026-01-31T12:00:00Z","endpoint":"oauth_token","auth_source":"mcp","later":{"a":1}}`: {
			Provider: "acme", Status: 429, Header: http.Header{"Retry-After": {"7"}, "X-A": {""}}, Body: []byte("{}"), InStream: true,
			Token: true, Source: errs.AuthMCP, Now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
		},
		`{"id":"a","headers":{"date":"Sat, 31 Jan 2026 12:00:00 GMT"}}`: {
			Header: http.Header{"Date": {"Sat, 31 Jan 2026 12:00:00 GMT"}}, Body: []byte{},
			Now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
		},
		`{"id":"a","now":"2026-01-31T13:00:00Z","headers":{"date":"Sat, 31 Jan 2026 12:00:00 GMT"}}`: {
			Header: http.Header{"Date": {"Sat, 31 Jan 2026 12:00:00 GMT"}}, Body: []byte{},
			Now: time.Date(2026, 1, 31, 13, 0, 0, 0, time.UTC),
		},
		`{"id":"a","http_status":null,"headers":null,"body":"` + base64.StdEncoding.EncodeToString([]byte("\x1f\x8b\x00")) +
			`","body_encoding":"base64 of gzip bytes","endpoint":"messages"}`: {Header: http.Header{}, Body: []byte("\x1f\x8b\x00")},
	} {
		l, err := readFailure([]byte(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		got, err := l.failure()
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", line, err, diff)
		}
	}
}

func TestClassifyLinesGolden(t *testing.T) {
	t.Parallel()
	lines := []string{
		`{"id":"overflow","provider":"anthropic","http_status":400,"headers":{},"body":"prompt is too long: 210000 tokens > 200000 maximum"}`,
		`{"id":"limit","provider":"openai","http_status":429,"headers":{"retry-after-ms":"1500"},` +
			`"body":"{\"error\":{\"message\":\"Rate limit reached on tokens per min (TPM): Limit 9.\",\"code\":\"rate_limit_exceeded\"}}"}`,
		``,
		`{"id":"key","provider":"anthropic","http_status":401,` +
			`"body":"{\"error\":{\"type\":\"authentication_error\",\"message\":\"invalid x-api-key\"}}"}`,
		`{"id":"busy","http_status":429,"endpoint":"oauth_token"}`,
		`{"id":"unknown","http_status":null,"body":"something else"}`,
	}
	got := command(t, strings.Join(lines, "\r\n"), "classify", "--jsonl")
	if got.code != exitOK || got.err != "" {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
	golden(t, "classify/lines.jsonl", got.out)
	if got := command(t, "\n\n", "classify", "--jsonl"); got != (result{}) {
		t.Errorf("no line: %+v", got)
	}
}

// A bad line is named, with the field that is wrong; the others are classified.
func TestClassifyLinesRefuses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`[]`:                            "expected a JSON object, got array",
		`{"id":"a"`:                     "expected a JSON object: unexpected end",
		`{"id":"a"}{`:                   "expected a JSON object: invalid character",
		`null`:                          "id: is missing",
		`{"id":7}`:                      "id: expected a string, got number",
		`{"id":"a","http_status":"4"}`:  "http_status: expected a whole number or null, got string",
		`{"id":"a","http_status":4.5}`:  "http_status: expected a whole number or null, got number 4.5",
		`{"id":"a","http_status":99}`:   "http_status: expected 100 to 599",
		`{"id":"a","http_status":600}`:  "http_status: expected 100 to 599",
		`{"id":"a","headers":{"b":1}}`:  "headers: expected an object of strings, got number",
		`{"id":"a","in_stream":"yes"}`:  "in_stream: expected true or false, got string",
		`{"id":"a","now":"today"}`:      "now: expected a time of RFC 3339",
		`{"id":"a","auth_source":"me"}`: "auth_source: expected provider, mcp or integration",
		`{"id":"a","body":"!","body_encoding":"base64"}`: "body: is not base64",
		`{"id":"a","body_encoding":"rot13"}`:             "body_encoding: expected base64",
		strings.Repeat("x", maxFailure+1):                "more than 16777216 bytes",
	} {
		got := command(t, `{"id":"before"}`+"\n"+line+"\n"+`{"id":"after"}`, "classify", "--jsonl")
		text := strings.Join(strings.Fields(got.err), " ")
		if got.code != exitUsage || !strings.HasPrefix(text, "remedy: line 2: "+want) || strings.Count(text, "remedy:") != 1 {
			t.Errorf("exit %d, want %q in:\n%s", got.code, want, got.err)
		}
		if strings.Count(got.out, "\n") != 2 || !strings.Contains(got.out, `{"id":"before",`) || !strings.Contains(got.out, `{"id":"after",`) {
			t.Errorf("%s: the others are\n%s", want, got.out)
		}
	}
}

// A byte order mark at the start is none of the input.
func TestClassifyByteOrderMark(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"classify", "--jsonl"}, {"classify", "--json"}} {
		for _, input := range []string{`{"id":"a"}`, "HTTP/1.1 500 \nretry-after: 12\n\n", "{}", "x"} {
			want := command(t, input, args...)
			if got := command(t, "\ufeff"+input, args...); got != want {
				t.Errorf("%v %q: got %+v, want %+v", args, input, got, want)
			}
		}
	}
}

func TestMilliseconds(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]int64{time.Nanosecond: 1, time.Millisecond: 1, 1500 * time.Microsecond: 2, time.Hour: 3600000} {
		if got := milliseconds(wait); got == nil || *got != want {
			t.Errorf("%v: got %v, want %d", wait, got, want)
		}
	}
	for _, wait := range []time.Duration{0, -time.Second} {
		if got := milliseconds(wait); got != nil {
			t.Errorf("%v: got %d", wait, *got)
		}
	}
}
