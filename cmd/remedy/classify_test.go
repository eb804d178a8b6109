package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/remedyrpc/remedy/errs/provider"
)

// providerFailures are command lines by the name of their golden file.
var providerFailures = map[string]struct {
	stdin string
	args  []string
}{
	"overflow": {
		stdin: `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`,
		args:  []string{"--provider", "anthropic", "--status", "400"},
	},
	"rate_limit": {
		stdin: "HTTP/2 429 \r\ndate: Mon, 30 Nov 2026 10:00:00 GMT\r\nretry-after: Mon, 30 Nov 2026 10:00:20 GMT\r\n\r\n" +
			`{"error":{"message":"Rate limit reached on tokens per min (TPM): Limit 30000.","type":"tokens","code":"rate_limit_exceeded"}}`,
		args: []string{"--provider=openai"},
	},
	"quota": {
		stdin: `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}`,
		args:  []string{"--provider=openai", "--status=429"},
	},
	"overload": {
		stdin: "HTTP/1.1 200 OK\nContent-Type: text/event-stream; charset=utf-8\n\n" +
			"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
		args: []string{"--provider=anthropic"},
	},
	"plan_spent": {
		stdin: "HTTP/2 429 \ndate: Mon, 30 Nov 2026 10:00:00 GMT\nanthropic-ratelimit-unified-status: rejected\n" +
			"anthropic-ratelimit-unified-representative-claim: five_hour\nanthropic-ratelimit-unified-reset: 1796040000\n\n" +
			`{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account's rate limit."}}`,
		args: []string{"--provider=anthropic"},
	},
	"busy": {
		stdin: "HTTP/2 429 \nretry-after: 30\n\n", args: []string{"--provider=anthropic", "--token-endpoint"},
	},
	"rejected": {
		stdin: `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`,
		args:  []string{"--provider=anthropic", "--status=401"},
	},
	"pairing": {
		stdin: `{"type":"error","error":{"type":"invalid_request_error","message":"messages.2: ` +
			"`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1" + `"}}`,
		args: []string{"--provider=anthropic", "--status=400"},
	},
	"restart": {stdin: "HTTP/1.1 500 \nretry-after: 12\n\nerror", args: []string{"--provider=acme"}},
	"aborted": {args: []string{"--provider=anthropic", "--canceled"}},
	"unknown": {stdin: "something else", args: []string{"--provider=acme"}},
}

func TestClassifyGolden(t *testing.T) {
	t.Parallel()
	for name, c := range providerFailures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := command(t, c.stdin, append([]string{"classify"}, c.args...)...)
			if got.code != exitOK || got.err != "" {
				t.Fatalf("exit %d, %s", got.code, got.err)
			}
			golden(t, "classify/"+name+".txt", got.out)
			golden(t, "classify/"+name+".json", command(t, c.stdin, append([]string{"classify", "--json"}, c.args...)...).out)
		})
	}
}

func TestClassifyHelp(t *testing.T) {
	t.Parallel()
	r := command(t, "", "classify", "--help")
	if r.code != exitOK || r.err != "" {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
	golden(t, "help/classify.txt", r.out)
}

// What is known of a failure comes from the response and from the flags, and the flags win.
func TestClassifyReads(t *testing.T) {
	t.Parallel()
	status := 503
	later := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		input   string
		command classifyCommand
		want    provider.Failure
	}{
		"a body": {input: "{}\n", want: provider.Failure{Body: []byte("{}\n")}},
		"a body that mentions HTTP": {
			input: "HTTP/1.1 429 Too Many Requests", want: provider.Failure{Body: []byte("HTTP/1.1 429 Too Many Requests")},
		},
		"a response": {
			input: "HTTP/1.1 400 Bad Request\r\nX-A: 1\r\nx-a: 2\r\n\r\n\r\nb", want: provider.Failure{
				Status: 400, Header: http.Header{"X-A": {"1", "2"}}, Body: []byte("\r\nb"),
			},
		},
		"a version of one digit, no reason": {input: "HTTP/2 529\n\nb", want: provider.Failure{Status: 529, Body: []byte("b")}},
		"only headers":                      {input: "HTTP/2 401 \r\nA: b", want: provider.Failure{Status: 401, Header: http.Header{"A": {"b"}}}},
		"only a status":                     {input: "HTTP/3 500 \n", want: provider.Failure{Status: 500}},
		"after a proxy": {
			input: "HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/2 429 \r\nA: b\r\n\r\nHTTP/1.1 500 in the body\n",
			want:  provider.Failure{Status: 429, Header: http.Header{"A": {"b"}}, Body: []byte("HTTP/1.1 500 in the body\n")},
		},
		"a stream": {
			input: "HTTP/2 200\nContent-Type: text/event-stream;charset=utf-8\n\nb",
			want: provider.Failure{
				Status: 200, Header: http.Header{"Content-Type": {"text/event-stream;charset=utf-8"}}, Body: []byte("b"), InStream: true,
			},
		},
		"a date": {
			input: "HTTP/2 503\nDate: Mon, 30 Nov 2026 10:00:00 GMT\n\n",
			want: provider.Failure{
				Status: 503, Header: http.Header{"Date": {"Mon, 30 Nov 2026 10:00:00 GMT"}}, Body: []byte{}, Now: later,
			},
		},
		"flags": {
			input: "HTTP/2 200\nA: a\nB: b\n\nbody",
			command: classifyCommand{
				Provider: "p", Status: &status, Header: []string{"a: x, y", "A:z", "C: "}, InStream: true, Canceled: true, TokenEndpoint: true,
			},
			want: provider.Failure{
				Provider: "p", Status: 503, Header: http.Header{"A": {"x, y", "z"}, "B": {"b"}, "C": {""}}, Body: []byte("body"),
				InStream: true, Canceled: true, Token: true,
			},
		},
		"a status alone": {command: classifyCommand{Status: &status}, want: provider.Failure{Status: 503}},
		"a header alone": {command: classifyCommand{Header: []string{"a: b"}}, want: provider.Failure{Header: http.Header{"A": {"b"}}}},
	} {
		got, err := c.command.failure([]byte(c.input))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.want.Now.IsZero() {
			if time.Since(got.Now) > time.Minute {
				t.Errorf("%s: the clock says %v", name, got.Now)
			}
			got.Now = time.Time{}
		}
		if c.want.Header == nil {
			c.want.Header = make(http.Header)
		}
		if c.want.Body == nil {
			c.want.Body = []byte{}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestClassifyRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stdin string
		args  []string
		want  string
	}{
		"nothing":               {want: "expected a failure on standard input, got nothing"},
		"white space":           {stdin: " \r\n", args: []string{"--provider=openai", "--in-stream"}, want: "got nothing"},
		"too much":              {stdin: strings.Repeat("a", maxFailure+1), want: "standard input: more than 16777216 bytes"},
		"no headers":            {stdin: "HTTP/1.1 502 Bad Gateway\n<html>\n", want: "expected its headers"},
		"a status of no kind":   {args: []string{"--status=7"}, want: "--status: expected an HTTP status"},
		"a status in words":     {args: []string{"--status=many"}, want: "--status"},
		"a header without name": {args: []string{"--header", ": hunter2"}, want: "--header: expected 'Name: value'"},
		"a header of one word":  {args: []string{"--header", "hunter2"}, want: "--header: expected 'Name: value'"},
		"a header like prose":   {args: []string{"--header", "my key: hunter2"}, want: "--header: expected 'Name: value'"},
		"lines and flags":       {args: []string{"--jsonl", "--status=429"}, want: "leave the other flags out"},
		"lines and JSON":        {args: []string{"--jsonl", "--json"}, want: "leave the other flags out"},
		"an argument":           {args: []string{"text"}, want: "unexpected argument"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := command(t, c.stdin, append([]string{"classify"}, c.args...)...)
			text := strings.Join(strings.Fields(got.err), " ")
			if got.code != exitUsage || got.out != "" || !strings.Contains(text, c.want) || strings.Contains(text, "hunter2") {
				t.Errorf("exit %d, want %q in:\n%s%s", got.code, c.want, got.err, got.out)
			}
		})
	}
}

// Nothing of the text is shown: a body may quote the request, and the request the user.
func TestClassifyShowsNoText(t *testing.T) {
	t.Parallel()
	const hostile = "hunter2 \x1b]0;title\x07\u009b31m\u202e"
	body, err := json.Marshal(map[string]any{"error": map[string]any{"message": hostile, "type": "a\x1b[31m\u202eb"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, stdin := range []string{hostile, string(body), "HTTP/1.1 500 x\nX-Key: hunter2\n\n" + hostile} {
		for _, args := range [][]string{nil, {"--json"}} {
			got := command(t, stdin, append([]string{"classify", "--provider", "a\u202eb"}, args...)...)
			if bad := unshowable(got.out + got.err); bad != "" || strings.Contains(got.out, "hunter2") || got.code != exitOK {
				t.Errorf("exit %d; %q reaches the terminal:\n%s%s", got.code, bad, got.out, got.err)
			}
		}
	}
}

type faulty struct{}

func (faulty) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestClassifyFails(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"classify"}, {"classify", "--jsonl"}} {
		var out, complaint bytes.Buffer
		code := run(t.Context(), args, &streams{in: faulty{}, out: &out, err: &complaint})
		if code != exitFailed || out.Len() > 0 || !strings.Contains(complaint.String(), "the disk is gone") {
			t.Errorf("%v: exit %d, %s%s", args, code, complaint.String(), out.String())
		}
	}
}

// Whoever waits for somebody to type can be interrupted.
func TestClassifyInterrupted(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"classify"}, {"classify", "--jsonl"}} {
		in, typing := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var out, complaint bytes.Buffer
		if code := run(ctx, args, &streams{in: in, out: &out, err: &complaint}); code != exitFailed || out.Len() > 0 {
			t.Errorf("%v: exit %d, %s%s", args, code, complaint.String(), out.String())
		}
		_ = typing.Close()
	}
}

func TestClassifyAwaits(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"/dev/zero": true, os.DevNull: false, "classify_test.go": false} { // a device, as a terminal is
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, lines := range []bool{false, true} {
			var complaint bytes.Buffer
			await(&streams{in: file, err: &complaint}, lines)
			if got := strings.Contains(complaint.String(), "Ctrl-D ends it"); got != want {
				t.Errorf("%s: %q", name, complaint.String())
			}
		}
		_ = file.Close()
	}
	if isTerminal(strings.NewReader("")) {
		t.Error("a string is taken for a terminal")
	}
}

func TestReadLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 9)
	for input, want := range map[string][]string{
		"":                                {},
		"a":                               {"a"},
		"a\n":                             {"a"},
		"a\r\n\nb":                        {"a", "", "b"},
		long + "\n":                       {long},
		long + "y\na\n":                   {"more than 9 bytes", "a"},
		strings.Repeat(long, 9):           {"more than 9 bytes"},
		strings.Repeat(long, 9) + "\nz\n": {"more than 9 bytes", "z"},
	} {
		r := bufio.NewReaderSize(strings.NewReader(input), 16)
		got := []string{}
		for {
			line, err := readLine(r, 9)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				line = []byte(err.Error())
			}
			got = append(got, string(line))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", input, diff)
		}
	}
}

func FuzzClassify(f *testing.F) {
	for _, c := range providerFailures {
		f.Add([]byte(c.stdin))
	}
	f.Add([]byte("HTTP/1.1 200\n\nHTTP/1.1 100\n\nHTTP/1.1 429 \nA: b\n\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, c := range []classifyCommand{{}, {JSON: true}, {JSONL: true}} {
			var out, complaint strings.Builder
			err := c.Run(t.Context(), &streams{in: bytes.NewReader(input), out: &out, err: &complaint})
			if err != nil && exitCode(err) != exitUsage {
				t.Error(err)
			}
			if bad := unshowable(strings.ReplaceAll(out.String()+complaint.String(), "\ufffd", "")); bad != "" {
				t.Errorf("%q reaches the terminal", bad)
			}
			if c.JSON && err == nil && !json.Valid([]byte(out.String())) {
				t.Errorf("not JSON: %s", out.String())
			}
		}
	})
}
