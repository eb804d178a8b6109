// Command remedy explains errors, lists and compares those that protos declare, finds what is wrong with them, calls the
// tools of a running service, says what became of their operations, and what a failure of a model provider means.
//
// It exits with
//
//	0  when what was asked for was done
//	1  when it was not done for a reason of this machine: a file cannot be read, the demo did not get what it expects, time
//	   ran out before anything was sent, a service does not describe its protos
//	2  when the command line is not understood, or the status, folder or image that it names
//	3  when the call failed and must not be sent again (never)
//	4  when the call failed and may be sent again unchanged (as_is), or nothing was sent because the service is not there
//	5  when the call failed and may be sent again after a repair (after_repair)
//	6  when the call may or may not have taken effect (outcome unknown), whatever its rule; ops watch and ops reconcile say
//	   so of the operation
//	7  when the call failed without a typed error, so that nothing says whether it may be sent again
//	8  when lint or catalog diff found something, or protos of a catalog seem to be missing
//
// go run turns every code but 0 into 1: build the binary to see them.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], &streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, color: term.Color(os.Stdout, os.Getenv),
	})
	stop()
	os.Exit(code)
}
