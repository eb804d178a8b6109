package errs

import (
	"google.golang.org/grpc/status"
)

// kind says how much an error tells, the most telling first.
type kind int

const (
	kindUnknown kind = iota // ours, effect unknown
	kindApplied             // ours, effect applied
	kindOurs
	kindForeign // a status that is not ours
	kindContext
	kindPlain
)

func kindOf(e Error) kind {
	switch saidBy(e).effect {
	case EffectUnknown:
		return kindUnknown
	case EffectApplied:
		return kindApplied
	default:
		return kindOurs
	}
}

// head is what an error tree is answered with.
type head struct {
	kind    kind
	ours    Error          // up to kindOurs
	direct  bool           // the tree is ours itself and nothing else
	others  []Error        // the other typed errors of the tree
	foreign error          // kindForeign: the error that has the status
	status  *status.Status // kindForeign
	code    Code           // kindContext: canceled or deadline_exceeded
}

// choose picks the head of a tree: effect unknown before effect applied before other typed errors, then statuses that are
// not ours, context errors, and the rest; ties depth first.
func choose(err error) head {
	if e, ok := asTyped(err); ok {
		return head{kind: kindOf(e), ours: e, direct: true}
	}
	if found := newWalker().outermost(err); len(found) > 0 {
		best := 0
		for i := range found {
			if kindOf(found[i]) < kindOf(found[best]) {
				best = i
			}
		}
		h := head{kind: kindOf(found[best]), ours: found[best]}
		for i, e := range found {
			if i != best {
				h.others = append(h.others, e)
			}
		}
		return h
	}
	if st, foreign := newWalker().innermostStatus(err); foreign != nil {
		return head{kind: kindForeign, foreign: foreign, status: st}
	}
	if code := contextCode(err); code != "" {
		return head{kind: kindContext, code: code}
	}
	return head{kind: kindPlain}
}
