package declared

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// lowerSnake writes a CamelCase name in lower snake case: GetHTTPStatus is get_http_status.
func lowerSnake(name string) string {
	runes := []rune(name)
	var b strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && runes[i-1] != '_' &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// choices lists what could have been written, sorted, at most eight.
func choices(names []string) string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	const most = 8
	more := ""
	if len(names) > most {
		more = " and " + strconv.Itoa(len(names)-most) + " more"
		names = names[:most]
	}
	return strings.Join(names, ", ") + more
}
