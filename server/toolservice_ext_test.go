package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server"
)

func TestListTools(t *testing.T) {
	t.Parallel()
	var s script
	var tools []*server.AnyTool
	var want []string
	for i := range 250 {
		want = append(want, fmt.Sprintf("tool_%03d", i))
		tools = append(tools, s.tool(fmt.Sprintf("tool_%03d", 249-i)))
	}
	client, _ := serve(t, newServer(t, tools))
	for size, pages := range map[int32]int{0: 3, 1: 250, 99: 3, 125: 2, 250: 1, 1000: 1} {
		var got []string
		token := ""
		for n := 1; ; n++ {
			page, err := client.ListTools(t.Context(), &servicev1.ListToolsRequest{PageSize: size, PageToken: token})
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range page.GetTools() {
				got = append(got, tool.GetName())
				if tool.GetInputSchemaJson() != "" {
					t.Fatal("the list has schemas")
				}
			}
			if token = page.GetNextPageToken(); token == "" {
				if n != pages {
					t.Errorf("pages of %d: got %d, want %d", size, n, pages)
				}
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", size, diff)
		}
	}
	for _, test := range []struct {
		request *servicev1.ListToolsRequest
		issues  []string
	}{
		{&servicev1.ListToolsRequest{PageSize: -1}, []string{"/page_size"}},
		{&servicev1.ListToolsRequest{PageSize: 1001, PageToken: "x"}, []string{"/page_size", "/page_token"}},
		{&servicev1.ListToolsRequest{PageToken: "dG9vbA"}, []string{"/page_token"}},
		{&servicev1.ListToolsRequest{PageToken: strings.Repeat("MTph", 100)}, []string{"/page_token"}},
	} {
		_, err := client.ListTools(t.Context(), test.request)
		if got := paths(err); cmp.Diff(test.issues, got) != "" {
			t.Errorf("%v: got %v (%v)", test.request, got, err)
		}
	}
}

// paths returns where the issues of an error are.
func paths(err error) []string {
	var list []string
	for _, issue := range issues(err) {
		list = append(list, issue.Path)
	}
	return list
}

func issues(err error) []errs.Issue {
	if errs.CodeOf(err) != errs.CodeInvalidInput {
		return nil
	}
	for ; err != nil; err = unwrap(err) {
		if e, ok := err.(*errs.ValidationError); ok { //nolint:errorlint // walks by itself
			return e.Issues
		}
	}
	return nil
}

func unwrap(err error) error {
	switch u := err.(type) { //nolint:errorlint // walks by itself
	case interface{ Unwrap() error }:
		return u.Unwrap()
	case interface{ Unwrap() []error }:
		return u.Unwrap()[0]
	default:
		return nil
	}
}

func TestGetTool(t *testing.T) {
	t.Parallel()
	var s script
	s.key = func(context.Context, in) string { return "k" }
	whole := s.tool("whole", func(t *server.Tool[in, out]) {
		t.Destructive, t.Idempotent, t.Timeouts.Window = true, true, 90*time.Second
		t.Errors = []*errs.Definition{
			stale, errs.MustDefine("account_busy", errs.AsIs, errs.Headline("Busy since {since}."), errs.Doc("https://example.com/busy")),
		}
	})
	read := server.NewReadTool("read", "Reads.", func(context.Context, *server.Op, in) (out, error) { return out{}, nil },
		server.ReadErrors(stale), server.ReadSchema(`{ "type": "object", "properties": {"id": {"type": "string"}, "a": true} }`))
	var plain script
	client, _ := serve(t, newServer(t, []*server.AnyTool{whole, read, plain.tool("plain")}))
	var b strings.Builder
	for _, name := range []string{"plain", "read", "whole"} {
		response, err := client.GetTool(t.Context(), &servicev1.GetToolRequest{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		text, err := protojson.Marshal(response.GetTool())
		if err != nil {
			t.Fatal(err)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, text, "", "  "); err != nil { // protojson's own white space changes
			t.Fatal(err)
		}
		b.WriteString(indented.String() + "\n")
	}
	golden(t, "tools.json", b.String())
	_, err := client.GetTool(t.Context(), &servicev1.GetToolRequest{Name: "other"})
	if errs.CodeOf(err) != errs.CodeToolNotFound || !strings.HasPrefix(err.Error(), "There is no tool other. [tool_not_found; do not retry]") {
		t.Errorf("got %v", err)
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	var s script
	client, _ := serve(t, s.server(t))
	fields := func(id string, n float64) *servicev1.CallToolRequest_InputStruct {
		return &servicev1.CallToolRequest_InputStruct{InputStruct: &structpb.Struct{Fields: map[string]*structpb.Value{
			"id": structpb.NewStringValue(id), "n": structpb.NewNumberValue(n),
		}}}
	}
	answer := func(key string, r *servicev1.CallToolRequest) *servicev1.ToolResult {
		t.Helper()
		r.Tool, r.OperationKey = "t", key
		response, err := client.CallTool(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return response.GetResult()
	}
	if r := answer("struct", &servicev1.CallToolRequest{Input: fields("a", 7)}); r.GetOutputStruct().GetFields()["n"].GetNumberValue() != 7 {
		t.Errorf("a Struct: got %v", r)
	}
	const exactly = `{"id":"a","n":9007199254740993}`
	if r := answer("json", request("json", exactly)); r.GetOutputJson() != exactly {
		t.Errorf("JSON: got %v", r)
	}
	// The two forms of one input are the same operation.
	if r := answer("struct", request("", `{"n":7,"id":"a"}`)); !r.GetReplayed() || r.GetOutputJson() != `{"id":"a","n":7}` {
		t.Errorf("the other form: got %v", r)
	}
	// An output that a Struct would change is written as text.
	large := script{effect: func(context.Context, *server.Op, in) (out, error) { return out{N: 1<<53 + 1}, nil }}
	other, _ := serve(t, large.server(t))
	response, err := other.CallTool(t.Context(), &servicev1.CallToolRequest{Tool: "t", OperationKey: "k", Input: fields("a", 1)})
	if r := response.GetResult(); err != nil || r.GetOutputJson() != `{"id":"","n":9007199254740993}` {
		t.Errorf("a large integer: got %v, %v", r, err)
	}
	// 2^53+1 is no double: the caller meant another number than it sent.
	_, err = client.CallTool(t.Context(), &servicev1.CallToolRequest{Tool: "t", OperationKey: "k", Input: fields("a", math.Exp2(53))})
	if diff := cmp.Diff([]string{"/n"}, paths(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNoInput(t *testing.T) {
	t.Parallel()
	tool := server.NewReadTool("t", "Reads.", func(_ context.Context, op *server.Op, _ struct{}) (map[string]string, error) {
		return map[string]string{"op": fmt.Sprintf("%+v", *op)}, nil
	})
	client, _ := serve(t, newServer(t, []*server.AnyTool{tool}))
	for name, r := range map[string]*servicev1.CallToolRequest{
		"absent": {}, "empty text": request("", ""), "with a key that it has no use for": request("k", "{}"),
	} {
		r.Tool = "t"
		response, err := client.CallTool(t.Context(), r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		result := response.GetResult()
		text := result.GetOutputJson() + result.GetOutputStruct().GetFields()["op"].GetStringValue()
		if !strings.Contains(text, `{ID: Key: Attempt:0 Tool:t Principal: Tenant: Journaled:[] journal:[] crossed:false reporter:<nil>}`) {
			t.Errorf("%s: got %s", name, text)
		}
		if result.GetOperationId() != "" || result.GetFirstCompletedAt() != nil || result.GetReplayed() || result.GetVerified() {
			t.Errorf("%s: got %v", name, result)
		}
	}
}

// TestHostileInputs has inputs that no tool may see. Each error names the place and what is expected there, and no value.
func TestHostileInputs(t *testing.T) {
	t.Parallel()
	s := script{}
	open := s.tool("t", func(t *server.Tool[in, out]) {
		t.InputSchema = `{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"}}}`
	})
	client, _ := serve(t, newServer(t, []*server.AnyTool{open}))
	tests := []struct{ name, input, path, expected string }{
		{"duplicate", `{"id":"hunter2","id":"b"}`, "/id", "must be given once"},
		{"digits", `{"x":` + strings.Repeat("7", 65) + `}`, "/x", "must be a number of at most 64 digits"},
		{"exponent", `{"x":1e999999999}`, "/x", "must be a number of at most 64 digits"},
		{"deep lists", strings.Repeat("[", 10_000), strings.Repeat("/0", 64), "must be nested at most 64 levels deep"},
		{"deep objects", strings.Repeat(`{"a":`, 10_000), strings.Repeat("/a", 64), "must be nested at most 64 levels deep"},
		{"large", `{"id":"` + strings.Repeat("x", 1<<20) + `"}`, "", "must be at most 1048576 bytes of JSON"},
		{"cut off", `{"id":"hunter2`, "/id", "must be valid JSON (see byte 15)"},
		{"surrogate", `{"id":"\udead"}`, "/id", "must be valid Unicode"},
		{"a list", `["hunter2"]`, "", "must be an object"},
		{"null", `null`, "", "must be an object"},
		{"another case", `{"ID":"hunter2"}`, "/ID", "must be spelled id"},
		{"a long s", "{\"\u017f\":1,\"Id\":\"hunter2\"}", "/Id", "must be spelled id"},
		{"beyond int64", `{"n":9223372036854775808}`, "/n", "must be an integer from -9223372036854775808 to 9223372036854775807"},
	}
	for _, test := range tests {
		_, err := client.CallTool(t.Context(), request("k", test.input))
		got := issues(err)
		if len(got) != 1 || got[0].Path != test.path || got[0].Message != test.expected {
			t.Errorf("%s: got %+v (%.200v)", test.name, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: a value is in %v", test.name, err)
		}
	}
	nested := &structpb.Struct{}
	for range 1_000 {
		nested = &structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewStructValue(nested)}}
	}
	_, err := client.CallTool(t.Context(), &servicev1.CallToolRequest{
		Tool: "t", OperationKey: "k", Input: &servicev1.CallToolRequest_InputStruct{InputStruct: nested},
	})
	if got := issues(err); len(got) != 1 || got[0].Keyword != "depth" {
		t.Errorf("a deep Struct: got %+v (%.200v)", got, err)
	}
	if got := s.hooks(); got != nil {
		t.Errorf("hooks were called: %v", got)
	}
	if _, err := client.CallTool(t.Context(), request("k", `{"n":9223372036854775807,"x":1e3}`)); err != nil {
		t.Errorf("the largest: %v", err)
	}
}

// TestDefaults has hooks see the defaults of the schema, and a replay not depend on them.
func TestDefaults(t *testing.T) {
	t.Parallel()
	var s script
	tool := s.tool("t", func(t *server.Tool[in, out]) {
		t.InputSchema = `{"type":"object","properties":{"id":{"type":"string","default":"none"},"n":{"type":"integer","default":3}}}`
	})
	srv := newServer(t, []*server.AnyTool{tool})
	r, err := call(t.Context(), srv, "k", `{}`)
	if err != nil || string(r.Output) != `{"id":"none","n":3}` {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err := call(t.Context(), srv, "k", ``); err != nil || !r.Replayed {
		t.Errorf("nothing sent, and an empty object: got %+v, %v", r, err)
	}
	if _, err := call(t.Context(), srv, "k", `{"n":3}`); errs.CodeOf(err) != errs.CodeOperationConflict {
		t.Errorf("a default that is sent is another input: got %v", err)
	}
}

// TestExactNumbers has numbers that no double holds reach the hooks as they were sent.
func TestExactNumbers(t *testing.T) {
	t.Parallel()
	type numbers struct {
		I   int64       `json:"i"`
		U   uint64      `json:"u"`
		N   json.Number `json:"n"`
		Any any         `json:"any"`
	}
	tool := server.NewReadTool("t", "Reads.", func(_ context.Context, _ *server.Op, in numbers) (numbers, error) { return in, nil })
	srv := newServer(t, []*server.AnyTool{tool})
	const input = `{"i":-9223372036854775808,"u":18446744073709551615,"n":0.1000000000000000055511151231257827,"any":9007199254740993}`
	if r, err := call(t.Context(), srv, "", input); err != nil || string(r.Output) != input {
		t.Errorf("got %s, %v", r.Output, err)
	}
	r, err := call(t.Context(), srv, "", `{"i":1e2,"u":5.0,"n":1.50,"any":1E1}`)
	if err != nil || string(r.Output) != `{"i":100,"u":5,"n":1.5,"any":10}` {
		t.Errorf("integers with a point or an exponent: got %s, %v", r.Output, err)
	}
	for _, input := range []string{`{"i":1,"u":-1,"n":1,"any":1}`, `{"i":1,"u":18446744073709551616,"n":1,"any":1}`} {
		if _, err := call(t.Context(), srv, "", input); cmp.Diff([]string{"/u"}, paths(err)) != "" {
			t.Errorf("%s: got %v", input, err)
		}
	}
}
