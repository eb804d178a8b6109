package provider

import "strings"

// MatchesContextExceeded reports whether a text says that a context window was exceeded.
func MatchesContextExceeded(message string) bool {
	return strings.Contains(message, "context length")
}
