package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"time"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	"github.com/remedyrpc/remedy/errs/provider"
)

// classifyCommand is remedy classify.
type classifyCommand struct {
	Provider string `help:"Name of the provider, for example anthropic." placeholder:"NAME"`

	Status *int `help:"HTTP status of the answer; that of the input by default." placeholder:"N"`

	Header []string `help:"Header of the answer, as 'Name: value'; may be repeated, and wins over the input." placeholder:"HEADER" sep:"none"`

	InStream bool `help:"The failure came in a stream that had begun well."`

	Canceled bool `help:"The caller gave the call up."`

	TokenEndpoint bool `help:"It was the endpoint of tokens that was called: a sign-in or a refresh."`

	JSON bool `help:"Write JSON, for programs."`

	JSONL bool `help:"Read one failure a line as a JSON object, and write one line for each."`
}

// Help is shown by remedy classify --help.
func (c *classifyCommand) Help() string {
	return `Reads one failure from standard input: the body that a provider answered with, as it came, or the whole response as "curl -i"
prints it, or the text of an error. At most 16 MiB are read. Nothing of the text is shown but the provider's code. Dates in
headers are counted from the Date header where there is one.

With --jsonl, a line has the fields id, provider, http_status (number or null), headers (object of strings), body (string, or
JSON), body_encoding ("base64" where the body is), in_stream, now (RFC 3339: the clock for dates, else the Date header),
endpoint ("oauth_token") and auth_source (provider, mcp or integration). All but id may be left out, and others are ignored.
What is written has the fields id, kind, provider_code, retryable, limit (kind, retry_after_ms, window), auth_kind and
matches_context_exceeded (whether the text alone says that a context was exceeded), null for what is not known. A line that
cannot be read is named on standard error, with the field that is wrong; the others are classified all the same, and the exit
code is 2.`
}

// maxFailure is how much of a failure is read, and of a line of --jsonl.
const maxFailure = 16 << 20

// Run classifies what is on standard input.
func (c *classifyCommand) Run(ctx context.Context, s *streams) error {
	if err := c.check(); err != nil {
		return err
	}
	await(s, c.JSONL)
	in, stop := interruptible(ctx, s.in)
	defer stop()
	in = withoutMark(in)
	if c.JSONL {
		return classifyLines(s, in)
	}
	input, err := io.ReadAll(io.LimitReader(in, maxFailure+1))
	if err != nil {
		return fmt.Errorf("reading the failure: %w", err)
	}
	if len(input) > maxFailure {
		return usageError{fmt.Errorf("standard input: more than %d bytes", maxFailure)}
	}
	f, err := c.failure(input)
	if err != nil {
		return err
	}
	v := verdictOf(&f)
	if c.JSON {
		return term.JSON(s.out, v)
	}
	p := s.printer()
	v.text(p)
	return p.Err()
}

// check refuses flags that say nothing, or contradict each other.
func (c *classifyCommand) check() error {
	if c.JSONL && (c.Provider != "" || c.Status != nil || c.Header != nil || c.InStream || c.Canceled || c.TokenEndpoint || c.JSON) {
		return usageError{errors.New("--jsonl: each line says everything of its failure; leave the other flags out")}
	}
	if c.Status != nil && (*c.Status < 100 || *c.Status > 999) {
		return usageError{errors.New("--status: expected an HTTP status, for example 429")}
	}
	return nil
}

// failure is what the input and the flags say.
func (c *classifyCommand) failure(input []byte) (provider.Failure, error) {
	f := provider.Failure{Provider: c.Provider, Canceled: c.Canceled, Token: c.TokenEndpoint, Now: time.Now()}
	var err error
	if f.Status, f.Header, f.Body, err = readAnswer(input); err != nil {
		return f, usageError{err}
	}
	if c.Status != nil {
		f.Status = *c.Status
	}
	given, err := headers(c.Header)
	if err != nil {
		return f, usageError{err}
	}
	maps.Copy(f.Header, given)
	if date, err := http.ParseTime(f.Header.Get("Date")); err == nil {
		f.Now = date
	}
	media, _, _ := mime.ParseMediaType(f.Header.Get("Content-Type"))
	f.InStream = c.InStream || media == "text/event-stream" && f.Status < http.StatusBadRequest
	if len(bytes.TrimSpace(f.Body)) == 0 && f.Status == 0 && len(f.Header) == 0 && !f.Canceled {
		return f, usageError{errors.New("expected a failure on standard input, got nothing: give the body that the provider answered with, " +
			"what curl -i prints, or say what is known by --status, --header or --canceled")}
	}
	return f, nil
}
