package schema

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/remedyrpc/remedy/errs"
)

// issue keeps the tokens of its path, to be sorted by.
type issue struct {
	errs.Issue

	tokens []string
}

type issues []issue

// maxIssues bounds what is returned, the first by path. 16 travel; a message says how many there are besides.
const maxIssues = 1_000

func (list *issues) add(tokens []string, keyword, message string) {
	*list = append(*list, issue{
		Issue: errs.Issue{Path: pointer(tokens), Keyword: keyword, Message: cut(message)}, tokens: slices.Clone(tokens),
	})
}

// collect turns the tree of the library into a flat list. What only groups others is left out; a choice of which no
// branch holds is one issue, because the branches contradict each other.
func (list *issues) collect(s *Schema, e *jsonschema.ValidationError) {
	at := e.InstanceLocation
	schema := s.byPlace[e.SchemaURL]
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			list.collect(s, cause)
		}
	case *kind.Required:
		for _, name := range k.Missing {
			list.add(append(slices.Clone(at), name), "required", "is required")
		}
	case *kind.DependentRequired:
		for _, name := range k.Missing {
			list.add(append(slices.Clone(at), name), "dependentRequired", "is required where "+shown(k.Prop)+" is given")
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			list.add(append(slices.Clone(at), name), "additionalProperties", notAllowed(schema))
		}
	case *kind.PropertyNames:
		message := "must have a name that matches the schema of propertyNames"
		if cause := e.Causes[0]; len(cause.Causes) == 0 {
			message = "must have a name that fits: it " + expected(s.byPlace[cause.SchemaURL], cause)
		}
		list.add(append(slices.Clone(at), k.Property), "propertyNames", message)
	default:
		list.add(at, keyword(e), expected(schema, e))
	}
}

// keyword names the keyword that failed.
func keyword(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Not:
		return "not"
	case *kind.FalseSchema:
		// The keyword is the one whose value false is, for instance unevaluatedProperties or items.
		tokens := strings.Split(e.SchemaURL, "/")
		for i := len(tokens) - 1; i > 0; i-- {
			if tokens[i-1] == "properties" || tokens[i-1] == "prefixItems" {
				return tokens[i-1]
			}
			if tokens[i] != "" {
				return tokens[i]
			}
		}
		return "false"
	case *kind.MinContains, *kind.MaxContains, *kind.Contains:
		return k.KeywordPath()[0]
	default:
		if path := k.KeywordPath(); len(path) > 0 {
			return path[0]
		}
		return "schema"
	}
}

// sorted returns the issues by path, then keyword, each once.
func sorted(list []issue) []errs.Issue {
	slices.SortFunc(list, func(a, b issue) int {
		return cmp.Or(
			slices.CompareFunc(a.tokens, b.tokens, compareTokens),
			cmp.Compare(a.Keyword, b.Keyword), cmp.Compare(a.Message, b.Message))
	})
	all := make([]errs.Issue, 0, min(len(list), maxIssues))
	for _, i := range list {
		if len(all) == maxIssues {
			break
		}
		if len(all) == 0 || all[len(all)-1] != i.Issue {
			all = append(all, i.Issue)
		}
	}
	return all
}

// compareTokens orders the indexes of a list by number.
func compareTokens(a, b string) int {
	i, errA := strconv.Atoi(a)
	j, errB := strconv.Atoi(b)
	if errA == nil && errB == nil {
		return cmp.Compare(i, j)
	}
	return cmp.Compare(a, b)
}

// notAllowed names the properties that are.
func notAllowed(s *jsonschema.Schema) string {
	if s == nil || len(s.Properties) == 0 {
		return "is not allowed"
	}
	return "is not allowed; allowed are " + listed(slices.Sorted(maps.Keys(s.Properties)), "and")
}
