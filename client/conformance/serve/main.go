// Command serve answers every call with the error of a vector, for clients in other languages to be held to. It listens on a
// free port of the loopback interface, prints the address, and ends when its standard input does.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/remedyrpc/remedy/client/conformance/internal/serving"
	"github.com/remedyrpc/remedy/client/conformance/internal/vector"
	"github.com/remedyrpc/remedy/errs"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	dir := flags.String("vectors", "client/conformance/testdata/vectors", "folder of the vectors")
	limit := flags.Int("limit", errs.DefaultLimit, "bytes of the trailer list")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("reading the command line: %w", err)
	}
	vectors, err := vector.Load(*dir)
	if err != nil {
		return err
	}
	server, err := serving.New(vectors, *limit)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	if _, err := fmt.Fprintln(stdout, listener.Addr()); err != nil {
		return fmt.Errorf("printing the address: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		server.Stop()
	}()
	if err := server.Serve(listener); err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}
