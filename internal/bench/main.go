// Command bench measures what typed errors and the ledger cost: the success path of the interceptors against a bare call, the
// error path against details attached and read by hand, encoding and decoding in process, and calls that are kept in a ledger
// against handlers that write by hand. Everything is measured in one run, in interleaved rounds, so that the ratios hold
// whatever the machine does meanwhile. Handlers by hand write the ledger's table, with its columns and indexes, which is what the
// targets are for, and a table of five columns and one index, which is the least that a handler could do with.
//
//	go run ./internal/bench [-only errors|calls|ledger] [-rounds 20] [-calls 500] [-turns 7] [-turn 200ms] [-million]
//
// The ledger is measured in SQLite, in the temporary folder, and in PostgreSQL where REMEDY_TEST_POSTGRES names a server.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// settings are what the flags say.
type settings struct {
	only          string
	rounds, calls int
	turns         int
	turn          time.Duration
	million       bool
}

func main() {
	var s settings
	flag.StringVar(&s.only, "only", "", "the part to measure: errors, calls or ledger; all of them if empty")
	flag.IntVar(&s.rounds, "rounds", 20, "interleaved rounds")
	flag.IntVar(&s.calls, "calls", 500, "calls of each scenario in a round")
	flag.IntVar(&s.turns, "turns", 7, "interleaved rounds of the ledger")
	flag.DurationVar(&s.turn, "turn", 200*time.Millisecond, "how long each scenario of the ledger takes in a round")
	flag.BoolVar(&s.million, "million", false, "look up among a million stored operations, too")
	flag.Parse()
	if err := run(os.Stdout, &s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, s *settings) error {
	_, _ = fmt.Fprintf(w, "%s %s/%s, %d cores\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	switch s.only {
	case "", "errors", "calls", "ledger":
	default:
		return fmt.Errorf("there is no part %q: -only takes errors, calls or ledger", s.only)
	}
	if s.only != "ledger" {
		_, _ = fmt.Fprintf(w, "medians of %d rounds of %d calls\n", s.rounds, s.calls)
	}
	if s.only == "" || s.only == "errors" {
		if err := inProcess(w, s.rounds, s.calls); err != nil {
			return err
		}
	}
	if s.only == "" || s.only == "calls" {
		for _, network := range []string{"bufconn", "tcp"} {
			if err := endToEnd(w, network, s.rounds, s.calls); err != nil {
				return err
			}
		}
	}
	if s.only == "" || s.only == "ledger" {
		return ledgers(context.Background(), w, s)
	}
	return nil
}
