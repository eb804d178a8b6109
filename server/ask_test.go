package server

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Names of operations sort as they were made, also in the bytes of an index.
func TestOperationsAreNamedInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var names []string
		for _, later := range []time.Duration{0, time.Millisecond, 31 * time.Millisecond, time.Second, time.Hour, 100 * 365 * 24 * time.Hour} {
			time.Sleep(later)
			names = append(names, newOperation())
		}
		if !slices.IsSorted(names) || len(slices.Compact(names)) != 6 {
			t.Errorf("got %q; want them sorted", names)
		}
		if a, b := newOperation(), newOperation(); a == b || len(a) != len(names[0]) || len(a) > 36 {
			t.Errorf("at the same time: got %q, %q", a, b)
		}
	})
}
