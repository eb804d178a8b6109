//go:build crashpoint

package main

import (
	"fmt"
	"os"
	"time"

	"github.com/remedyrpc/remedy/internal/shop"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/remedyd"
)

// countedTools are those of the carrier, where there is a book for it.
func countedTools() []*server.AnyTool {
	book := os.Getenv("REMEDY_CRASH_BOOK")
	if book == "" {
		return nil
	}
	var timeouts server.Timeouts
	if text := os.Getenv("REMEDY_CRASH_TIMEOUT"); text != "" {
		limit, err := time.ParseDuration(text)
		if err != nil || limit <= 0 {
			fmt.Fprintln(os.Stderr, "remedyd: REMEDY_CRASH_TIMEOUT is no time, such as 200ms")
			os.Exit(remedyd.ExitUsage)
		}
		timeouts = server.Timeouts{Prepare: limit, Effect: limit, Recover: limit, Verify: limit}
	}
	return shop.CarrierTools(shop.NewCarrier(book), timeouts)
}
