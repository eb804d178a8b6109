package schema

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/remedyrpc/remedy/server/internal/exact"
)

// expected says what the failing keyword asks for, to be read after the path of the value. It looks at what the schema
// wants and never at what the input has. s is the failing schema, nil where it is not known.
func expected(s *jsonschema.Schema, e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return "must be " + oneOf(typesShown(k.Want))
	case *kind.Enum:
		return "must be " + valuesShown(k.Want)
	case *kind.Const:
		return "must be " + valuesShown([]any{k.Want})
	case *kind.Format:
		return "must be " + formatShown(k.Want)
	case *kind.AnyOf, *kind.OneOf, *kind.Not, *kind.Contains:
		return choiceExpected(s, k)
	case *kind.FalseSchema:
		return "is not allowed"
	case *kind.Required, *kind.DependentRequired, *kind.AdditionalProperties, *kind.PropertyNames:
		return "must match the schema" // said of their properties, one by one
	default:
		if text := sizeExpected(k); text != "" {
			return text
		}
		return valueExpected(k)
	}
}

func sizeExpected(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return "must have at least " + count(k.Want, "character")
	case *kind.MaxLength:
		return "must have at most " + count(k.Want, "character")
	case *kind.MinItems:
		return "must have at least " + count(k.Want, "item")
	case *kind.MaxItems:
		return "must have at most " + count(k.Want, "item")
	case *kind.MinProperties:
		return "must have at least " + counted(k.Want, "property", "properties")
	case *kind.MaxProperties:
		return "must have at most " + counted(k.Want, "property", "properties")
	case *kind.UniqueItems:
		return "must have no two equal items"
	case *kind.MinContains:
		return "must have at least " + counted(k.Want, "item that matches", "items that match") + " the schema of contains"
	case *kind.MaxContains:
		return "must have at most " + counted(k.Want, "item that matches", "items that match") + " the schema of contains"
	default:
		return ""
	}
}

func valueExpected(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be greater than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want)
	case *kind.Pattern:
		return patternShown(k.Want)
	default:
		return "must match the schema"
	}
}

// choiceExpected describes the branches of a choice where each can be described in a few words.
func choiceExpected(s *jsonschema.Schema, k jsonschema.ErrorKind) string {
	var branches []*jsonschema.Schema
	lead, otherwise := "must be ", "must match the schema"
	if s == nil {
		return otherwise
	}
	switch k := k.(type) {
	case *kind.AnyOf:
		branches, otherwise = s.AnyOf, "must match one of the schemas of anyOf"
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return "must match only one of the schemas of oneOf, not several"
		}
		branches, otherwise = s.OneOf, "must match one of the schemas of oneOf"
	case *kind.Not:
		branches, lead, otherwise = append(branches, s.Not), "must not be ", "must not match the schema of not"
	case *kind.Contains:
		branches, lead = append(branches, s.Contains), "must have an item that is "
		otherwise = "must have an item that matches the schema of contains"
	}
	texts := make([]string, len(branches))
	for i, branch := range branches {
		if texts[i] = described(branch); texts[i] == "" {
			return otherwise
		}
	}
	return lead + oneOf(texts)
}

// described says in a few words what a schema accepts; empty where that takes more.
func described(s *jsonschema.Schema) string {
	for s != nil && s.Ref != nil {
		s = s.Ref
	}
	switch {
	case s == nil || s.Bool != nil:
		return ""
	case s.Const != nil:
		return valuesShown([]any{*s.Const})
	case s.Enum != nil:
		return valuesShown(s.Enum.Values)
	case s.Format != nil:
		return formatShown(s.Format.Name)
	case len(s.Required) > 0:
		return "an object with " + listed(s.Required, "and")
	case s.Types != nil && !bounded(s):
		return oneOf(typesShown(s.Types.ToStrings()))
	default:
		return ""
	}
}

// bounded reports whether a schema asks for more than a type.
func bounded(s *jsonschema.Schema) bool {
	return s.Minimum != nil || s.Maximum != nil || s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil || s.Pattern != nil ||
		s.MinLength != nil || s.MaxLength != nil || s.Not != nil
}

func typesShown(types []string) []string {
	if len(types) > 1 && types[0] == "null" {
		types = append(slices.Clone(types[1:]), "null") // as one says it
	}
	names := map[string]string{
		"string": "a string", "integer": "an integer", "number": "a number", "boolean": "true or false", "array": "a list",
		"object": "an object", "null": "null",
	}
	texts := make([]string, len(types))
	for i, t := range types {
		texts[i] = names[t]
	}
	return texts
}

// valuesShown lists the values of the schema as JSON.
func valuesShown(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = shown(v)
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "one of " + listed(texts, "")
}

// shown is a value of the schema as JSON, at most 64 code points of it.
func shown(v any) string {
	text := []rune(string(exact.Canonical(v)))
	if len(text) > maxValue {
		return string(text[:maxValue-1]) + "…"
	}
	return string(text)
}

// decimal writes a number of the schema in plain digits.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

func count(n int, noun string) string { return counted(n, noun, noun+"s") }

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// oneOf joins alternatives.
func oneOf(texts []string) string {
	if len(texts) < 2 { //nolint:mnd // one needs no joining
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " or " + texts[len(texts)-1]
}

// listed joins names, as many as an issue has room for.
func listed(texts []string, word string) string {
	room := maxList
	for i, text := range texts {
		if room -= len([]rune(text)) + len(", "); room < 0 && i > 0 {
			return strings.Join(texts[:i], ", ") + " (and " + strconv.Itoa(len(texts)-i) + " more)"
		}
	}
	if word != "" && len(texts) > 1 {
		return strings.Join(texts[:len(texts)-1], ", ") + " " + word + " " + texts[len(texts)-1]
	}
	return strings.Join(texts, ", ")
}

// Bounds of the texts, in code points.
const (
	maxMessage = 160
	maxValue   = 64
	maxList    = 110
)

func cut(text string) string {
	if runes := []rune(text); len(runes) > maxMessage {
		return string(runes[:maxMessage-1]) + "…"
	}
	return text
}
