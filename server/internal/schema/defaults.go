package schema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// defaults are the values of properties that may be left out. They are found below properties and items, at any depth
// and behind $ref; one inside a choice such as anyOf would depend on which branch holds, and is not used.
type defaults struct {
	values     map[string]any
	properties map[string]*defaults
	items      *defaults
}

// defaultsOf returns nil where a schema has none. A default that does not match its own schema is refused.
func defaultsOf(s *jsonschema.Schema) (*defaults, error) {
	for s.Ref != nil && len(s.Properties) == 0 && s.Items2020 == nil {
		s = s.Ref
	}
	d := &defaults{values: make(map[string]any), properties: make(map[string]*defaults)}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		if v, ok := defaultOf(property); ok {
			if err := property.Validate(v); err != nil {
				return nil, fmt.Errorf("%s/default does not match its own schema: correct one of the two", place(property.Location))
			}
			d.values[name] = v
		}
		below, err := defaultsOf(property)
		if err != nil {
			return nil, err
		}
		if below != nil {
			d.properties[name] = below
		}
	}
	if s.Items2020 != nil {
		var err error
		if d.items, err = defaultsOf(s.Items2020); err != nil {
			return nil, err
		}
	}
	if len(d.values) == 0 && len(d.properties) == 0 && d.items == nil {
		return nil, nil //nolint:nilnil // none
	}
	return d, nil
}

func defaultOf(s *jsonschema.Schema) (any, bool) {
	for ; s != nil; s = s.Ref {
		if s.Default != nil {
			return *s.Default, true
		}
	}
	return nil, false
}

// HasDefaults reports whether Prepare changes anything.
func (s *Schema) HasDefaults() bool { return s.defaults != nil }

// Prepare returns v with the defaults of the properties that were left out. v itself stays as it is.
func (s *Schema) Prepare(v any) any { return s.defaults.fill(v) }

func (d *defaults) fill(v any) any {
	if d == nil {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		filled := maps.Clone(v)
		for name, value := range d.values {
			if _, given := filled[name]; !given {
				filled[name] = value
			}
		}
		for name, below := range d.properties {
			if value, given := filled[name]; given {
				filled[name] = below.fill(value)
			}
		}
		return filled
	case []any:
		if d.items == nil {
			return v
		}
		filled := make([]any, len(v))
		for i := range v {
			filled[i] = d.items.fill(v[i])
		}
		return filled
	default:
		return v
	}
}
