// Command bench measures what typed errors cost: the success path of the interceptors against a bare call, the error
// path against details attached and read by hand, encoding and decoding in process. Everything is measured in one run,
// in interleaved rounds, so that the ratios hold whatever the machine does meanwhile.
//
//	go run ./internal/bench [-rounds 20] [-calls 500]
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
)

func main() {
	rounds := flag.Int("rounds", 20, "interleaved rounds")
	calls := flag.Int("calls", 500, "calls of each scenario in a round")
	flag.Parse()
	if err := run(os.Stdout, *rounds, *calls); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, rounds, calls int) error {
	_, _ = fmt.Fprintf(w, "%s %s/%s, %d cores; medians of %d rounds of %d calls\n", runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.GOMAXPROCS(0), rounds, calls)
	if err := inProcess(w, rounds, calls); err != nil {
		return err
	}
	for _, network := range []string{"bufconn", "tcp"} {
		if err := endToEnd(w, network, rounds, calls); err != nil {
			return err
		}
	}
	return nil
}
