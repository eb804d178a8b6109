package errs

import (
	"strings"

	"github.com/remedyrpc/remedy/internal/authored"
)

// dotted turns a JSON Pointer into the dotted form that google.rpc.BadRequest asks for: /items/0/name is items[0].name.
func dotted(pointer string) string {
	if pointer == "" {
		return ""
	}
	var b strings.Builder
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return b.String()
}

// boundPointer shortens a JSON Pointer to at most size bytes. It cuts between tokens, so that what is left names what
// contains the place.
func boundPointer(pointer string, size int) (string, bool) {
	cut, was := bound(pointer, size)
	if !was {
		return cut, false
	}
	return cut[:max(strings.LastIndexByte(cut, '/'), 0)], true
}

// pathShown shows a path inside a sentence: the names in it may come from the input.
func pathShown(path string) string {
	if path == "" {
		return "the input"
	}
	if len(path) <= maxStringBytes && isPlainPath(path) {
		return path
	}
	return quoted(path)
}

func isPlainPath(s string) bool {
	for i := range len(s) {
		if c := s[i]; !authored.IsAlnum(c) && strings.IndexByte("_./~$-", c) < 0 {
			return false
		}
	}
	return true
}
