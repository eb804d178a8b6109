package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/provider"
)

// failureLine is a failure as --jsonl reads it.
type failureLine struct {
	ID           string            `json:"id"`
	Provider     string            `json:"provider"`
	HTTPStatus   *int              `json:"http_status"`
	Headers      map[string]string `json:"headers"`
	Body         bodyText          `json:"body"`
	BodyEncoding string            `json:"body_encoding"`
	InStream     bool              `json:"in_stream"`
	Now          string            `json:"now"`
	Endpoint     string            `json:"endpoint"`
	AuthSource   string            `json:"auth_source"`
}

// bodyText is a body: the text in a string, or JSON that nobody put into one.
type bodyText string

// UnmarshalJSON takes any value.
func (b *bodyText) UnmarshalJSON(value []byte) error {
	if len(value) > 0 && value[0] != '"' {
		if *b = bodyText(value); string(value) == "null" {
			*b = ""
		}
		return nil
	}
	var text string
	err := json.Unmarshal(value, &text)
	*b = bodyText(text)
	return err //nolint:wrapcheck // the caller says what was read
}

// verdictLine is what it was found to be, as --jsonl writes it.
type verdictLine struct {
	ID                     string         `json:"id"`
	Kind                   provider.Kind  `json:"kind"`
	ProviderCode           *string        `json:"provider_code"`
	Retryable              *bool          `json:"retryable"`
	Limit                  *limitLine     `json:"limit"`
	AuthKind               *errs.AuthKind `json:"auth_kind"`
	MatchesContextExceeded bool           `json:"matches_context_exceeded"`
}

type limitLine struct {
	Kind         errs.LimitKind `json:"kind"`
	RetryAfterMS *int64         `json:"retry_after_ms"`
	Window       *string        `json:"window"`
}

// classifyLines classifies one failure a line. A bad line costs no other: lines are told apart whatever is in them, and
// what is written says by its id which one it is about.
func classifyLines(s *streams, in io.Reader) error {
	r := bufio.NewReader(in)
	complaints := term.NewPrinter(s.err, false)
	bad := 0
	for number := 1; ; number++ {
		line, err := readLine(r, maxFailure)
		if errors.Is(err, io.EOF) {
			break
		}
		var refused usageError
		if err != nil && !errors.As(err, &refused) {
			return fmt.Errorf("reading line %d: %w", number, err)
		}
		if err == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var f *failureLine
		if err == nil {
			f, err = readFailure(line)
		}
		var found *verdictLine
		if err == nil {
			found, err = f.classify()
		}
		if err != nil {
			bad++
			complaints.Bad(fmt.Sprintf("remedy: line %d: %s", number, shorten(err.Error())))
			continue
		}
		if err := term.JSONLine(s.out, found); err != nil {
			return err
		}
	}
	if bad > 0 {
		return shownError{usageError{fmt.Errorf("%s could not be read", plural(bad, "line", "lines"))}}
	}
	return nil
}

// readFailure reads a line.
func readFailure(line []byte) (*failureLine, error) {
	var f failureLine
	err := json.Unmarshal(line, &f)
	kind, isKind := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case isKind && kind.Field != "":
		return nil, fmt.Errorf("%s: expected %s, got %s", kind.Field, jsonKind(kind.Field), kind.Value)
	case isKind:
		return nil, fmt.Errorf("expected a JSON object, got %s", kind.Value)
	case err != nil:
		return nil, fmt.Errorf("expected a JSON object: %w", err)
	case f.ID == "":
		return nil, errors.New("id: is missing")
	default:
		return &f, nil
	}
}

// jsonKind says what a field of [failureLine] holds.
func jsonKind(field string) string {
	switch name, _, _ := strings.Cut(field, "."); name {
	case "http_status":
		return "a whole number or null"
	case "headers":
		return "an object of strings"
	case "in_stream":
		return "true or false"
	default:
		return "a string"
	}
}

// failure is what the line says.
func (l *failureLine) failure() (provider.Failure, error) {
	f := provider.Failure{
		Provider: l.Provider, Header: make(http.Header), Body: []byte(l.Body), InStream: l.InStream,
		Token: l.Endpoint == "oauth_token", Source: errs.AuthSource(l.AuthSource),
	}
	if l.HTTPStatus != nil {
		if f.Status = *l.HTTPStatus; f.Status < 100 || f.Status > 599 {
			return f, errors.New("http_status: expected 100 to 599, or null for none")
		}
	}
	for name, value := range l.Headers {
		f.Header.Add(name, value)
	}
	switch f.Source {
	case "", errs.AuthProvider, errs.AuthMCP, errs.AuthIntegration:
	default:
		return f, errors.New("auth_source: expected provider, mcp or integration")
	}
	if l.Now != "" {
		now, err := time.Parse(time.RFC3339, l.Now)
		if err != nil {
			return f, errors.New("now: expected a time of RFC 3339, for example 2026-01-31T12:00:00Z")
		}
		f.Now = now
	} else if date, err := http.ParseTime(f.Header.Get("Date")); err == nil {
		f.Now = date
	}
	switch encoding := l.BodyEncoding; {
	case encoding == "":
	case strings.HasPrefix(encoding, "base64"): // and what of: the bytes tell that themselves
		body, err := base64.StdEncoding.DecodeString(string(l.Body))
		if err != nil {
			return f, errors.New("body: is not base64, which body_encoding says it is")
		}
		f.Body = body
	default:
		return f, errors.New("body_encoding: expected base64, or nothing for text")
	}
	return f, nil
}

func (l *failureLine) classify() (*verdictLine, error) {
	f, err := l.failure()
	if err != nil {
		return nil, err
	}
	c := provider.Classify(f)
	out := &verdictLine{
		ID: l.ID, Kind: c.Kind, ProviderCode: orNull(c.ProviderCode), Retryable: c.Retryable,
		MatchesContextExceeded: provider.MatchesContextExceeded(string(f.Body)),
	}
	if c.Limit != nil {
		out.Limit = &limitLine{Kind: c.Limit.Kind, RetryAfterMS: milliseconds(c.Limit.RetryAfter), Window: orNull(c.Limit.Window)}
	}
	if c.Auth != nil {
		out.AuthKind = orNull(c.Auth.Kind)
	}
	return out, nil
}

// orNull is a word, or null for none.
func orNull[T ~string](word T) *T {
	if word == "" {
		return nil
	}
	return &word
}

// milliseconds rounds up, so that nobody comes too early; null for no wait.
func milliseconds(wait time.Duration) *int64 {
	if wait <= 0 {
		return nil
	}
	ms := wait.Milliseconds()
	if wait%time.Millisecond > 0 {
		ms++
	}
	return &ms
}
