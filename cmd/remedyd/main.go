// Command remedyd serves tools to agents over gRPC. In this version the tools are those of a sample shop, and what is
// known of operations is kept in memory.
//
// It exits with
//
//	0  when it was told to stop, and everything that ran has ended
//	1  when it could not start or serve, for a reason of this machine
//	2  when the command line or a REMEDY_ variable is not understood
//	3  when it was told to stop, and work was left running at the end of --stop-timeout
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
