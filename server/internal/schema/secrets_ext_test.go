package schema_test

import (
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/server/internal/exact"
	"github.com/remedyrpc/remedy/server/internal/schema"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	const secret = `{"type":"string","writeOnly":true}`
	tests := []struct{ name, schema, in, want string }{
		{"none", `{"properties":{"a":{"type":"string"}}`, `{"a":"x"}`, ""},
		{"property", `{"properties":{"a":` + secret + `,"b":{"type":"string"}}`, `{"a":"x","b":"y"}`, `{"b":"y"}`},
		{"own mark", `{"properties":{"a":{"x-remedy-secret":true}}`, `{"a":{"b":1}}`, `{}`},
		{"not marked", `{"properties":{"a":{"writeOnly":false},"b":` + secret + `}`, `{"a":1}`, `{"a":1}`},
		{"below", `{"properties":{"a":{"properties":{"b":` + secret + `}}}`, `{"a":{"b":"x","c":1}}`, `{"a":{"c":1}}`},
		{"behind a reference", `{"$defs":{"s":` + secret + `},"properties":{"a":{"$ref":"#/$defs/s"}}`, `{"a":"x","b":1}`, `{"b":1}`},
		{"escaped", `{"$defs":{"a/~b":` + secret + `},"properties":{"a":{"$ref":"#/$defs/a~1~0b"}}`, `{"a":"x"}`, `{}`},
		{"items", `{"properties":{"a":{"items":` + secret + `}}`, `{"a":["x","y"]}`, `{"a":[]}`},
		{"below items", `{"properties":{"a":{"items":{"properties":{"b":` + secret + `}}}}`, `{"a":[{"b":1,"c":2}]}`, `{"a":[{"c":2}]}`},
		{"prefix", `{"properties":{"a":{"prefixItems":[` + secret + `]}}`, `{"a":["x"]}`, `{"a":[]}`},
		{"choice", `{"properties":{"a":{"anyOf":[{"type":"number"},` + secret + `]}}`, `{"a":1}`, `{}`},
		{"condition", `{"if":{"properties":{"b":{"const":1}}},"then":{"properties":{"a":` + secret + `}}`, `{"a":"x","b":2}`, `{"b":2}`},
		{"all", `{"allOf":[{"properties":{"a":` + secret + `}}]`, `{"a":"x","b":1}`, `{"b":1}`},
		{"pattern", `{"properties":{"b":{}},"patternProperties":{"^s":` + secret + `}`, `{"b":1,"sa":"x"}`, `{"b":1}`},
		{"additional", `{"properties":{"b":{}},"additionalProperties":` + secret, `{"a":"x","b":1}`, `{"b":1}`},
		{"dependent", `{"dependentSchemas":{"b":{"properties":{"a":` + secret + `}}}`, `{"a":"x","b":1}`, `{"b":1}`},
	}
	for _, test := range tests {
		s, err := schema.Compile(`{"type":"object",` + strings.TrimPrefix(test.schema, "{") + `}`)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		v, fault := exact.Parse(test.in)
		if fault != nil {
			t.Fatal(fault)
		}
		if s.HasSecrets() != (test.want != "") {
			t.Errorf("%s: secrets: %v", test.name, s.HasSecrets())
		}
		want := test.want
		if want == "" {
			want = test.in
		}
		if got := string(s.WithoutSecrets(v)); got != want {
			t.Errorf("%s: got %s, want %s", test.name, got, want)
		}
		if got := string(exact.Canonical(v)); got != test.in {
			t.Errorf("%s: the input itself was changed: %s", test.name, got)
		}
	}
}

func TestSecretsBehindOtherReferences(t *testing.T) {
	t.Parallel()
	_, err := schema.Compile(`{"type":"object","$defs":{"s":{"$anchor":"s","writeOnly":true}},"properties":{"a":{"$ref":"#s"}}}`)
	if err == nil || !strings.Contains(err.Error(), "#/$defs/name") {
		t.Errorf("got %v", err)
	}
}
