package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/parse"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

// explainCommand is remedy explain.
type explainCommand struct {
	Status string `arg:"" help:"The status itself, or @FILE; standard input by default." optional:""`

	Format parse.Format `default:"auto" enum:"auto,base64,binary,json" help:"Form of the status: auto, base64, binary or json."`

	JSON bool `help:"Write JSON, for programs."`
}

// Help is shown by remedy explain --help.
func (c *explainCommand) Help() string {
	return "The status is the base64 of grpc-status-details-bin as a client or a proxy shows it, the protobuf bytes of " +
		"google.rpc.Status, or its JSON. It may come from any service; what is not one of ours is explained as foreign."
}

// Run explains one status.
func (c *explainCommand) Run(ctx context.Context, s *streams) error {
	input, err := readInput(ctx, c.Status, s.in, parse.MaxBytes+1)
	if err != nil {
		return err
	}
	r, err := explain(input, c.Format)
	if err != nil {
		return usageError{err}
	}
	if c.JSON {
		return term.JSON(s.out, r)
	}
	p := s.printer()
	r.Text(p)
	return p.Err()
}

// explain reads a status and reports on it.
func explain(input []byte, format parse.Format) (*report.Report, error) {
	in, err := parse.Status(input, format)
	if err != nil {
		return nil, err
	}
	r := report.Of(in.Status)
	if in.Format == parse.JSON {
		r.Size = 0 // the bytes were never seen
		for i := range r.Unknown {
			r.Unknown[i].Problem = "not linked here, the size is that of its JSON"
		}
	}
	return r, nil
}

// readInput returns an argument: the text itself, the file after @, or at most so many bytes of standard input for
// nothing and for -.
func readInput(ctx context.Context, arg string, in io.Reader, most int64) ([]byte, error) {
	name, isFile := strings.CutPrefix(arg, "@")
	switch {
	case isFile:
		file, err := os.Open(name)
		if err != nil {
			return nil, usageError{fmt.Errorf("opening the input: %w", err)}
		}
		defer file.Close() //nolint:errcheck // only read
		in = file
	case arg != "" && arg != "-":
		return []byte(arg), nil
	default:
		var stop func()
		in, stop = interruptible(ctx, in)
		defer stop()
	}
	input, err := io.ReadAll(io.LimitReader(in, most))
	if err != nil {
		return nil, fmt.Errorf("reading the input: %w", err)
	}
	return input, nil
}
