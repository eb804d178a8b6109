package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxSchemas = 2_000  // subschemas written down
	maxChecks  = 10_000 // subschemas when every $ref is replaced by what it names
)

// survey visits every subschema and refuses a schema whose checks would not be bounded by its size: one that is huge,
// or grows huge where it is referred to again and again, or contains itself.
func survey(root *jsonschema.Schema) (map[string]*jsonschema.Schema, error) {
	s := surveyor{found: make(map[string]*jsonschema.Schema), checks: make(map[*jsonschema.Schema]int)}
	if _, err := s.visit(root); err != nil {
		return nil, err
	}
	return s.found, nil
}

type surveyor struct {
	found  map[string]*jsonschema.Schema
	checks map[*jsonschema.Schema]int // -1 while the schema is being visited
}

func (s *surveyor) visit(schema *jsonschema.Schema) (int, error) {
	if n, ok := s.checks[schema]; ok {
		if n < 0 {
			return 0, fmt.Errorf("%s contains itself, so its checks have no bound: write down as many levels as the tool needs",
				place(schema.Location))
		}
		return n, nil
	}
	if s.found[schema.Location] = schema; len(s.found) > maxSchemas {
		return 0, fmt.Errorf("it has more than %d subschemas: make it smaller", maxSchemas)
	}
	if schema.DynamicRef != nil || schema.RecursiveRef != nil {
		return 0, fmt.Errorf("%s has a dynamic reference, which only schemas that contain themselves need: use $ref", place(schema.Location))
	}
	s.checks[schema] = -1
	total := 1
	for _, child := range children(schema) {
		n, err := s.visit(child)
		if err != nil {
			return 0, err
		}
		if total += n; total > maxChecks {
			return 0, fmt.Errorf("%s makes for more than %d checks when every $ref is followed: make it smaller",
				place(schema.Location), maxChecks)
		}
	}
	s.checks[schema] = total
	return total, nil
}

// children returns the subschemas that a schema applies, in a stable order.
func children(s *jsonschema.Schema) []*jsonschema.Schema {
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	all := slices.Concat([]*jsonschema.Schema{
		s.Ref, s.Not, s.If, s.Then, s.Else, s.PropertyNames, additional, s.UnevaluatedProperties, s.Contains, s.Items2020,
		s.UnevaluatedItems, s.ContentSchema,
	}, s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems)
	for _, named := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
		for _, name := range slices.Sorted(maps.Keys(named)) {
			all = append(all, named[name])
		}
	}
	patterns := slices.SortedFunc(maps.Keys(s.PatternProperties), func(a, b jsonschema.Regexp) int {
		return strings.Compare(a.String(), b.String())
	})
	for _, pattern := range patterns {
		all = append(all, s.PatternProperties[pattern])
	}
	return slices.DeleteFunc(all, func(one *jsonschema.Schema) bool { return one == nil })
}
