// Package trusted lets authored text be computed. Headlines, instructions and guidance end up in front of an agent that
// acts on them, so errs accepts only constants there; this package is the exception, kept apart so that a review finds
// every use by its import.
//
// Pass only text that your own team wrote, for example from a translation file. Never pass anything that came from a
// request, a response, a page or a model.
package trusted

import "github.com/remedyrpc/remedy/errs/internal/guide"

// Text vouches for s. It is cleaned and bounded like every other text: control and bidirectional characters are
// removed, white space is folded, brackets become parentheses.
func Text(s string) guide.Text { return guide.Text(s) }
