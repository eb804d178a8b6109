package remedyd

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// flags is the command line. Each flag is a variable, too.
type flags struct {
	Listen       string `default:"127.0.0.1:7465" env:"REMEDY_LISTEN"        help:"${listen}"`
	DevPrincipal string `default:"developer"      env:"REMEDY_DEV_PRINCIPAL" help:"${dev_principal}"`

	AllowRemote bool `env:"REMEDY_ALLOW_REMOTE" help:"${allow_remote}"`

	DB string `env:"REMEDY_DB" help:"${db}" placeholder:"WHERE"`

	DBDurability string `default:"full" enum:"full,process" env:"REMEDY_DB_DURABILITY" help:"${db_durability}"`

	DBCheck bool `default:"true" env:"REMEDY_DB_CHECK" help:"${db_check}" negatable:""`

	KeepOutputs   time.Duration `default:"24h"  env:"REMEDY_KEEP_OUTPUTS"   help:"${keep_outputs}"`
	KeepKeys      time.Duration `default:"720h" env:"REMEDY_KEEP_KEYS"      help:"${keep_keys}"`
	MaxOperations int           `default:"0"    env:"REMEDY_MAX_OPERATIONS" help:"${max_operations}"`
	SweepInterval time.Duration `default:"5s"   env:"REMEDY_SWEEP_INTERVAL" help:"${sweep_interval}"`

	CallTimeout   time.Duration `default:"60s"  env:"REMEDY_CALL_TIMEOUT"   help:"${call_timeout}"`
	MaxConcurrent int           `default:"1000" env:"REMEDY_MAX_CONCURRENT" help:"${max_concurrent}"`

	StopDelay   time.Duration `default:"2s"  env:"REMEDY_STOP_DELAY"   help:"${stop_delay}"`
	StopTimeout time.Duration `default:"45s" env:"REMEDY_STOP_TIMEOUT" help:"${stop_timeout}"`

	LogFormat string `default:"text" enum:"text,json"             env:"REMEDY_LOG_FORMAT" help:"${log_format}"`
	LogLevel  string `default:"info" enum:"debug,info,warn,error" env:"REMEDY_LOG_LEVEL"  help:"${log_level}"`

	Serve struct{} `cmd:"" default:"1" help:"Serve the tools until SIGINT or SIGTERM. The default."`

	Migrate migrateFlags `cmd:"" help:"Bring the database to the schema of this version, and end."`

	migrates bool
	database database
}

type migrateFlags struct {
	DryRun bool `help:"Say what would be done, and change nothing."`
}

// texts says what each flag does, in which unit, and what its extremes mean. The help shows the defaults besides.
func texts() kong.Vars {
	return kong.Vars{
		"listen": "host:port to listen on. Port 0 takes a free one; the address is printed either way.",
		"allow_remote": "Listen on an address that is not loopback, although nothing is encrypted and every caller is one and the same: " +
			"only behind a proxy that sees to both. Off by default.",
		"dev_principal": "Who a caller on loopback is that does not say so in the header remedy-dev-principal.",
		"db": "Where operations are kept: a file (SQLite), postgres://… (a database that replicas share; with a password, set the " +
			"variable and not the flag), or memory, which forgets them at the end of the process: a retry after that has the " +
			"effect again. An older schema is migrated, a newer one refused. The default is the file operations.db in " +
			"$STATE_DIRECTORY, or else in a folder of this program's name in $XDG_STATE_HOME or ~/.local/state.",
		"db_durability": "What an acknowledged write to an SQLite file survives. full: a power cut. process: only the end of this " +
			"process, so that a power cut may repeat effects; for development.",
		"db_check": "Check the structure of an SQLite file at the start, about a second for each 100 MB.",
		"keep_outputs": "Time that the output of a completed operation is kept; equal calls after that are answered " +
			"operation_expired.",
		"keep_keys": "Time that a completed operation is kept, --keep-outputs or more. After that its key is that of a new operation.",
		"max_operations": "Operations that are kept at once; a call that finds no room is answered overloaded. 0 is no bound, but " +
			"10000 in memory, where those that completed longest ago give way, though not within ten minutes.",
		"sweep_interval": "Time between two looks for operations whose process is gone. 0 never looks, for tests.",
		"call_timeout":   "Time for a call that comes without a deadline, for example 90s or 2m. 0 is no bound.",
		"max_concurrent": "Calls that run at once; more are answered overloaded. 0 is no bound.",
		"stop_delay":     "Time between NOT_SERVING in health checks and the first refused call, after SIGTERM or SIGINT.",
		"stop_timeout": "Time for everything that runs to end, the delay included. Then it is cut off, and what may have had an effect " +
			"is looked up by whoever opens the database next.",
		"log_format": "text or json, on standard error.",
		"log_level":  "debug, info, warn or error.",
	}
}

const description = `Serves tools to agents over gRPC, with errors that say what may be done next.

Calls of one principal to one tool with the same operation key are one operation: equal retries get the one result, and
at most one effect crosses the boundary, for as long as the key is kept.

Callers are not authenticated. On loopback a caller says who it is in the headers remedy-dev-principal and
remedy-dev-tenant, and everybody is an operator of that tenant; a proxy on this machine makes all its callers that. On
other addresses those headers are refused, all callers are one principal, and nobody is an operator: who has to resolve
an operation serves the same database on loopback.

SIGTERM and SIGINT stop it: health checks see NOT_SERVING, then calls are refused with shutting_down, then it waits for
what runs. A second signal ends it at once.

Exit codes:
  0  told to stop, and everything that ran has ended; or the command is done
  1  could not start or serve, for a reason of this machine or of the tools
  2  the command line or a REMEDY_ variable is not understood; with a stack trace, the program has a fault, or got SIGQUIT
  3  told to stop, and work was left running at the end of --stop-timeout
  4  the database cannot be used: it is in use, damaged, not writable, of another version or program, or not there
  128 + the number of a signal, in a shell: ended at once, by a second SIGTERM (143) or SIGINT (130), or by one that it does
     not handle, such as SIGHUP (129) or SIGKILL (137, also for want of memory). What may have had an effect is looked up
     by whoever opens the database next`

// parse reads the command line. It returns nil flags when it printed the help.
func (p *program) parse(args []string) (*flags, error) {
	var f flags
	helped := false
	parser, err := kong.New(&f,
		kong.Name(p.name), kong.Description(description), texts(), kong.Writers(p.out, p.err),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 120, NoAppDescFormat: true, FlagsLast: true, NoExpandSubcommands: true}),
		kong.Exit(func(int) { helped = true }), // --help goes on parsing after this
	)
	if err != nil {
		return nil, fmt.Errorf("making the parser: %w", err)
	}
	command, err := parser.Parse(args)
	if helped {
		return nil, nil //nolint:nilnil // nothing is left to do
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // kong names the flag
	}
	f.migrates = strings.HasPrefix(command.Command(), "migrate")
	if f.database, err = p.databaseOf(f.DB); err != nil {
		return nil, err
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
	case f.StopDelay < 0:
		return errors.New("--stop-delay must not be negative")
	case f.StopTimeout <= f.StopDelay:
		return fmt.Errorf("--stop-timeout %v must be longer than --stop-delay %v", f.StopTimeout, f.StopDelay)
	case f.DevPrincipal == "":
		return errors.New("--dev-principal must not be empty")
	}
	return f.checkDatabase()
}

func (f *flags) checkDatabase() error {
	switch {
	case f.MaxOperations < 0:
		return errors.New("--max-operations must not be negative: 0 is no bound, or 10000 in memory")
	case f.KeepOutputs <= 0:
		return errors.New("--keep-outputs must be longer than 0: an equal retry needs the output")
	case f.KeepKeys < f.KeepOutputs:
		return fmt.Errorf("--keep-keys %v must not be shorter than --keep-outputs %v", f.KeepKeys, f.KeepOutputs)
	case f.SweepInterval < 0:
		return errors.New("--sweep-interval must not be negative: 0 never looks")
	case f.DBDurability != "full" && f.database.kind != sqliteFile:
		return fmt.Errorf("--db-durability %s is for an SQLite file: leave it out, or name a file with --db", f.DBDurability)
	case f.migrates && f.database.kind == inMemory:
		return errors.New("--db memory has no schema: name a file, or postgres://…")
	}
	return nil
}

// isLoopback reports whether nobody else can reach a host name or address. A name may resolve to anything, but localhost
// by RFC 6761 does not.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
