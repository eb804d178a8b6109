//go:build crashpoint

package remedyd

import (
	"context"
	"log/slog"
	"os"
	"time"
)

// clockVariable says how far the clock of the store is ahead, so that a campaign need not wait for the leases of a process that
// it killed: the one it starts next is so much later.
const clockVariable = "REMEDY_CRASH_CLOCK"

// crashClock is the clock of the store; nil is its own.
func crashClock() func() time.Time {
	ahead, err := time.ParseDuration(os.Getenv(clockVariable))
	if err != nil || ahead == 0 {
		return nil
	}
	return func() time.Time { return time.Now().Add(ahead) }
}

func warnCrash(ctx context.Context, logger *slog.Logger) {
	logger.LogAttrs(ctx, slog.LevelWarn, "this build ends itself where REMEDY_CRASH_AT says so: it is for tests only")
}
