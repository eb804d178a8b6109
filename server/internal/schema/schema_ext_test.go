package schema_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server/internal/exact"
	"github.com/remedyrpc/remedy/server/internal/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

func compile(tb testing.TB, text string) *schema.Schema {
	tb.Helper()
	s, err := schema.Compile(text)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return s
}

func parse(tb testing.TB, text string) any {
	tb.Helper()
	v, fault := exact.Parse(text)
	if fault != nil {
		tb.Fatalf("%s: %v", text, fault)
	}
	return v
}

// keywords is one case for every keyword that can fail: its schema for the property p, and an input that fails.
var keywords = []struct{ schema, input string }{
	{`{"type":"string"}`, `1`},
	{`{"type":["null","integer","string"]}`, `[]`},
	{`{"enum":["customer_request","duplicate"]}`, `"secret"`},
	{`{"enum":[1,null,{"a":[true]}]}`, `"secret"`},
	{`{"enum":["` + strings.Repeat("long", 30) + `","` + strings.Repeat("longer", 30) + `","c","d"]}`, `"secret"`},
	{`{"const":"EUR"}`, `"secret"`},
	{`{"const":{"a":1.50}}`, `"secret"`},
	{`{"minLength":3}`, `"s"`},
	{`{"maxLength":1}`, `"secret"`},
	{`{"pattern":"^a+$"}`, `"secret"`},
	{`{"pattern":"^[A-Z_]{3,8}$"}`, `"secret"`},
	{`{"pattern":"^[A-Z]+$"}`, `"secret"`},
	{`{"pattern":"^[0-9]{4}$"}`, `"secret"`},
	{`{"pattern":"^[a-f]{2,}$"}`, `"secret"`},
	{`{"pattern":"^[x]*$"}`, `"secret"`},
	{`{"pattern":"^(ord|inv)_[0-9]+$"}`, `"secret"`},
	{`{"format":"date-time"}`, `"secret"`},
	{`{"format":"email"}`, `"secret"`},
	{`{"format":"uuid"}`, `"secret"`},
	{`{"minimum":0.5}`, `0.25`},
	{`{"maximum":100000000000000000000}`, `100000000000000000001`},
	{`{"exclusiveMinimum":0}`, `0`},
	{`{"exclusiveMaximum":-1.50}`, `-1.5`},
	{`{"multipleOf":0.01}`, `0.001`},
	{`{"minItems":1}`, `[]`},
	{`{"maxItems":2}`, `[1,2,3]`},
	{`{"uniqueItems":true}`, `[1,2,1.0]`},
	{`{"items":{"type":"string"}}`, `["a",1,"b",2,1,1,1,1,1,1,1]`},
	{`{"prefixItems":[{"type":"string"}],"items":false}`, `[1,"secret"]`},
	{`{"contains":{"type":"string"}}`, `[1]`},
	{`{"contains":{"minimum":1}}`, `[0]`},
	{`{"contains":{"const":1},"minContains":2}`, `[1]`},
	{`{"contains":{"const":1},"maxContains":1}`, `[1,1]`},
	{`{"unevaluatedItems":false,"prefixItems":[true]}`, `[1,"secret"]`},
	{`{"minProperties":1}`, `{}`},
	{`{"maxProperties":1}`, `{"secret1":1,"secret2":2}`},
	{`{"required":["b","a"]}`, `{}`},
	{`{"dependentRequired":{"a":["b"]}}`, `{"a":"secret"}`},
	{`{"dependentSchemas":{"a":{"required":["c"]}}}`, `{"a":"secret"}`},
	{`{"additionalProperties":false}`, `{"x/y":"secret"}`},
	{`{"properties":{"b":true,"a":true},"additionalProperties":false}`, `{"c":"secret","d":1}`},
	{`{"properties":{"a":false}}`, `{"a":"secret"}`},
	{`{"patternProperties":{"^s_":{"type":"string"}}}`, `{"s_1":2}`},
	{`{"additionalProperties":{"type":"string"}}`, `{"a":2}`},
	{`{"unevaluatedProperties":false}`, `{"a":"secret"}`},
	{`{"propertyNames":{"maxLength":3}}`, `{"much":"secret","too":1}`},
	{`{"propertyNames":{"maxLength":3,"pattern":"^x"}}`, `{"much":"secret"}`},
	{`{"not":{"type":"string"}}`, `"secret"`},
	{`{"not":{"minimum":1}}`, `2`},
	{`{"allOf":[{"minimum":2},{"multipleOf":2}]}`, `1`},
	{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`},
	{`{"anyOf":[{"required":["a"]},{"required":["b","c"]}]}`, `{}`},
	{`{"anyOf":[{"minimum":1},{"type":"null"}]}`, `0`},
	{`{"oneOf":[{"const":1},{"enum":[2,3]},{"format":"date"}]}`, `"secret"`},
	{`{"oneOf":[{"minimum":1},{"minimum":2}]}`, `3`},
	{`{"oneOf":[{"minimum":1},{"minimum":2}]}`, `0`},
	{`{"if":{"minimum":1},"then":{"multipleOf":2},"else":{"maximum":-1}}`, `3`},
	{`{"if":{"minimum":1},"then":{"multipleOf":2},"else":{"maximum":-1}}`, `0`},
	{`{"$ref":"#/$defs/id"}`, `1`},
	{`false`, `"secret"`},
}

// TestTexts has a text for every keyword, in a golden file, and no text has a value of the input in it.
func TestTexts(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, test := range keywords {
		s := compile(t, `{"type":"object","properties":{"p":`+test.schema+`},"$defs":{"id":{"type":"string","minLength":1}}}`)
		var first []errs.Issue
		for range 20 { // maps come in any order
			got := s.Validate(parse(t, `{"p":`+test.input+`}`))
			if first == nil {
				first = got
			}
			if diff := cmp.Diff(first, got); diff != "" {
				t.Fatalf("%s: not in a stable order:\n%s", test.schema, diff)
			}
		}
		fmt.Fprintf(&b, "%.100s  %s\n", test.schema, test.input)
		if len(first) == 0 {
			t.Errorf("%s accepts %s", test.schema, test.input)
		}
		for _, issue := range first {
			fmt.Fprintf(&b, "    %s  %s  (%s)\n", issue.Path, issue.Message, issue.Keyword)
			if strings.Contains(issue.Message, "secret") {
				t.Errorf("%s: a value of the input is in %q", test.schema, issue.Message)
			}
			if n := len([]rune(issue.Message)); n > 160 {
				t.Errorf("%s: %d code points in %q", test.schema, n, issue.Message)
			}
		}
	}
	golden(t, "texts.txt", b.String())
}

func TestSeveral(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","required":["reason","orderId"],"additionalProperties":false,"properties":{
		"orderId":{"type":"string"},"reason":{"enum":["customer_request","duplicate"]},
		"list":{"type":"array","items":{"type":"object","required":["n"],"propertyNames":{"pattern":"^[a-z]+$"}}}}}`)
	got := s.Validate(parse(t, `{"reason":"secret","list":[{"n":1},{"N":2},{"n":1},{},{"n":1},{"n":1},{"n":1},{"n":1},{"n":1},{"n":1},{}]}`))
	want := []errs.Issue{
		{Path: "/list/1/N", Keyword: "propertyNames", Message: "must have a name that fits: it must be 1 or more characters of a-z"},
		{Path: "/list/1/n", Keyword: "required", Message: "is required"},
		{Path: "/list/3/n", Keyword: "required", Message: "is required"},
		{Path: "/list/10/n", Keyword: "required", Message: "is required"},
		{Path: "/orderId", Keyword: "required", Message: "is required"},
		{Path: "/reason", Keyword: "enum", Message: `must be one of "customer_request", "duplicate"`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	many := make([]string, 2_001)
	for i := range many {
		many[i] = fmt.Sprintf(`"p%d":{"type":"string"}`, i)
	}
	doubling := []string{`"d0":{"type":"string"}`}
	for i := 1; i < 40; i++ {
		doubling = append(doubling, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i-1, i-1))
	}
	tests := []struct{ name, schema, want string }{
		{"no JSON", `{`, "it must be valid JSON (see byte 2)"},
		{"duplicate", `{"type":"object","type":"object"}`, "/type must be given once"},
		{"a boolean", `true`, `it must describe objects: set "type": "object" at its root`},
		{"no type", `{"properties":{}}`, `it must describe objects: set "type": "object" at its root`},
		{"two types", `{"type":["object","null"]}`, `it must describe objects: set "type": "object" at its root`},
		{
			"another dialect", `{"type":"object","$schema":"http://json-schema.org/draft-07/schema#"}`,
			`$schema is another dialect: leave it out or set it to "https://json-schema.org/draft/2020-12/schema"`,
		},
		{
			"bad keyword", `{"type":"object","properties":{"a":{"enum":"x"}}}`,
			`/properties/a/enum is not JSON Schema 2020-12: it must be a list`,
		},
		{
			"unknown type", `{"type":"object","properties":{"a":{"type":"text"}}}`,
			`/properties/a/type is not JSON Schema 2020-12: it must be one of "array", "boolean", "integer", "null", "number", "object", "string"`,
		},
		{
			"bad pattern", `{"type":"object","properties":{"a":{"pattern":"(?=x)"}}}`,
			"/properties/a/pattern is not JSON Schema 2020-12: it must be a regular expression (RE2)",
		},
		{"missing definition", `{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}}`, `json-pointer in "#/$defs/b" not found`},
		{
			"remote", `{"type":"object","properties":{"a":{"$ref":"https://example.com/s.json#/x"}}}`,
			"https://example.com/s.json is not part of the schema, and no schema is loaded from elsewhere: copy it into $defs",
		},
		{
			"a file", `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
			"file:///etc/passwd is not part of the schema, and no schema is loaded from elsewhere: copy it into $defs",
		},
		{
			"cycle", `{"type":"object","$ref":"#"}`,
			"its root contains itself, so its checks have no bound: write down as many levels as the tool needs",
		},
		{
			"long cycle", `{"type":"object","properties":{"a":{"$ref":"#/$defs/tree"}},
				"$defs":{"tree":{"properties":{"kids":{"items":{"$ref":"#/$defs/tree"}}}}}}`,
			"/$defs/tree contains itself, so its checks have no bound: write down as many levels as the tool needs",
		},
		{
			"dynamic", `{"type":"object","$dynamicAnchor":"x","properties":{"a":{"$dynamicRef":"#x"}}}`,
			"/properties/a has a dynamic reference, which only schemas that contain themselves need: use $ref",
		},
		{
			"the meta-schema", `{"type":"object","properties":{"a":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}`,
			"https://json-schema.org/draft/2020-12/meta/core",
		},
		{"huge", `{"type":"object","properties":{` + strings.Join(many, ",") + `}}`, "it has more than 2000 subschemas: make it smaller"},
		{
			"doubling", `{"type":"object","$ref":"#/$defs/d39","$defs":{` + strings.Join(doubling, ",") + `}}`,
			" makes for more than 10000 checks when every $ref is followed: make it smaller",
		},
		{"long", `{"type":"object","description":"` + strings.Repeat("x", 256<<10) + `"}`, "it has 262178 bytes: keep it within 262144"},
		{
			"bad default", `{"type":"object","properties":{"a":{"type":"string","default":1}}}`,
			"/properties/a/default does not match its own schema: correct one of the two",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Compile(test.schema)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","properties":{
		"currency":{"type":"string","default":"EUR"},
		"unit":{"$ref":"#/$defs/unit"},
		"to":{"type":"object","properties":{"country":{"default":"DE"}}},
		"lines":{"type":"array","items":{"$ref":"#/$defs/line"}},
		"x":{"anyOf":[{"properties":{"y":{"default":1}}}]}},
		"$defs":{"unit":{"default":"piece"},"line":{"type":"object","properties":{"count":{"type":"integer","default":1.0}}}}}`)
	sent := parse(t, `{"to":{},"lines":[{},{"count":2}],"x":{}}`)
	before := string(exact.Canonical(sent))
	got := string(exact.Canonical(s.Prepare(sent)))
	if want := `{"currency":"EUR","lines":[{"count":1},{"count":2}],"to":{"country":"DE"},"unit":"piece","x":{}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if after := string(exact.Canonical(sent)); after != before {
		t.Errorf("what was sent became %s", after)
	}
	if got := string(exact.Canonical(compile(t, `{"type":"object"}`).Prepare(sent))); got != before {
		t.Errorf("without defaults: %s", got)
	}
}

type currency string

func (currency) JSONSchema() string { return `{"enum":["EUR","USD"]}` }

type derivedInput struct {
	ID       string            `json:"id"               jsonschema:"Identifier of the order."`
	Count    int64             `json:"count"`
	Small    int8              `json:"small,omitempty"`
	Price    json.Number       `json:"price"`
	When     time.Time         `json:"when"`
	Big      *big.Int          `json:"big,omitzero"`
	Currency currency          `json:"currency"`
	Tags     []string          `json:"tags,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Lines    []struct {
		SKU   string   `json:"sku"`
		Notes []string `json:"notes,omitempty"`
	} `json:"lines,omitempty"`
	Blob    []byte          `json:"blob,omitempty"`
	Raw     json.RawMessage `json:"raw,omitempty"`
	Any     any             `json:"any,omitempty"`
	Skipped string          `json:"-"`
	hidden  string
}

func TestDerive(t *testing.T) {
	t.Parallel()
	_ = derivedInput{}.hidden
	text, err := schema.Derive(reflect.TypeFor[derivedInput]())
	if err != nil {
		t.Fatal(err)
	}
	var indented strings.Builder
	encoder := json.NewEncoder(&indented)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(json.RawMessage(text)); err != nil {
		t.Fatal(err)
	}
	golden(t, "derived.json", indented.String())
	s := compile(t, text)
	input := `{"id":"a","count":1.0,"price":1.25,"when":"2026-01-02T15:04:05Z","currency":"EUR","raw":{},"blob":"YQ=="}`
	if issues := s.Validate(parse(t, input)); issues != nil {
		t.Errorf("got %v", issues)
	}
}

type node struct {
	Next *node `json:"next,omitempty"`
}

type badSchema struct{}

func (badSchema) JSONSchema() string { return `[` }

func TestDeriveRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   reflect.Type
		want string
	}{
		{reflect.TypeFor[node](), "cycle detected for type schema_test.node: write the schema down instead"},
		{reflect.TypeFor[struct{ F func() }](), "is unsupported by jsonschema: write the schema down instead"},
		{reflect.TypeFor[struct{ B badSchema }](), "what schema_test.badSchema.JSONSchema returns is no schema"},
	} {
		if _, err := schema.Derive(test.in); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: got %v, want %s", test.in, err, test.want)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), run with -update to write it:\n%s", path, diff)
	}
}
