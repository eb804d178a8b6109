package errs

import (
	"unicode/utf8"

	"github.com/remedyrpc/remedy/internal/authored"
)

// Info is what an error says about the call it belongs to. Fields that are empty are not known.
//
// An identifier that is longer than its bound is left out: the beginning of it would name something else.
type Info struct {
	// Tool is the tool that was called, 1 to 64 of [A-Za-z0-9_./-]. Another name is left out.
	Tool string
	// OperationKey is the caller's name for its intent, at most 64 bytes.
	OperationKey string
	// OperationID is the server's name for the operation, at most 36 bytes.
	OperationID string
	// RunID is the agent run, at most 36 bytes.
	RunID string
	// ErrorID is the number under which the server's log has the whole story, at most 36 bytes.
	ErrorID string
	// Effect says whether the call changed anything.
	Effect Effect
	// Domain is the domain of the ErrorInfo detail. WithInfo does not change it.
	Domain string
	// Truncated says that something did not fit and was left out. WithInfo does not change it.
	Truncated bool
}

// merged returns i with its empty fields filled from other; domain and truncated are those of other.
func (i Info) merged(other Info) Info {
	fill := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	fill(&i.Tool, other.Tool)
	fill(&i.OperationKey, other.OperationKey)
	fill(&i.OperationID, other.OperationID)
	fill(&i.RunID, other.RunID)
	fill(&i.ErrorID, other.ErrorID)
	if i.Effect.String() == "" {
		i.Effect = other.Effect
	}
	i.Domain, i.Truncated = other.Domain, other.Truncated
	return i
}

// bounded returns i without what does not keep to its bounds.
func (i Info) bounded() Info {
	if i.Tool != "" && !authored.IsTool(i.Tool) {
		i.Tool, i.Truncated = "", true
	}
	drop := func(field *string, size int) {
		if !isIdentifier(*field, size) {
			*field, i.Truncated = "", true
		}
	}
	drop(&i.OperationKey, maxKeyBytes)
	drop(&i.OperationID, maxIDBytes)
	drop(&i.RunID, maxIDBytes)
	drop(&i.ErrorID, maxIDBytes)
	return i
}

// isIdentifier reports whether s can travel as an identifier of at most size bytes; an empty one can.
func isIdentifier(s string, size int) bool { return len(s) <= size && utf8.ValidString(s) }

// ids are what an error says of its call besides the effect.
type ids struct{ tool, operationKey, operationID, runID, errorID string }

// info returns what the error says of its call.
func (w *wire) info() Info {
	i := Info{Effect: w.effect, Domain: w.domain, Truncated: w.truncated}
	if w.ids != nil {
		i.Tool, i.OperationKey, i.OperationID, i.RunID, i.ErrorID = w.ids.tool, w.ids.operationKey, w.ids.operationID, w.ids.runID, w.ids.errorID
	}
	return i
}

func (w *wire) setInfo(i *Info) {
	w.domain, w.effect, w.truncated, w.ids = i.Domain, i.Effect, i.Truncated, nil
	if len(i.Tool)+len(i.OperationKey)+len(i.OperationID)+len(i.RunID)+len(i.ErrorID) > 0 {
		w.ids = &ids{i.Tool, i.OperationKey, i.OperationID, i.RunID, i.ErrorID}
	}
}

// errorID is the number under which the log has the whole story.
func (w *wire) errorID() string {
	if w.ids == nil {
		return ""
	}
	return w.ids.errorID
}

// readEntry takes one entry of ErrorInfo.metadata.
func (w *wire) readEntry(key, value string) {
	switch key {
	case "effect":
		w.effect = parseEffect(value)
		return
	case "truncated":
		w.truncated = value == "true"
		return
	case "errorId", "operationId", "operationKey", "runId", "tool":
	default:
		return
	}
	if w.ids == nil {
		w.ids = &ids{}
	}
	switch key {
	case "errorId":
		w.ids.errorID = value
	case "operationId":
		w.ids.operationID = value
	case "operationKey":
		w.ids.operationKey = value
	case "runId":
		w.ids.runID = value
	default:
		w.ids.tool = value
	}
}
