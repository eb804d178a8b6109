package openaierr_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/auth"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/errstest"
	"github.com/remedyrpc/remedy/errs/provider"
	"github.com/remedyrpc/remedy/errs/provider/internal/sdktest"
	"github.com/remedyrpc/remedy/errs/provider/openaierr"
)

// key is the key of the calls, which must turn up nowhere.
const key = "sk-hunter2"

const begun = `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}` + "\n\n"

var params = openai.ChatCompletionNewParams{
	Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
}

func call(ctx context.Context, addr string, stream bool, options ...option.RequestOption) error {
	client := openai.NewClient(append([]option.RequestOption{
		option.WithBaseURL(addr), option.WithAPIKey(key), option.WithMaxRetries(0),
	}, options...)...)
	if !stream {
		_, err := client.Chat.Completions.New(ctx, params)
		return err
	}
	chunks := client.Chat.Completions.NewStreaming(ctx, params)
	defer func() { _ = chunks.Close() }()
	for chunks.Next() {
	}
	return chunks.Err()
}

func failure(kind, code, message string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":null,"code":%q}}`, message, kind, code)
}

// TestAnswers has everything an answer says arrive, whole: what it means is for package provider.
func TestAnswers(t *testing.T) {
	t.Parallel()
	tokens := failure("tokens", "rate_limit_exceeded", "Rate limit reached for m on tokens per min (TPM): Limit 3000, Used 2900.")
	quota := failure("insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan.")
	for name, c := range map[string]struct {
		serve  http.HandlerFunc
		stream bool
		status int
		body   string
		want   error
	}{
		"rate limit": {
			serve:  sdktest.Answer(http.StatusTooManyRequests, tokens, "Retry-After-Ms", "1500", "Retry-After", "2"),
			status: http.StatusTooManyRequests, body: tokens,
			want: &errs.ProviderError{
				Provider: "openai", ProviderCode: "rate_limit_exceeded", Retryable: new(true),
				Limit: &errs.ProviderLimit{Kind: errs.LimitRate, RetryAfter: 1500 * time.Millisecond, Window: "tokens_per_minute"},
			},
		},
		"quota": {
			serve:  sdktest.Answer(http.StatusTooManyRequests, quota),
			status: http.StatusTooManyRequests, body: quota,
			want: &errs.ProviderError{
				Provider: "openai", ProviderCode: "insufficient_quota", Retryable: new(false),
				Limit: &errs.ProviderLimit{Kind: errs.LimitQuota},
			},
		},
		"overflow, in a stream that never began": {
			serve: sdktest.Answer(http.StatusBadRequest,
				failure("invalid_request_error", "context_length_exceeded", "Your input exceeds the context window of this model.")), stream: true,
			status: http.StatusBadRequest,
			body:   failure("invalid_request_error", "context_length_exceeded", "Your input exceeds the context window of this model."),
			want:   &errs.ContextExceededError{Provider: "openai", ProviderCode: "context_length_exceeded"},
		},
		"wrong key": {
			serve:  sdktest.Answer(http.StatusUnauthorized, failure("invalid_request_error", "invalid_api_key", "Incorrect API key provided.")),
			status: http.StatusUnauthorized, body: failure("invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
			want: &errs.AuthError{Auth: errs.AuthFailure{Kind: errs.AuthRejected, Source: errs.AuthProvider, Provider: "openai"}},
		},
		"overload": {
			serve:  sdktest.Answer(529, failure("overloaded_error", "", "The model is overloaded.")),
			status: 529, body: failure("overloaded_error", "", "The model is overloaded."),
			want: &errs.ProviderError{
				Provider: "openai", ProviderCode: "overloaded_error", Retryable: new(true),
				Limit: &errs.ProviderLimit{Kind: errs.LimitOverload},
			},
		},
		"a body without the member that the SDK keeps": {
			serve:  sdktest.Answer(http.StatusUnprocessableEntity, `{"detail":"model is required"}`),
			status: http.StatusUnprocessableEntity, body: `{"detail":"model is required"}`,
		},
		"an array": {
			serve:  sdktest.Answer(http.StatusBadRequest, `[{"error":{"code":400,"message":"no"}}]`),
			status: http.StatusBadRequest, body: `[{"error":{"code":400,"message":"no"}}]`,
		},
		"HTML of a proxy": {
			serve:  sdktest.Answer(http.StatusBadGateway, "<html>Bad gateway</html>", "Content-Type", "text/html"),
			status: http.StatusBadGateway, body: "<html>Bad gateway</html>",
			want: &errs.ProviderError{Provider: "openai", Retryable: new(true)},
		},
		"no body": {
			serve:  sdktest.Answer(http.StatusRequestEntityTooLarge, ""),
			status: http.StatusRequestEntityTooLarge,
			want:   &errs.ProviderError{Provider: "openai", Retryable: new(false)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := call(t.Context(), sdktest.Serve(t, c.serve), c.stream)
			for range 2 { // the body is put back
				f, ok := openaierr.FailureOf(t.Context(), fmt.Errorf("asking the model: %w", err))
				if !ok || f.Err != nil || f.Canceled || f.InStream || f.Header.Get("Date") == "" || f.Provider != "openai" {
					t.Errorf("%v: got %t, %+v", err, ok, f)
				}
				if f.Status != c.status || string(f.Body) != c.body {
					t.Errorf("got %d, %q", f.Status, f.Body)
				}
			}
			typed := check(t, err)
			if e, ok := errors.AsType[*openai.Error](typed); !ok || !strings.HasSuffix(string(e.DumpResponse(true)), c.body) {
				t.Errorf("the SDK's error is gone, or its response: %v", typed)
			}
			if c.want != nil && !errs.Equal(typed, c.want) {
				t.Errorf("got %+v, want %+v", typed, c.want)
			}
		})
	}
}

// check makes a typed error of err and has it travel without the key.
func check(t *testing.T, err error, options ...openaierr.Option) error {
	t.Helper()
	typed := openaierr.ToTypedError(t.Context(), err, options...)
	errstest.Check(t, typed)
	if text := fmt.Sprint(errs.ToStatus(typed).Proto(), typed); strings.Contains(text, "hunter2") {
		t.Errorf("the key travels: %s", text)
	}
	return typed
}

// TestInStream reads the event that a stream ended with, as it came.
func TestInStream(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		event string
		want  error
	}{
		"an object": {failure("server_error", "server_error", "The server had an error"), &errs.ProviderError{
			Provider: "openai", ProviderCode: "server_error", Retryable: new(true),
		}},
		"an object beside choices": {`{"id":"c","choices":[],"error":{"message":"Provider returned error","code":502}}`, nil},
		"text":                     {`{"error":"boom"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := call(t.Context(), sdktest.Serve(t, sdktest.Stream(begun+"data: "+c.event+"\n\n")), true)
			f, ok := openaierr.FailureOf(t.Context(), err)
			want := provider.Failure{Provider: "openai", Status: http.StatusOK, Body: []byte(c.event), InStream: true}
			if diff := cmp.Diff(want, f); !ok || diff != "" {
				t.Errorf("got %t (-want +got):\n%s", ok, diff)
			}
			typed := check(t, err)
			if _, ok := errors.AsType[*ssestream.StreamError](typed); !ok {
				t.Errorf("the SDK's error is gone: %v", typed)
			}
			if c.want != nil && !errs.Equal(typed, c.want) {
				t.Errorf("got %+v, want %+v", typed, c.want)
			}
		})
	}
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
		"cut answer":  {serve: sdktest.Cut(`{"id":`), want: new(true)},
		"nobody home": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := sdktest.Nobody(t)
			if c.serve != nil {
				addr = sdktest.Serve(t, c.serve)
			}
			err := call(t.Context(), addr, c.stream, option.WithQuery("key", key))
			f, ok := openaierr.FailureOf(t.Context(), err)
			if !ok || f.Err == nil || f.Status != 0 || f.Body != nil || f.Canceled || f.InStream {
				t.Fatalf("%v: got %t, %+v", err, ok, f)
			}
			if text := f.Err.Error(); strings.Contains(text, "hunter2") || strings.Contains(text, "/chat/completions") {
				t.Errorf("the address is in it: %s", text)
			}
			typed := check(t, err)
			if want := (&errs.ProviderError{Provider: "openai", Retryable: c.want}); !errs.Equal(typed, want) {
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
		f, ok := openaierr.FailureOf(ctx, err)
		if !ok || !f.Canceled {
			t.Errorf("%v: got %t, %+v", err, ok, f)
		}
		typed := openaierr.ToTypedError(ctx, err)
		if _, ok := errors.AsType[*errs.AbortedError](typed); !ok || !errors.Is(typed, context.Canceled) {
			t.Errorf("got %T, %v", typed, typed)
		}
		if f, ok := openaierr.FailureOf(t.Context(), err); !ok || f.Canceled {
			t.Errorf("another context: got %t, %+v", ok, f)
		}
	}
}

// TestCanceledAfterwards has an answer stand, for whoever cancels before the error is looked at.
func TestCanceledAfterwards(t *testing.T) {
	t.Parallel()
	for _, serve := range []http.HandlerFunc{
		sdktest.Answer(http.StatusBadRequest, failure("", "context_length_exceeded", "")),
		sdktest.Stream("data: " + failure("", "context_length_exceeded", "") + "\n\n"),
	} {
		ctx, cancel := context.WithCancel(t.Context())
		err := call(ctx, sdktest.Serve(t, serve), true)
		cancel()
		if f, ok := openaierr.FailureOf(ctx, err); !ok || f.Canceled || f.Status == 0 {
			t.Errorf("%v: got %t, %+v", err, ok, f)
		}
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
		f, ok := openaierr.FailureOf(c.ctx, err)
		if !ok || f.Canceled || f.Err == nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v: got %t, %+v", name, err, ok, f)
		}
		typed := openaierr.ToTypedError(c.ctx, err)
		if want := (&errs.ProviderError{Provider: "openai", Retryable: c.want}); !errs.Equal(typed, want) {
			t.Errorf("%s: %v: got %+v, want %+v", name, err, typed, want)
		}
		if !errors.Is(typed, context.DeadlineExceeded) {
			t.Errorf("%s: the cause is gone: %v", name, typed)
		}
	}
}

// TestWithResponse reads the response where the SDK's error is one of its JSON decoder.
func TestWithResponse(t *testing.T) {
	t.Parallel()
	const text = `{"error":"prompt is too long: 210000 tokens > 200000 maximum"}`
	var response *http.Response
	err := call(t.Context(), sdktest.Serve(t, sdktest.Answer(http.StatusBadRequest, text)), false, option.WithResponseInto(&response))
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); !ok {
		t.Fatalf("the SDK made an error of it: %T, %v", err, err)
	}
	f, ok := openaierr.FailureOf(t.Context(), err, openaierr.WithResponse(response))
	if !ok || f.Err != nil || f.Status != http.StatusBadRequest || string(f.Body) != text || f.Header.Get("Date") == "" {
		t.Errorf("got %t, %+v", ok, f)
	}
	typed := check(t, err, openaierr.WithResponse(response))
	if want := (&errs.ContextExceededError{Provider: "openai"}); !errs.Equal(typed, want) {
		t.Errorf("got %+v, want %+v", typed, want)
	}
	if left, err := io.ReadAll(response.Body); err != nil || string(left) != text {
		t.Errorf("left to read: %q, %v", left, err)
	}
	// It is no answer: nil, well, or cut off.
	cut := &http.Response{StatusCode: http.StatusBadGateway, Body: io.NopCloser(io.MultiReader(strings.NewReader("{"), broken{}))}
	for _, response := range []*http.Response{nil, {StatusCode: http.StatusOK}, cut, {StatusCode: http.StatusBadGateway}} {
		if f, ok := openaierr.FailureOf(t.Context(), err, openaierr.WithResponse(response)); !ok || f.Err == nil || f.Body != nil {
			t.Errorf("%+v: got %t, %+v", response, ok, f)
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestErrorWithoutResponse reads an error that somebody else read the response of.
func TestErrorWithoutResponse(t *testing.T) {
	t.Parallel()
	var e openai.Error
	if err := e.UnmarshalJSON([]byte(`{"code":"context_length_exceeded","message":"too long"}`)); err != nil {
		t.Fatal(err)
	}
	e.StatusCode = http.StatusBadRequest
	want := provider.Failure{
		Provider: "openai", Status: http.StatusBadRequest, Body: []byte(`{"error":{"code":"context_length_exceeded","message":"too long"}}`),
	}
	for _, response := range []*http.Response{nil, {}, {Body: http.NoBody}} {
		e.Response = response
		if got, ok := openaierr.FailureOf(t.Context(), &e); !ok || cmp.Diff(want, got) != "" {
			t.Errorf("got %t (-want +got):\n%s", ok, cmp.Diff(want, got))
		}
	}
	if err := e.UnmarshalJSON([]byte(`{"message":"cut`)); err != nil { // the SDK keeps it
		t.Fatal(err)
	}
	if got, ok := openaierr.FailureOf(t.Context(), &e); !ok || got.Body != nil || got.Status != http.StatusBadRequest {
		t.Errorf("cut: got %t, %+v", ok, got)
	}
}

// TestTokenEndpoint reads the error of a workload's token, which the SDK has a type of its own for.
func TestTokenEndpoint(t *testing.T) {
	t.Parallel()
	got, ok := openaierr.FailureOf(t.Context(), &auth.OAuthError{StatusCode: http.StatusBadRequest, ErrorCode: "invalid_grant"})
	want := provider.Failure{Provider: "openai", Status: http.StatusBadRequest, Body: []byte(`{"error":"invalid_grant"}`), Token: true}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("got %t (-want +got):\n%s", ok, diff)
	}
}

func TestNothingToClassify(t *testing.T) {
	t.Parallel()
	typed := fmt.Errorf("running a tool: %w", &errs.BudgetExceededError{Limit: errs.BudgetTokens})
	for _, err := range []error{nil, typed} {
		if f, ok := openaierr.FailureOf(t.Context(), err); ok {
			t.Errorf("%v: got %+v", err, f)
		}
		if got := openaierr.ToTypedError(t.Context(), err); got != err { //nolint:errorlint // this very error
			t.Errorf("got %v, want %v", got, err)
		}
	}
}

func TestWithProvider(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"groq": "groq", "": "openai"} {
		f, ok := openaierr.FailureOf(t.Context(), errors.New("any"), nil, openaierr.WithProvider(name))
		if !ok || f.Provider != want {
			t.Errorf("%q: got %t, %q", name, ok, f.Provider)
		}
	}
}

// TestHostileErrors holds that a nil pointer of the SDK, a context that is nil and a chain without end are classified, too.
func TestHostileErrors(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"nil pointer": (*openai.Error)(nil), "empty": new(openai.Error), "endless": endless{}} {
		var none context.Context
		if got := openaierr.ToTypedError(none, err); !errors.Is(got, errs.CodeProviderError) {
			t.Errorf("%s: got %T", name, got)
		}
	}
}

// endless unwraps to itself.
type endless struct{}

func (e endless) Error() string { return "endless" }
func (e endless) Unwrap() error { return e }
