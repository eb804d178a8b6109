package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Described is a type that says its own schema. The method is called on the zero value.
type Described interface {
	// JSONSchema returns the schema as JSON text.
	JSONSchema() string
}

// Derive writes the schema of a Go type: a struct, or a map with string keys. Fields are required unless their tag says
// omitempty or omitzero, a jsonschema tag is the description, and no other properties are allowed.
func Derive(t reflect.Type) (string, error) {
	known := wellKnown()
	if err := selfDescribed(t, known, make(map[reflect.Type]bool)); err != nil {
		return "", err
	}
	derived, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return "", fmt.Errorf("deriving it from %s: %w: write the schema down instead", t, err)
	}
	withoutNullLists(derived)
	text, err := json.Marshal(derived)
	if err != nil {
		return "", fmt.Errorf("deriving it from %s: %w", t, err)
	}
	return string(text), nil
}

// wellKnown holds the types of the standard library whose JSON is not what their fields say.
func wellKnown() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		reflect.TypeFor[json.Number]():     {Type: "number"},
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[big.Int]():         {Type: "integer"},
		reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
	}
}

// selfDescribed adds the types in t that say their own schema.
func selfDescribed(t reflect.Type, known map[reflect.Type]*jsonschema.Schema, seen map[reflect.Type]bool) error {
	if seen[t] || known[t] != nil {
		return nil
	}
	seen[t] = true
	if d, ok := reflect.TypeAssert[Described](reflect.New(t)); ok && t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		var s jsonschema.Schema
		if err := json.Unmarshal([]byte(d.JSONSchema()), &s); err != nil {
			return fmt.Errorf("what %s.JSONSchema returns is no schema: %w", t, err)
		}
		known[t] = &s
		return nil
	}
	switch t.Kind() { //nolint:exhaustive // the others hold no types
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return selfDescribed(t.Elem(), known, seen)
	case reflect.Struct:
		for field := range t.Fields() {
			if err := selfDescribed(field.Type, known, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutNullLists makes a list a list: whoever has none leaves it out.
func withoutNullLists(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" && s.Types[1] == "array" {
		s.Type, s.Types = "array", nil
	}
	withoutNullLists(s.Items)
	withoutNullLists(s.AdditionalProperties)
	for _, property := range s.Properties {
		withoutNullLists(property)
	}
}
