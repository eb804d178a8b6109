package server_test

import (
	"testing"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
)

// FuzzInput has any text as an input: it is run, or refused with every place named.
func FuzzInput(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a"}`, `{"id":"a","n":1e2}`, `{"ID":1}`, `{"id":null,"list":[1,{"a":2}],"when":"x","x":{"y":1}}`, `[[[[`, `{"id":"\ud800"}`,
		`{"id":"a","id":"b"}`, `{"id":"a","n":9223372036854775808}`, `null`, ``, `{"list":["a","a"]}`, `{"x":{"much":1}}`,
	} {
		f.Add(seed)
	}
	s := script{}
	tool := s.tool("t", func(t *server.Tool[in, out]) {
		t.InputSchema = `{"type":"object","required":["id"],"properties":{"id":{"type":"string","pattern":"^[a-z]*$","maxLength":9},
			"n":{"type":"integer","multipleOf":1},"list":{"type":"array","uniqueItems":true,"items":{"type":["string","null"]}},
			"when":{"format":"date-time"},
			"x":{"propertyNames":{"maxLength":2},"anyOf":[{"required":["a"]},{"type":"object","not":{"minProperties":3}}]}},
			"unevaluatedProperties":{"type":"number","exclusiveMinimum":0}}`
	})
	srv := newServer(f, []*server.AnyTool{tool})
	f.Fuzz(func(t *testing.T, input string) {
		_, err := call(t.Context(), srv, "k", input)
		s.hooks() // forgets them
		switch errs.CodeOf(err) {
		case "", errs.CodeOperationConflict:
			if err != nil && errs.CodeOf(err) == "" {
				t.Fatalf("not typed: %v", err)
			}
		case errs.CodeInvalidInput:
			found := issues(err)
			if len(found) == 0 {
				t.Fatalf("no issue in %v", err)
			}
			for _, issue := range found {
				if issue.Message == "" || issue.Keyword == "" || len([]rune(issue.Message)) > 160 {
					t.Fatalf("got %+v", issue)
				}
			}
		default:
			t.Fatalf("got %v", err)
		}
	})
}
