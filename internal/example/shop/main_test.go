package main

import (
	"strings"
	"testing"
)

func TestShop(t *testing.T) {
	t.Parallel()
	said, err := run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`Slot "monday" is no longer available. [slot_stale; retry only after repair] Next action: Call list_available_slots and wait ` +
			`for its result before continuing. Choose a current slot, then book that. Keep unchanged: operationKey. ` +
			`Replace from repair output: slotId.`,
		"monday after_repair list_available_slots",
		"booked tuesday as booking-1",
		"",
	}
	if got := strings.Join(want, "\n"); said != got {
		t.Errorf("got %s, want %s", said, got)
	}
}
