package schema

import (
	"regexp"
	"strings"
)

// formatShown names a format and shows what it looks like.
func formatShown(name string) string {
	examples := map[string]string{
		"date":                  "a date, such as 2006-01-02",
		"time":                  "a time with its zone, such as 15:04:05Z",
		"date-time":             "a date and time with its zone, such as 2006-01-02T15:04:05Z",
		"duration":              "an ISO 8601 duration, such as PT1H30M",
		"email":                 "an e-mail address",
		"hostname":              "a host name",
		"ipv4":                  "an IPv4 address",
		"ipv6":                  "an IPv6 address",
		"uri":                   "an absolute URI, such as https://example.com/a",
		"uri-reference":         "a URI or a relative reference",
		"iri":                   "an absolute IRI",
		"iri-reference":         "an IRI or a relative reference",
		"uri-template":          "a URI template",
		"uuid":                  "a UUID, such as 123e4567-e89b-12d3-a456-426614174000",
		"json-pointer":          "a JSON Pointer, such as /a/0",
		"relative-json-pointer": "a relative JSON Pointer",
		"regex":                 "a regular expression (RE2)",
		"semver":                "a semantic version, such as 1.2.3",
		"period":                "an ISO 8601 period",
	}
	if text, ok := examples[name]; ok {
		return text
	}
	return "a " + name
}

// characters is a pattern that only says how many of which characters there may be, the usual one for identifiers.
var characters = regexp.MustCompile(`^\^\[([^\]\\^]+)\](\+|\*|\{(\d+)\}|\{(\d+),(\d*)\})\$$`)

// patternShown says what a pattern asks for. A message has no brackets but its own, and a pattern whose brackets are
// changed is another pattern, so one with brackets is put into words or left to the schema.
func patternShown(pattern string) string {
	if !strings.ContainsAny(pattern, "[]") {
		return "must match the pattern " + pattern
	}
	m := characters.FindStringSubmatch(pattern)
	if m == nil {
		return "must match the pattern that its schema gives"
	}
	lead := "must be "
	switch {
	case m[2] == "+":
		lead += "1 or more"
	case m[2] == "*":
		lead += "any number of"
	case m[3] != "":
		lead += "exactly " + m[3]
	case m[5] == "":
		lead += m[4] + " or more"
	default:
		lead += m[4] + " to " + m[5]
	}
	return lead + " characters of " + m[1]
}
