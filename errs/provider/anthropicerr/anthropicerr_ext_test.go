package anthropicerr_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/config"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/google/go-cmp/cmp"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/errstest"
	"github.com/remedyrpc/remedy/errs/provider"
	"github.com/remedyrpc/remedy/errs/provider/anthropicerr"
	"github.com/remedyrpc/remedy/errs/provider/internal/sdktest"
)

// key is the key of the calls, which must turn up nowhere.
const key = "sk-ant-hunter2"

const begun = "event: message_start\n" +
	`data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"m"}}` + "\n\n"

var params = anthropic.MessageNewParams{
	MaxTokens: 16, Model: "m",
	Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))},
}

func call(ctx context.Context, addr string, stream bool, options ...option.RequestOption) error {
	client := anthropic.NewClient(append([]option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithBaseURL(addr), option.WithAPIKey(key), option.WithMaxRetries(0),
	}, options...)...)
	if !stream {
		_, err := client.Messages.New(ctx, params)
		return err
	}
	events := client.Messages.NewStreaming(ctx, params)
	defer func() { _ = events.Close() }()
	for events.Next() {
	}
	return events.Err()
}

func failure(code, message string) string {
	return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_1"}`, code, message)
}

// TestAnswers has everything an answer says arrive, whole: what it means is for package provider.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		serve    http.HandlerFunc
		stream   bool
		status   int
		body     string
		inStream bool
		want     error
	}{
		"rate limit": {
			serve:  sdktest.Answer(http.StatusTooManyRequests, failure("rate_limit_error", "You exceeded your rate limit"), "Retry-After", "7"),
			status: http.StatusTooManyRequests, body: failure("rate_limit_error", "You exceeded your rate limit"),
			want: &errs.ProviderError{
				Provider: "anthropic", ProviderCode: "rate_limit_error", Retryable: new(true),
				Limit: &errs.ProviderLimit{Kind: errs.LimitRate, RetryAfter: 7 * time.Second},
			},
		},
		"overflow": {
			serve:  sdktest.Answer(http.StatusBadRequest, failure("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
			status: http.StatusBadRequest, body: failure("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
			want: &errs.ContextExceededError{Provider: "anthropic", ProviderCode: "invalid_request_error"},
		},
		"wrong key, in a stream that never began": {
			serve: sdktest.Answer(http.StatusUnauthorized, failure("authentication_error", "invalid x-api-key")), stream: true,
			status: http.StatusUnauthorized, body: failure("authentication_error", "invalid x-api-key"),
			want: &errs.AuthError{Auth: errs.AuthFailure{Kind: errs.AuthRejected, Source: errs.AuthProvider, Provider: "anthropic"}},
		},
		"overload": {
			serve:  sdktest.Answer(529, failure("overloaded_error", "Overloaded")),
			status: 529, body: failure("overloaded_error", "Overloaded"),
			want: &errs.ProviderError{
				Provider: "anthropic", ProviderCode: "overloaded_error", Retryable: new(true),
				Limit: &errs.ProviderLimit{Kind: errs.LimitOverload},
			},
		},
		"overload in a stream": {
			serve: sdktest.Stream(begun + "event: error\ndata: " + failure("overloaded_error", "Overloaded") + "\n\n"), stream: true,
			status: http.StatusOK, body: failure("overloaded_error", "Overloaded"), inStream: true,
			want: &errs.ProviderError{
				Provider: "anthropic", ProviderCode: "overloaded_error", Retryable: new(true),
				Limit: &errs.ProviderLimit{Kind: errs.LimitOverload},
			},
		},
		"no JSON in a stream": {
			serve:  sdktest.Stream(begun + "event: error\ndata: upstream is gone\n\n"),
			stream: true, status: http.StatusOK, body: "upstream is gone", inStream: true,
		},
		"HTML of a proxy": {
			serve:  sdktest.Answer(http.StatusBadGateway, "<html>Bad gateway</html>", "Content-Type", "text/html"),
			status: http.StatusBadGateway, body: "<html>Bad gateway</html>",
			want: &errs.ProviderError{Provider: "anthropic", Retryable: new(true)},
		},
		"no body": {
			serve:  sdktest.Answer(http.StatusRequestEntityTooLarge, ""),
			status: http.StatusRequestEntityTooLarge,
			want:   &errs.ProviderError{Provider: "anthropic", Retryable: new(false)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := call(t.Context(), sdktest.Serve(t, c.serve), c.stream)
			f, ok := anthropicerr.FailureOf(t.Context(), fmt.Errorf("asking the model: %w", err))
			if !ok || f.Err != nil || f.Canceled || f.Header.Get("Date") == "" || f.Provider != "anthropic" {
				t.Errorf("%v: got %t, %+v", err, ok, f)
			}
			if f.Status != c.status || string(f.Body) != c.body || f.InStream != c.inStream {
				t.Errorf("got %d, %q, in a stream %t", f.Status, f.Body, f.InStream)
			}
			typed := check(t, err)
			if e, ok := errors.AsType[*anthropic.Error](typed); !ok || e.StatusCode != c.status {
				t.Errorf("the SDK's error is gone: %v", typed)
			}
			if c.want != nil && !errs.Equal(typed, c.want) {
				t.Errorf("got %+v, want %+v", typed, c.want)
			}
		})
	}
}

// check makes a typed error of err and has it travel without the key.
func check(t *testing.T, err error) error {
	t.Helper()
	typed := anthropicerr.ToTypedError(t.Context(), err)
	errstest.Check(t, typed)
	if text := fmt.Sprint(errs.ToStatus(typed).Proto(), typed); strings.Contains(text, "hunter2") {
		t.Errorf("the key travels: %s", text)
	}
	return typed
}

// TestTransport has what is no answer arrive as the error of the transport, without the address.
func TestTransport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		serve  http.HandlerFunc // nil for nobody
		stream bool
		want   *bool
	}{
		"reset":       {serve: sdktest.Reset, want: new(true)},
		"cut stream":  {serve: sdktest.Cut(begun), stream: true, want: new(true)},
		"cut answer":  {serve: sdktest.Cut(`{"type":`), want: new(true)},
		"nobody home": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := sdktest.Nobody(t)
			if c.serve != nil {
				addr = sdktest.Serve(t, c.serve)
			}
			err := call(t.Context(), addr, c.stream, option.WithQuery("key", key))
			f, ok := anthropicerr.FailureOf(t.Context(), err)
			if !ok || f.Err == nil || f.Status != 0 || f.Body != nil || f.Canceled || f.InStream {
				t.Fatalf("%v: got %t, %+v", err, ok, f)
			}
			if text := f.Err.Error(); strings.Contains(text, "hunter2") || strings.Contains(text, "/v1/messages") {
				t.Errorf("the address is in it: %s", text)
			}
			typed := check(t, err)
			if want := (&errs.ProviderError{Provider: "anthropic", Retryable: c.want}); !errs.Equal(typed, want) {
				t.Errorf("%v: got %+v, want %+v", err, typed, want)
			}
			if !errors.Is(typed, err) {
				t.Errorf("the cause is gone: %v", typed)
			}
		})
	}
}

// TestCanceled has only the context of the caller say that the call was given up.
func TestCanceled(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		err := call(ctx, sdktest.Serve(t, sdktest.Hang(cancel)), stream)
		f, ok := anthropicerr.FailureOf(ctx, err)
		if !ok || !f.Canceled {
			t.Errorf("%v: got %t, %+v", err, ok, f)
		}
		typed := anthropicerr.ToTypedError(ctx, err)
		if _, ok := errors.AsType[*errs.AbortedError](typed); !ok || !errors.Is(typed, context.Canceled) {
			t.Errorf("got %T, %v", typed, typed)
		}
		if f, ok := anthropicerr.FailureOf(t.Context(), err); !ok || f.Canceled {
			t.Errorf("another context: got %t, %+v", ok, f)
		}
	}
}

// TestCanceledAfterwards has an answer stand, for whoever cancels before the error is looked at.
func TestCanceledAfterwards(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	err := call(ctx, sdktest.Serve(t, sdktest.Answer(529, failure("overloaded_error", "Overloaded"))), false)
	cancel()
	if f, ok := anthropicerr.FailureOf(ctx, err); !ok || f.Canceled || f.Status != 529 {
		t.Errorf("%v: got %t, %+v", err, ok, f)
	}
}

// TestDeadlines tells the time of the caller from that of one attempt.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	addr := sdktest.Serve(t, sdktest.Hang(func() {}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		options []option.RequestOption
		want    *bool
	}{
		"of the caller": {ctx: ctx},
		"of an attempt": {ctx: t.Context(), options: []option.RequestOption{option.WithRequestTimeout(time.Millisecond)}, want: new(true)},
		"of the HTTP client": {
			ctx: t.Context(), options: []option.RequestOption{option.WithHTTPClient(&http.Client{Timeout: time.Millisecond})}, want: new(true),
		},
	} {
		err := call(c.ctx, addr, false, c.options...)
		f, ok := anthropicerr.FailureOf(c.ctx, err)
		if !ok || f.Canceled || f.Err == nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v: got %t, %+v", name, err, ok, f)
		}
		typed := anthropicerr.ToTypedError(c.ctx, err)
		if want := (&errs.ProviderError{Provider: "anthropic", Retryable: c.want}); !errs.Equal(typed, want) {
			t.Errorf("%s: %v: got %+v, want %+v", name, err, typed, want)
		}
		if !errors.Is(typed, context.DeadlineExceeded) {
			t.Errorf("%s: the cause is gone: %v", name, typed)
		}
	}
}

// TestTokenEndpoint reads the error of a token that the SDK did not get, for the call or for the program itself.
func TestTokenEndpoint(t *testing.T) {
	t.Parallel()
	identity := func(context.Context) (string, error) { return "hunter2", nil }
	for _, c := range []struct {
		status int
		body   string
		want   errs.AuthKind
	}{
		{http.StatusBadRequest, `{"error":"invalid_grant","error_description":"The grant was revoked."}`, errs.AuthRevoked},
		{http.StatusTooManyRequests, `{"error":"slow_down"}`, errs.AuthBusy},
	} {
		client := anthropic.NewClient(option.WithoutEnvironmentDefaults(), option.WithMaxRetries(0),
			option.WithBaseURL(sdktest.Serve(t, sdktest.Answer(c.status, c.body))),
			option.WithFederationTokenProvider(identity, option.FederationOptions{FederationRuleID: "fdrl_1", OrganizationID: "o"}))
		_, err := client.Messages.New(t.Context(), params)
		f, ok := anthropicerr.FailureOf(t.Context(), err)
		if !ok || !f.Token || f.Status != c.status || f.Err == nil {
			t.Errorf("%v: got %t, %+v", err, ok, f)
		}
		if e, ok := errors.AsType[*errs.AuthError](check(t, err)); !ok || e.Auth.Kind != c.want {
			t.Errorf("%v: got %+v, want %s", err, e, c.want)
		}

		exchange := &config.FederationExchangeError{StatusCode: c.status, Body: c.body}
		got, ok := anthropicerr.FailureOf(t.Context(), exchange)
		want := provider.Failure{Provider: "anthropic", Status: c.status, Body: []byte(c.body), Token: true}
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("got %t (-want +got):\n%s", ok, diff)
		}
	}
}

func TestNothingToClassify(t *testing.T) {
	t.Parallel()
	typed := fmt.Errorf("running a tool: %w", &errs.BudgetExceededError{Limit: errs.BudgetTokens})
	for _, err := range []error{nil, typed} {
		if f, ok := anthropicerr.FailureOf(t.Context(), err); ok {
			t.Errorf("%v: got %+v", err, f)
		}
		if got := anthropicerr.ToTypedError(t.Context(), err); got != err { //nolint:errorlint // this very error
			t.Errorf("got %v, want %v", got, err)
		}
	}
}

func TestWithProvider(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"aws-bedrock": "aws-bedrock", "": "anthropic"} {
		f, ok := anthropicerr.FailureOf(t.Context(), errors.New("any"), nil, anthropicerr.WithProvider(name))
		if !ok || f.Provider != want {
			t.Errorf("%q: got %t, %q", name, ok, f.Provider)
		}
	}
}

// TestHostileErrors holds that a nil pointer of the SDK, a context that is nil and a chain without end are classified, too.
func TestHostileErrors(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"nil pointer": (*anthropic.Error)(nil), "empty": new(anthropic.Error), "endless": endless{}} {
		var none context.Context
		if got := anthropicerr.ToTypedError(none, err); !errors.Is(got, errs.CodeProviderError) {
			t.Errorf("%s: got %T", name, got)
		}
	}
}

// endless unwraps to itself.
type endless struct{}

func (e endless) Error() string { return "endless" }
func (e endless) Unwrap() error { return e }
