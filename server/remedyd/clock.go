//go:build !crashpoint

package remedyd

import (
	"context"
	"log/slog"
	"time"
)

// crashClock is the clock of the store: its own.
func crashClock() func() time.Time { return nil }

// warnCrash has nothing to warn of.
func warnCrash(context.Context, *slog.Logger) {}
