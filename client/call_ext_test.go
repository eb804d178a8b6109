package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// echo answers with its input, and keeps the requests.
func echo(requests *[]*servicev1.CallToolRequest) *service {
	return &service{call: func(_ context.Context, request *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
		*requests = append(*requests, request)
		return output(request.GetInputJson()), nil
	}}
}

// TestNumbersStayExact sends and receives numbers that a float64 cannot hold.
func TestNumbersStayExact(t *testing.T) {
	t.Parallel()
	type order struct {
		ID     int64       `json:"id"`
		Amount json.Number `json:"amount"`
		Big    *big.Int    `json:"big"`
	}
	var requests []*servicev1.CallToolRequest
	c := serve(t, echo(&requests))
	const amount = "12345678901234567890.123456789012345678901234567890"
	huge, _ := new(big.Int).SetString("9007199254740993000000000000000000001", 10)
	in := order{ID: 9007199254740993, Amount: amount, Big: huge}
	result, err := client.Call[order, order](t.Context(), c, "place_order", in)
	if err != nil || result.Output.ID != in.ID || result.Output.Amount != amount || result.Output.Big.Cmp(huge) != 0 {
		t.Errorf("got %+v, %v; want %+v", result.Output, err, in)
	}
	loose, err := client.Call[order, map[string]any](t.Context(), c, "place_order", in)
	if err != nil || loose.Output["id"] != json.Number("9007199254740993") || loose.Output["amount"] != json.Number(amount) {
		t.Errorf("got %v, %v", loose.Output, err)
	}
	raw, err := c.CallJSON(t.Context(), "place_order", json.RawMessage(` {"a": 1.0, "b": "<&>"} `))
	if err != nil || string(raw.Output) != ` {"a": 1.0, "b": "<&>"} ` {
		t.Errorf("got %s, %v; want the bytes that were given", raw.Output, err)
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	var requests []*servicev1.CallToolRequest
	c := serve(t, echo(&requests))
	type text struct {
		Text string `json:"text"`
	}
	tests := []struct {
		name string
		call func() error
		want string
	}{
		{"struct", func() error { _, err := client.Call[text, any](t.Context(), c, "t", text{"<b>"}); return err }, `{"text":"<b>"}`},
		{"nil pointer", func() error { _, err := client.Call[*text, any](t.Context(), c, "t", nil); return err }, `{}`},
		{"nil map", func() error { _, err := client.Call[map[string]any, any](t.Context(), c, "t", nil); return err }, `{}`},
		{"raw", func() error {
			_, err := client.Call[json.RawMessage, any](t.Context(), c, "t", json.RawMessage(`{"n": 1.10}`))
			return err
		}, `{"n":1.10}`},
		{"no text", func() error { _, err := c.CallJSON(t.Context(), "t", nil); return err }, `{}`},
		{"null", func() error { _, err := c.CallJSON(t.Context(), "t", json.RawMessage(" null ")); return err }, `{}`},
	}
	for _, test := range tests {
		requests = nil
		if err := test.call(); err != nil || len(requests) != 1 || requests[0].GetInputJson() != test.want {
			t.Errorf("%s: %v, sent %v, want %s", test.name, err, requests, test.want)
		}
	}
	requests = nil
	if _, err := client.Call[chan int, any](t.Context(), c, "t", nil); err == nil {
		t.Error("a channel was encoded")
	}
	for _, bad := range []string{"{", "{} {}", "{\"a\":\"\xff\"}", "NaN"} {
		_, err := c.CallJSON(t.Context(), "t", json.RawMessage(bad))
		if !errors.Is(err, errs.CodeInvalidInput) {
			t.Errorf("%q: got %v", bad, err)
		}
	}
	if len(requests) != 0 {
		t.Errorf("sent %v", requests)
	}
}

func TestKeysAndRuns(t *testing.T) {
	t.Parallel()
	var requests []*servicev1.CallToolRequest
	c := serve(t, echo(&requests))
	random, made := regexp.MustCompile(`^[A-Z2-7]{26}$`), map[string]bool{}
	for range 100 {
		result, err := c.CallJSON(t.Context(), "t", nil)
		sent := requests[len(requests)-1].GetOperationKey()
		if err != nil || sent != result.OperationKey || !random.MatchString(sent) || made[sent] {
			t.Fatalf("sent the key %q, returned %q, %v", sent, result.OperationKey, err)
		}
		made[sent] = true
	}
	long := strings.Repeat("k", 64)
	result, err := c.CallJSON(t.Context(), "t", nil, client.WithOperationKey(long), client.WithRunID("run:1"))
	last := requests[len(requests)-1]
	if err != nil || last.GetOperationKey() != long || result.OperationKey != long || last.GetRunId() != "run:1" {
		t.Errorf("sent %v, returned %+v, %v", last, result, err)
	}
	result, err = c.CallJSON(t.Context(), "t", nil, client.WithReadOnly(), client.WithOperationKey("k"))
	if last = requests[len(requests)-1]; err != nil || last.GetOperationKey() != "k" || result.OperationKey != "k" {
		t.Errorf("a key given for a read was not sent: %v, %v", last, err)
	}
	result, err = c.CallJSON(t.Context(), "t", nil, client.WithoutOperationKey())
	if last = requests[len(requests)-1]; err != nil || last.GetOperationKey() != "" || result.OperationKey != "" {
		t.Errorf("a key was sent: %v, %v", last, err)
	}

	before := len(requests)
	tests := []struct {
		name    string
		tool    string
		options []client.CallOption
		path    string
	}{
		{"no tool", "", nil, "/tool"},
		{"bad tool", "a b", nil, "/tool"},
		{"long tool", strings.Repeat("t", 65), nil, "/tool"},
		{"empty key", "t", []client.CallOption{client.WithOperationKey("")}, "/operation_key"},
		{"long key", "t", []client.CallOption{client.WithOperationKey(long + "k")}, "/operation_key"},
		{"bad key", "t", []client.CallOption{client.WithOperationKey("a/b")}, "/operation_key"},
		{"a key and none", "t", []client.CallOption{client.WithOperationKey("k"), client.WithoutOperationKey()}, "/operation_key"},
		{"bad byte", "t", []client.CallOption{client.WithOperationKey("a\xffb")}, "/operation_key"},
		{"empty run", "t", []client.CallOption{client.WithRunID("")}, "/run_id"},
		{"long run", "t", []client.CallOption{client.WithRunID(strings.Repeat("r", 37))}, "/run_id"},
	}
	for _, test := range tests {
		_, err := c.CallJSON(t.Context(), test.tool, nil, test.options...)
		invalid, ok := errors.AsType[*errs.ValidationError](err)
		if !ok || len(invalid.Issues) != 1 || invalid.Issues[0].Path != test.path || status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
	if len(requests) != before {
		t.Error("a call that the client refused was sent")
	}
}

// TestErrorsTellTheKey that was made for the call, in the result and in the error.
func TestErrorsTellTheKey(t *testing.T) {
	t.Parallel()
	sent := ""
	s := &service{call: func(_ context.Context, request *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
		sent = request.GetOperationKey()
		return nil, &errs.ToolError{Code: "order_already_shipped", Message: "Shipped orders cannot be cancelled."}
	}}
	result, err := client.Call[struct{}, any](t.Context(), serve(t, s), "cancel_order", struct{}{}, client.WithRunID("run-1"))
	want := errs.Info{Tool: "cancel_order", OperationKey: sent, RunID: "run-1", Domain: errs.DomainTool}
	if got := errs.InfoOf(err); sent == "" || got != want || result.OperationKey != sent {
		t.Errorf("info %+v, want %+v; result %+v", got, want, result)
	}
	if got, want := err.Error(), "Shipped orders cannot be cancelled. [order_already_shipped; do not retry]"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var answer *servicev1.CallToolResponse
	c := serve(t, &service{call: func(context.Context, *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
		return answer, nil
	}})

	answer = output(`{"refund": 5}`)
	answer.Result.Verified, answer.Result.Replayed, answer.Result.OperationId = true, true, "op-1"
	answer.Result.FirstCompletedAt = timestamppb.New(at)
	type cancelled struct {
		Refund int `json:"refund"`
	}
	got, err := client.Call[struct{}, cancelled](t.Context(), c, "t", struct{}{}, client.WithOperationKey(key))
	want := client.Result[cancelled]{
		Output: cancelled{5}, OperationKey: key, OperationID: "op-1", FirstCompletedAt: at, Verified: true, Replayed: true,
	}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}

	answer = &servicev1.CallToolResponse{Result: &servicev1.ToolResult{Output: &servicev1.ToolResult_OutputStruct{
		OutputStruct: &structpb.Struct{Fields: map[string]*structpb.Value{"refund": structpb.NewNumberValue(7)}},
	}}}
	if got, err = client.Call[struct{}, cancelled](t.Context(), c, "t", struct{}{}); err != nil || got.Output.Refund != 7 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestOutputError is a success that must not look like a failure of the operation.
func TestOutputError(t *testing.T) {
	t.Parallel()
	var answer *servicev1.CallToolResponse
	s := &service{call: func(context.Context, *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
		return answer, nil
	}}
	c := serve(t, s, client.WithRetry(client.Retry{}))
	for _, test := range []struct{ name, text string }{
		{"another type", `{"refund": "five"}`}, {"not JSON", `{`}, {"two values", `{} {}`}, {"nothing", ``},
	} {
		answer = output(test.text)
		answer.Result.OperationId = "op-1"
		s.calls.Store(0)
		result, err := client.Call[struct{}, struct{ Refund int }](t.Context(), c, "cancel_order", struct{}{}, client.WithOperationKey(key))
		broken, ok := errors.AsType[*client.OutputError](err)
		if !ok || broken.Tool != "cancel_order" || broken.OperationKey != key || broken.OperationID != "op-1" {
			t.Fatalf("%s: got %#v", test.name, err)
		}
		if string(broken.Output) != test.text || broken.Unwrap() == nil {
			t.Errorf("%s: output %q, cause %v", test.name, broken.Output, broken.Cause)
		}
		if result.OperationKey != key || result.OperationID != "op-1" || result.Output.Refund != 0 || s.calls.Load() != 1 {
			t.Errorf("%s: result %+v after %d calls", test.name, result, s.calls.Load())
		}
	}
	answer = &servicev1.CallToolResponse{}
	_, err := c.CallJSON(t.Context(), "cancel_order", nil)
	if _, ok := errors.AsType[*client.OutputError](err); !ok || !strings.Contains(err.Error(), "cancel_order succeeded") {
		t.Errorf("no output: got %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	conn := retryingConn{}
	newFails := map[string][]client.Option{
		"credentials": {client.WithInsecure()}, "dial options": {client.WithDialOptions()}, "decode": {client.WithDecode()},
		"attempts": {client.WithRetry(client.Retry{MaxAttempts: 11})}, "fewer attempts": {client.WithRetry(client.Retry{MaxAttempts: -1})},
		"backoff": {client.WithRetry(client.Retry{InitialBackoff: -1})}, "most backoff": {client.WithRetry(client.Retry{MaxBackoff: -1})},
		"delay": {client.WithRetry(client.Retry{MaxServerDelay: -1})}, "days": {client.WithRetry(client.Retry{MaxBackoff: 25 * time.Hour})},
	}
	for name, options := range newFails {
		if c, err := client.New(conn, options...); err == nil || c != nil {
			t.Errorf("New with %s: got %v, %v", name, c, err)
		}
	}
	if _, err := client.New(nil); err == nil {
		t.Error("New took a nil connection")
	}
	dialFails := map[string][]client.Option{
		"two credentials": {client.WithInsecure(), client.WithInsecure()}, "nil credentials": {client.WithTransportCredentials(nil)},
		"retry": {client.WithRetry(client.Retry{MaxBackoff: -1})},
	}
	for name, options := range dialFails {
		if c, err := client.Dial("localhost:1", options...); err == nil || c != nil {
			t.Errorf("Dial with %s: got %v, %v", name, c, err)
		}
	}
	if c, err := client.Dial("\x00"); err == nil || c != nil {
		t.Errorf("Dial took a bad target: %v, %v", c, err)
	}
	c, err := client.New(conn, nil, client.WithLedger())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("closing what is not ours: %v", err)
	}
}
