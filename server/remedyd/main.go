package remedyd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/remedyrpc/remedy/server"
)

// The exit codes.
const (
	// ExitOK is of a daemon that was told to stop, and of which everything has ended that ran, and of a command that is done.
	ExitOK = 0
	// ExitFailed is of one that could not start or serve, for a reason of this machine or of its tools.
	ExitFailed = 1
	// ExitUsage is of a command line, or a REMEDY_ variable, that is not understood. Go ends a program that panics with it, too.
	ExitUsage = 2
	// ExitCutOff is of a daemon that was told to stop and left work running at the end of --stop-timeout: what was past the
	// boundary is looked up by whoever opens the database next.
	ExitCutOff = 3
	// ExitDatabase is of a database that cannot be used: another process has it, it cannot be written, it is damaged, of another
	// program or of another version, or does not answer.
	ExitDatabase = 4
)

// Streams are what a daemon writes to; nil discards it.
type Streams struct {
	// Out gets the help, and two lines of a daemon that is ready, of which the second ends with the address:
	//
	//	remedyd: operations are kept in /home/me/.local/state/remedyd/operations.db
	//	remedyd: listening on 127.0.0.1:7465
	Out io.Writer
	// Err gets the log, and why a command ended otherwise than with ExitOK, in one line.
	Err io.Writer
}

// Main runs the command line of this process until SIGINT or SIGTERM, and ends the process with one of the exit codes. A second
// signal ends it at once, without one. A log that nobody reads any more does not end it. Deferred calls of the caller do not run;
// who has to close something uses [Run].
func Main(tools ...*server.AnyTool) {
	signal.Ignore(syscall.SIGPIPE) // which Go would end the process with, in the midst of effects
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal does what signals do
	code := Run(ctx, os.Args, Streams{Out: os.Stdout, Err: os.Stderr}, tools...)
	stop()
	os.Exit(code)
}

// Run runs one command line until ctx ends, and returns an exit code. The first argument is the name of the program, as in
// [os.Args]: it begins every line that is written, and names the folder of the default database.
func Run(ctx context.Context, args []string, streams Streams, tools ...*server.AnyTool) int {
	p := program{name: "remedyd", out: streams.Out, err: streams.Err, tools: tools}
	if len(args) > 0 {
		p.name = cmp.Or(strings.TrimSuffix(filepath.Base(args[0]), ".exe"), p.name)
		args = args[1:]
	}
	if p.out == nil {
		p.out = io.Discard
	}
	if p.err == nil {
		p.err = io.Discard
	}
	f, err := p.parse(args)
	switch {
	case err != nil:
		p.complain(fmt.Errorf("%w; see %s --help", err, p.name))
		return ExitUsage
	case f == nil:
		return ExitOK
	case f.migrates:
		return p.migrate(ctx, f)
	default:
		return p.serve(ctx, f)
	}
}

// program is one run of a command line.
type program struct {
	name     string
	out, err io.Writer
	tools    []*server.AnyTool
}

// complain writes an error in one line.
func (p *program) complain(err error) {
	_, _ = fmt.Fprintf(p.err, "%s: %s\n", p.name, oneLine(err)) // there is nobody else to tell
}

// oneLine is the text of an error that may have been joined.
func oneLine(err error) string {
	return strings.NewReplacer(":\n", ": ", "\n", "; ", "\t", "").Replace(err.Error())
}
