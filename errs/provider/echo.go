package provider

import (
	"regexp"
	"slices"
	"strings"
)

// echoWords stand before what a provider repeats of a request that it refuses.
var echoWords = regexp.MustCompile(`(?i)\b(?:got|received|input_value ?=|input ?=|invalid value:|unknown parameter:) ?`)

// withoutEchoes leaves out what texts repeat of the request: who wrote the request could say anything there.
func withoutEchoes(texts []string) []string {
	plain := make([]string, len(texts))
	for i, text := range texts {
		plain[i] = withoutEcho(text)
	}
	return plain
}

func withoutEcho(text string) string {
	var b strings.Builder
	for {
		found := echoWords.FindStringIndex(text)
		if found == nil {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:found[1]])
		word := text[found[0]:found[1]]
		text = text[found[1]:]
		text = text[echoEnd(text, strings.Contains(word, "=")):]
	}
}

// echoEnd is the length of what is repeated at the start of a text: what stands in quotes, which may be escaped, to the end of
// the text where they are not closed; or, of a value that Python printed, all before its type.
func echoEnd(text string, value bool) int {
	quote := strings.TrimLeft(text, `\`)
	if quote == "" || strings.IndexByte("\"'`", quote[0]) < 0 {
		if end := strings.Index(text, ", input_type="); value && end >= 0 {
			return end
		}
		return 0
	}
	escapes := len(text) - len(quote)
	for at := escapes + 1; at < len(text); at++ {
		switch {
		case text[at] == quote[0] && escapes == 0, text[at] == quote[0] && text[at-1] == '\\':
			return at + 1
		case text[at] == '\\' && escapes == 0:
			at++
		}
	}
	return len(text)
}

// echoes reports whether texts may repeat what was sent: the status or a code says that the request was wrong, or a text does.
func (v *view) echoes() bool {
	return v.status == 400 || v.status == 422 || slices.ContainsFunc(v.names(), refusesValue) || slices.ContainsFunc(v.texts, saysValue)
}

// saysValue reports whether a text says by itself that one value of the request was wrong, as OpenAI and pydantic word it.
func saysValue(text string) bool {
	for _, words := range []string{"input_value=", "input=", "nvalid type for", "nvalid value: ", "nknown parameter: "} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// refusesValue reports whether a code says that one value of the request was wrong.
func refusesValue(code string) bool {
	switch strings.ToLower(code) {
	case "unknown_parameter", "invalid_value", "invalid_type", "unsupported_parameter", "unsupported_value", "missing_required_parameter":
		return true
	default:
		return false
	}
}
