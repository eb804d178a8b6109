package provider

import (
	"regexp"
	"slices"
	"strings"
)

// Pattern is one wording of an exceeded context window, for who reads or lists them.
type Pattern struct {
	// Expression is a regular expression over the message in lower case, without quotes and addresses.
	Expression string
	// Reason says who words it so, or why it means that.
	Reason string
	// Source is where it was seen.
	Source string
}

// Patterns match messages that say that the context window was exceeded. They are immutable and safe for concurrent use;
// the zero value matches nothing. Get those of this package from [ContextExceededPatterns] and add your own:
//
//	patterns := provider.ContextExceededPatterns().With(regexp.MustCompile(`(?i)scroll is full`))
type Patterns struct {
	builtin bool
	more    []*regexp.Regexp
	vetoes  []*regexp.Regexp
}

// ContextExceededPatterns returns the patterns of [MatchesContextExceeded], with their vetoes: words of a rate, a price, of
// bytes or of the output alone, which speak against a wording that would match otherwise.
func ContextExceededPatterns() Patterns { return Patterns{builtin: true} }

// With returns the patterns and more of them, which match the message as it is, also where a veto of this package speaks
// against it. A nil pattern is left out. Give it (?i) to ignore case.
func (p Patterns) With(patterns ...*regexp.Regexp) Patterns {
	p.more = joined(p.more, patterns)
	return p
}

// Without returns the patterns and more vetoes: a message that one of them matches is none of an exceeded window, whatever
// else it says. A nil veto is left out.
func (p Patterns) Without(vetoes ...*regexp.Regexp) Patterns {
	p.vetoes = joined(p.vetoes, vetoes)
	return p
}

func joined(a, b []*regexp.Regexp) []*regexp.Regexp {
	return slices.DeleteFunc(slices.Concat(a, b), func(re *regexp.Regexp) bool { return re == nil })
}

// Match reports whether a message says that the context window was exceeded. It is safe for any string, goes over it in
// linear time, and reads its first and last 16 KiB.
func (p Patterns) Match(message string) bool {
	message = ends(message, maxText)
	matches := func(re *regexp.Regexp) bool { return re.MatchString(message) }
	if slices.ContainsFunc(p.vetoes, matches) {
		return false
	}
	if slices.ContainsFunc(p.more, matches) {
		return true
	}
	if saysValue(message) {
		message = withoutEcho(message)
	}
	return p.builtin && saysContextExceeded(fold(message))
}

// List returns the patterns of this package that are among them, without vetoes.
func (p Patterns) List() []Pattern {
	if !p.builtin {
		return nil
	}
	var list []Pattern
	for _, t := range []table{contextRules(), promptRules()} {
		for i := range t {
			list = append(list, Pattern{Expression: strings.Join(t[i].any, "|"), Reason: t[i].reason, Source: t[i].source})
		}
	}
	return list
}

// MatchesContextExceeded reports whether a message says that the context window of a model was exceeded: by the input, or
// by the input and the output that was asked for. It is false for the empty string and for what only sounds alike: rates in
// tokens, prices, bytes, the cap of the output. See [Patterns.Match].
func MatchesContextExceeded(message string) bool { return ContextExceededPatterns().Match(message) }

// saysContextExceeded is the match of this package over folded text.
func saysContextExceeded(text string) bool {
	switch {
	case contextRules().matches(text):
		return !softVetoes().matches(text)
	case promptRules().matches(text):
		return !softVetoes().matches(text) && !hardVetoes().matches(text)
	default:
		return false
	}
}
