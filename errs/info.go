package errs

import "unicode/utf8"

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
	if i.Tool != "" && !isName(i.Tool) {
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

// setInfo takes one entry of ErrorInfo.metadata.
func (w *wire) setInfo(key, value string) {
	i := &w.info
	switch key {
	case "effect":
		i.Effect = parseEffect(value)
	case "errorId":
		i.ErrorID = value
	case "operationId":
		i.OperationID = value
	case "operationKey":
		i.OperationKey = value
	case "runId":
		i.RunID = value
	case "tool":
		i.Tool = value
	case "truncated":
		i.Truncated = value == "true"
	}
}
