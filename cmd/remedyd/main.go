// Command remedyd serves the tools of a sample shop to agents over gRPC. The shop forgets everything at the end of the process;
// what is known of operations is kept in a database. See package remedyd of server for the flags, the exit codes, and a daemon
// with tools of one's own.
//
// Built with the tag crashpoint, it has tools of a carrier besides, whose effects can be counted from outside, for tests that
// kill it: REMEDY_CRASH_BOOK names the file where the carrier notes every parcel, REMEDY_CRASH_TIMEOUT the time of each hook,
// REMEDY_CRASH_CLOCK how far the clock of the database is ahead, and REMEDY_CRASH_AT where the process ends itself.
package main

import (
	"github.com/remedyrpc/remedy/internal/shop"
	"github.com/remedyrpc/remedy/server/remedyd"
)

func main() {
	tools := shop.Tools(shop.New(shop.DefaultSeed()))
	remedyd.Main(append(tools, countedTools()...)...)
}
