package main

import (
	"context"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
	color    bool // out shows colour
}

// printer returns a printer for out.
func (s *streams) printer() *term.Printer { return term.NewPrinter(s.out, s.color) }

// commands is the command line.
type commands struct {
	Explain  explainCommand  `cmd:"" help:"Explain the error in a google.rpc.Status."`
	Classify classifyCommand `cmd:"" help:"Tell what a failed call to a model provider means."`
	Catalog  catalogCommand  `cmd:"" help:"List the errors of Remedy, of protos or of a running service; compare two versions."`
	Lint     lintCommand     `cmd:"" help:"Find what is wrong with the errors and contracts that protos declare."`
	Proto    protoCommand    `cmd:"" help:"Write the protos of the contract, to import them in yours."`
	Example  exampleCommand  `cmd:"" help:"Write a small service with declared errors, to start from."`
	Tools    toolsCommand    `cmd:"" help:"List the tools of a running service."`
	Call     callCommand     `cmd:"" help:"Call a tool of a running service."`
	Ops      opsCommand      `cmd:"" help:"Say what became of the operations of a running service."`
	Demo     demoCommand     `cmd:"" help:"Bring about every error that a tool can end with, and show it from all sides."`
	DB       dbCommand       `cmd:"" help:"Copy the database of a service."`

	DemoService serviceCommand `cmd:"" hidden:""`
}

const description = `Typed, repairable errors for tools that agents call.`

// exitCodes is the end of every --help.
const exitCodes = `
Exit codes:
  0  done
  1  not done, for a reason of this machine, or time ran out before anything was sent, or a service does not describe its protos
  2  the command line is not understood, or the status, folder or image that it names
  3  the call failed: never send it again                (never)
  4  the call failed: it may be sent again unchanged     (as_is, or it was never sent: no service there)
  5  the call failed: it may be sent again after repair  (after_repair)
  6  the call may or may not have taken effect           (outcome_unknown; so says ops watch or reconcile of an operation)
  7  the call failed without a typed error, and nothing says whether it may be sent again
  8  lint or catalog diff found something, or protos of a catalog seem to be missing
To see them, build the binary (go build ./cmd/remedy): "go run" turns every code but 0 into 1.
`

// help writes what --help shows. A command with a default shows that.
func help(options kong.HelpOptions, c *kong.Context) error {
	if node := c.Selected(); node != nil && node.DefaultCmd != nil {
		c.Path = append(c.Path, &kong.Path{Parent: node, Command: node.DefaultCmd})
	}
	if err := kong.DefaultHelpPrinter(options, c); err != nil {
		return err //nolint:wrapcheck // it goes back to kong
	}
	_, err := io.WriteString(c.Stdout, exitCodes)
	return err //nolint:wrapcheck // it goes back to kong
}

// run runs one command line and returns the exit code.
func run(ctx context.Context, args []string, s *streams) int {
	for i, arg := range args {
		if !utf8.ValidString(arg) { // the parser would put other characters in its place
			return complain(s, usageError{fmt.Errorf("argument %d is not UTF-8", i+1)})
		}
	}
	helped := false
	parser, err := kong.New(&commands{},
		kong.Name("remedy"), kong.Description(description), kong.Writers(s.out, s.err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}), kong.Help(help),
		kong.Exit(func(int) { helped = true }), // --help goes on parsing after this
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(s),
	)
	if err != nil {
		return complain(s, err)
	}
	command, err := parser.Parse(args)
	if helped {
		return exitOK
	}
	if err != nil {
		return complain(s, usageError{fmt.Errorf("%w; see remedy --help", err)})
	}
	if err := command.Run(); err != nil {
		return complain(s, err)
	}
	return exitOK
}

// complain writes an error unless its command did, and returns the exit code that goes with it.
func complain(s *streams, err error) int {
	if !isShown(err) {
		term.NewPrinter(s.err, false).Bad("remedy: " + shorten(err.Error()))
	}
	return exitCode(err)
}

// shorten bounds a text that may hold part of the input.
func shorten(text string) string {
	const most = 600
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
