package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/alecthomas/kong"
)

// flags is the command line. Each flag is a variable, too.
type flags struct {
	Listen       string `default:"127.0.0.1:7465" env:"REMEDY_LISTEN"        help:"${listen}"`
	DevPrincipal string `default:"developer"      env:"REMEDY_DEV_PRINCIPAL" help:"${dev_principal}"`

	AllowRemote bool `env:"REMEDY_ALLOW_REMOTE" help:"${allow_remote}"`

	CallTimeout   time.Duration `default:"60s"   env:"REMEDY_CALL_TIMEOUT"   help:"${call_timeout}"`
	MaxConcurrent int           `default:"1000"  env:"REMEDY_MAX_CONCURRENT" help:"${max_concurrent}"`
	MaxOperations int           `default:"10000" env:"REMEDY_MAX_OPERATIONS" help:"${max_operations}"`

	StopDelay   time.Duration `default:"2s"  env:"REMEDY_STOP_DELAY"   help:"${stop_delay}"`
	StopTimeout time.Duration `default:"45s" env:"REMEDY_STOP_TIMEOUT" help:"${stop_timeout}"`

	LogFormat string `default:"text" enum:"text,json"             env:"REMEDY_LOG_FORMAT" help:"${log_format}"`
	LogLevel  string `default:"info" enum:"debug,info,warn,error" env:"REMEDY_LOG_LEVEL"  help:"${log_level}"`
}

// texts says what each flag does, in which unit, and what its extremes mean. The help shows the defaults besides.
func texts() kong.Vars {
	return kong.Vars{
		"listen": "host:port to listen on. Port 0 takes a free one; the address is printed either way.",
		"allow_remote": "Listen on an address that is not loopback, although nothing is encrypted and every caller is anonymous: " +
			"only behind a proxy that sees to both. Off by default.",
		"dev_principal":  "Who a caller on loopback is that does not say so in the header remedy-dev-principal.",
		"call_timeout":   "Time for a call that comes without a deadline, for example 90s or 2m. 0 is no bound.",
		"max_concurrent": "Calls that run at once; more are answered overloaded. 0 is no bound.",
		"max_operations": "Operations that are remembered at once, 1 or more. Those that completed longest ago are forgotten " +
			"first, but not within ten minutes; a call that finds no room is answered overloaded, with the time until there is some.",
		"stop_delay":   "Time between NOT_SERVING in health checks and the first refused call, after SIGTERM or SIGINT.",
		"stop_timeout": "Time for everything that runs to end, the delay included. Then it is cut off.",
		"log_format":   "text or json, on standard error.",
		"log_level":    "debug, info, warn or error.",
	}
}

const description = `Serves tools to agents over gRPC, with errors that say what may be done next.

In this version the tools are those of a sample shop (cancel_order, book_slot, send_payment, ...), and what is known
of operations is kept in memory. An operation key is remembered for 24 hours, under pressure for less, but not for
less than ten minutes, for each caller and tool. After that, or after a restart, it is the key of a new operation.

On loopback a caller may say who it is in the headers remedy-dev-principal and remedy-dev-tenant. That is for
development: nobody checks it.

Exit codes:
  0  told to stop, and everything that ran has ended
  1  could not start or serve, for a reason of this machine
  2  the command line or a REMEDY_ variable is not understood
  3  told to stop, and work was left running at the end of --stop-timeout`

// parse reads the command line. It returns nil flags when it printed the help.
func parse(args []string, out, errs io.Writer) (*flags, error) {
	var f flags
	helped := false
	parser, err := kong.New(&f,
		kong.Name("remedyd"), kong.Description(description), texts(), kong.Writers(out, errs),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 110, NoAppDescFormat: true}),
		kong.Exit(func(int) { helped = true }), // --help goes on parsing after this
	)
	if err != nil {
		return nil, fmt.Errorf("making the parser: %w", err)
	}
	_, err = parser.Parse(args)
	if helped {
		return nil, nil //nolint:nilnil // nothing is left to do
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // kong names the flag
	}
	return &f, f.check()
}

// check finds what a flag alone cannot know to be wrong.
func (f *flags) check() error {
	host, _, err := net.SplitHostPort(f.Listen)
	switch {
	case err != nil:
		return fmt.Errorf("--listen %q is not host:port: write for example 127.0.0.1:7465 or [::1]:7465", f.Listen)
	case !f.AllowRemote && !isLoopback(host):
		return fmt.Errorf("--listen %q is not a loopback address, and callers are not authenticated: listen on 127.0.0.1 or [::1], "+
			"or set --allow-remote behind a proxy that authenticates", f.Listen)
	case f.CallTimeout < 0:
		return errors.New("--call-timeout must not be negative: 0 is no bound")
	case f.MaxConcurrent < 0:
		return errors.New("--max-concurrent must not be negative: 0 is no bound")
	case f.MaxOperations < 1:
		return errors.New("--max-operations must be 1 or more")
	case f.StopDelay < 0:
		return errors.New("--stop-delay must not be negative")
	case f.StopTimeout <= f.StopDelay:
		return fmt.Errorf("--stop-timeout %v must be longer than --stop-delay %v", f.StopTimeout, f.StopDelay)
	case f.DevPrincipal == "":
		return errors.New("--dev-principal must not be empty")
	}
	return nil
}

// isLoopback reports whether nobody else can reach a host name or address. A name may resolve to anything, but localhost
// by RFC 6761 does not.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
