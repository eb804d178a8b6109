package declared

import (
	"slices"
	"strconv"
	"strings"
)

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
