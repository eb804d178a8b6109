package schema

import (
	"errors"
	"maps"
	"strings"

	"github.com/remedyrpc/remedy/server/internal/exact"
)

// secrets are the places of an input that are not to be kept: what a schema marks with writeOnly or x-remedy-secret, at any
// depth and behind $ref. A mark in one branch of a choice counts in all of them.
type secrets struct {
	self       bool
	properties map[string]*secrets
	others     *secrets // of properties that are not named
	items      *secrets
}

// secretsOf returns nil where a schema has none. The document is one that compiled, so no reference leads back to itself. A
// reference that is not a pointer within the document could hide a secret, and is refused where there is any.
func secretsOf(document any) (*secrets, error) {
	if !holds(document, marked) {
		return nil, nil //nolint:nilnil // none
	}
	far := holds(document, func(object map[string]any) bool {
		reference, ok := object["$ref"].(string)
		return ok && at(document, reference) == nil || object["$dynamicRef"] != nil
	})
	if far {
		return nil, errors.New("it has secrets, and a $ref that is no pointer within it, such as #/$defs/name: write it as one")
	}
	found := &secrets{}
	found.collect(document, document)
	return found.trimmed(), nil
}

func marked(object map[string]any) bool {
	writeOnly, _ := object["writeOnly"].(bool)
	secret, _ := object["x-remedy-secret"].(bool)
	return writeOnly || secret
}

// holds reports whether something is said of an object anywhere in a document.
func holds(document any, said func(map[string]any) bool) bool {
	switch v := document.(type) {
	case map[string]any:
		if said(v) {
			return true
		}
		for _, below := range v {
			if holds(below, said) {
				return true
			}
		}
	case []any:
		for _, below := range v {
			if holds(below, said) {
				return true
			}
		}
	}
	return false
}

func (s *secrets) collect(schema, root any) {
	object, ok := schema.(map[string]any)
	if !ok {
		return
	}
	s.self = s.self || marked(object)
	if reference, ok := object["$ref"].(string); ok {
		s.collect(at(root, reference), root)
	}
	for _, keyword := range []string{"if", "then", "else"} {
		s.collect(object[keyword], root)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := object[keyword].([]any)
		for _, branch := range list {
			s.collect(branch, root)
		}
	}
	for _, branch := range members(object["dependentSchemas"]) {
		s.collect(branch, root)
	}
	for name, property := range members(object["properties"]) {
		if s.properties == nil {
			s.properties = make(map[string]*secrets)
		}
		if s.properties[name] == nil {
			s.properties[name] = &secrets{}
		}
		s.properties[name].collect(property, root)
	}
	for _, property := range members(object["patternProperties"]) {
		s.other().collect(property, root)
	}
	s.other().collect(object["additionalProperties"], root)
	s.other().collect(object["unevaluatedProperties"], root)
	prefix, _ := object["prefixItems"].([]any)
	for _, item := range append(prefix, object["items"], object["contains"], object["unevaluatedItems"]) {
		if s.items == nil {
			s.items = &secrets{}
		}
		s.items.collect(item, root)
	}
}

func (s *secrets) other() *secrets {
	if s.others == nil {
		s.others = &secrets{}
	}
	return s.others
}

func members(v any) map[string]any {
	object, _ := v.(map[string]any)
	return object
}

// at returns what a reference within a document leads to, nil where it is of another form.
func at(root any, reference string) any {
	pointer, ok := strings.CutPrefix(reference, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return nil
	}
	found := root
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		found = members(found)[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
	}
	return found
}

// trimmed is nil where nothing is secret.
func (s *secrets) trimmed() *secrets {
	if s == nil {
		return nil
	}
	for name, below := range s.properties {
		if s.properties[name] = below.trimmed(); s.properties[name] == nil {
			// Named, so it is none of the others.
			s.properties[name] = &secrets{}
		}
	}
	s.others, s.items = s.others.trimmed(), s.items.trimmed()
	if s.self || s.others != nil || s.items != nil {
		return s
	}
	for _, below := range s.properties {
		if below.self || below.others != nil || below.items != nil || len(below.properties) > 0 {
			return s
		}
	}
	return nil
}

// without returns v without what is secret. v itself stays as it is.
func (s *secrets) without(v any) any {
	if s == nil {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		kept := maps.Clone(v)
		for name, value := range v {
			below, named := s.properties[name]
			if !named {
				below = s.others
			}
			if below != nil && below.self {
				delete(kept, name)
				continue
			}
			kept[name] = below.without(value)
		}
		return kept
	case []any:
		if s.items == nil {
			return v
		}
		kept := make([]any, 0, len(v))
		for _, item := range v {
			if !s.items.self {
				kept = append(kept, s.items.without(item))
			}
		}
		return kept
	default:
		return v
	}
}

// HasSecrets reports whether the schema marks something as secret.
func (s *Schema) HasSecrets() bool { return s.secrets != nil }

// WithoutSecrets returns the canonical form of v without what the schema marks as secret, for what is kept of an input.
func (s *Schema) WithoutSecrets(v any) []byte { return exact.Canonical(s.secrets.without(v)) }
