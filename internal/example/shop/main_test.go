package main

import (
	"context"
	"os"
)

func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// Slot "monday" is no longer available. [slot_stale; retry only after repair] Next action: Call list_available_slots and wait for its result before continuing. Choose a current slot, then book that. Keep unchanged: operationKey. Replace from repair output: slotId.
	// monday after_repair list_available_slots
	// booked tuesday as booking-1
}
