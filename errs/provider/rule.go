package provider

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/remedyrpc/remedy/errs"
)

// verdict is what a rule says of a failure. What it leaves out, later steps find out.
type verdict struct {
	kind   Kind // empty means provider_error
	retry  retry
	limit  errs.LimitKind
	window string
	auth   errs.AuthKind
	// endless says that no wait helps, so that a delay that is offered nevertheless is not passed on.
	endless bool
}

// rule is one wording and what it means. Tables of rules are read from the top, and the first that matches decides.
type rule struct {
	// any are regular expressions over folded text, see fold: one wording each, of which one has to match.
	any []string
	// says is what the wording means.
	says verdict
	// reason says why.
	reason string
	// source is where the wording was seen, or the decision of DECISIONS.md that it follows.
	source string
	// general says that other evidence of the same kind is more precise.
	general bool

	wordings []wording
}

// wording is a pattern made ready.
type wording struct {
	needle needle
	re     *regexp.Regexp
}

type table []rule

// compile makes a table ready. Tables are compiled once, and a pattern that is none panics in the first test.
func compile(rules []rule) table {
	for i := range rules {
		for _, pattern := range rules[i].any {
			rules[i].wordings = append(rules[i].wordings, wording{needle: needleOf(pattern), re: regexp.MustCompile(pattern)})
		}
	}
	return rules
}

// find returns the first rule that matches folded text.
func (t table) find(text string) (rule, bool) {
	for i := range t {
		if t[i].matches(text) {
			return t[i], true
		}
	}
	return rule{}, false
}

func (t table) matches(text string) bool {
	_, ok := t.find(text)
	return ok
}

func (r *rule) matches(text string) bool {
	for i := range r.wordings {
		if w := &r.wordings[i]; w.needle.in(text) && w.re.MatchString(text) {
			return true
		}
	}
	return false
}

// needle is a set of literals of which a text contains one, if a pattern matches it. Looking for them is many times faster
// than the pattern. An empty needle is in every text.
type needle []string

func (n needle) in(text string) bool {
	for _, literal := range n {
		if strings.Contains(text, literal) {
			return true
		}
	}
	return len(n) == 0
}

// needleOf derives the needle of a pattern.
func needleOf(pattern string) needle {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	return needleIn(re.Simplify())
}

func needleIn(re *syntax.Regexp) needle {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return nil
		}
		return needle{string(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return needleIn(re.Sub[0])
	case syntax.OpConcat:
		var best needle
		for _, sub := range re.Sub {
			if n := needleIn(sub); n.shortest() > best.shortest() {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all needle
		for _, sub := range re.Sub {
			n := needleIn(sub)
			if n == nil {
				return nil
			}
			all = append(all, n...)
		}
		return all
	default:
		return nil
	}
}

// shortest is how telling a needle is.
func (n needle) shortest() int {
	shortest := 0
	for i, literal := range n {
		if i == 0 || len(literal) < shortest {
			shortest = len(literal)
		}
	}
	return shortest
}
