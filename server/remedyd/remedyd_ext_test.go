package remedyd_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/internal/apitest"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/remedyd"
)

func TestAPI(t *testing.T) {
	t.Parallel()
	apitest.Check(t, *update, "testdata/api.golden", ".")
}

func TestHelp(t *testing.T) {
	t.Parallel()
	code, out, log := once(t, "--help")
	if code != remedyd.ExitOK || log != "" {
		t.Errorf("exit code %d, %s", code, log)
	}
	golden(t, "help.golden", out)
}

func TestRefused(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	tests := []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--liste"}, remedyd.ExitUsage, "unknown flag --liste"},
		{[]string{"--listen", "7465"}, remedyd.ExitUsage, `--listen "7465" is not host:port: write for example`},
		{[]string{"--listen", "0.0.0.0:0"}, remedyd.ExitUsage, `--listen "0.0.0.0:0" is not a loopback address`},
		{[]string{"--listen", ":0"}, remedyd.ExitUsage, `--listen ":0" is not a loopback address`},
		{[]string{"--listen", "localhost.example.com:0"}, remedyd.ExitUsage, `is not a loopback address`},
		{
			[]string{"--db", "memory", "--listen", busy.Addr().String()},
			remedyd.ExitFailed,
			"address already in use: stop what listens there, or choose another port",
		},
		{[]string{"--db", "memory", "--listen", "127.0.0.1:99999"}, remedyd.ExitFailed, "write host:port with a port of at most 65535"},
		{
			[]string{"--db", "memory", "--allow-remote", "--listen", "192.0.2.1:0"}, // RFC 5737: nobody's
			remedyd.ExitFailed,
			"write an address of this machine, or 0.0.0.0 or [::] for all of them",
		},
		{[]string{"--log-format", "xml"}, remedyd.ExitUsage, `--log-format must be one of "text","json" but got "xml"`},
		{[]string{"--log-level", "loud"}, remedyd.ExitUsage, `--log-level must be one of`},
		{[]string{"--stop-delay", "1m"}, remedyd.ExitUsage, "--stop-timeout 45s must be longer than --stop-delay 1m0s"},
		{[]string{"--stop-delay=-1s"}, remedyd.ExitUsage, "--stop-delay must not be negative"},
		{[]string{"--stop-timeout", "soon"}, remedyd.ExitUsage, "--stop-timeout"},
		{[]string{"--call-timeout=-1s"}, remedyd.ExitUsage, "--call-timeout must not be negative"},
		{[]string{"--max-operations=-1"}, remedyd.ExitUsage, "--max-operations must not be negative"},
		{[]string{"--max-concurrent=-1"}, remedyd.ExitUsage, "--max-concurrent must not be negative"},
		{[]string{"--dev-principal="}, remedyd.ExitUsage, "--dev-principal must not be empty"},
		{[]string{"--keep-outputs=0s"}, remedyd.ExitUsage, "--keep-outputs must be longer than 0"},
		{[]string{"--keep-keys=1h"}, remedyd.ExitUsage, "--keep-keys 1h0m0s must not be shorter than --keep-outputs 24h0m0s"},
		{[]string{"--sweep-interval=-1s"}, remedyd.ExitUsage, "--sweep-interval must not be negative"},
		{[]string{"--db-durability=some"}, remedyd.ExitUsage, "--db-durability must be one of"},
		{[]string{"--db=memory", "--db-durability=process"}, remedyd.ExitUsage, "--db-durability process is for an SQLite file"},
		{[]string{"--db=mysql://root:secret@host/db"}, remedyd.ExitUsage, "--db mysql:… is no database that is known"},
		{[]string{"--db=postgres:/me:secret@host/db"}, remedyd.ExitUsage, "--db postgres:… is no database that is known"},
		{[]string{"--db= postgres://me:secret@host/db"}, remedyd.ExitUsage, "--db postgres:… is no database that is known"},
		{[]string{"--db=file:/tmp/x.db"}, remedyd.ExitUsage, "name a file by its path"},
		{[]string{"--db=me:secret@tcp(host)/db"}, remedyd.ExitUsage, "--db looks like a DSN with a password"},
		{[]string{"--db=host=h password=secret"}, remedyd.ExitUsage, "--db looks like a DSN in words"},
		{[]string{"--db=postgres://me:sec%ret@host/db"}, remedyd.ExitUsage, "--db is no URL: in user and password write %40 for @"},
		{[]string{"migrate", "--db=memory"}, remedyd.ExitUsage, "--db memory has no schema"},
		{[]string{"migrates"}, remedyd.ExitUsage, "unexpected argument migrates"},
	}
	for _, test := range tests {
		code, out, log := once(t, test.args...)
		if code != test.code || !strings.Contains(log, test.want) || out != "" || strings.Contains(log, "sec") && strings.Contains(log, "ret@") {
			t.Errorf("%v: exit code %d, want %d\ngot  %s\nwant %s", test.args, code, test.code, log, test.want)
		}
		if _, more, _ := strings.Cut(log, "\n"); strings.Contains(log, "secret") || test.code == remedyd.ExitUsage && more != "" {
			t.Errorf("%v: not one line, or a password: %s", test.args, log)
		}
	}
}

// TestVariables sets what could be flags.
func TestVariables(t *testing.T) {
	t.Setenv("REMEDY_DB", "memory")
	t.Setenv("REMEDY_STOP_TIMEOUT", "1s")
	if code, _, log := once(t, "--stop-delay", "2s"); code != remedyd.ExitUsage || !strings.Contains(log, "--stop-timeout 1s") {
		t.Errorf("exit code %d, %s", code, log)
	}
	t.Setenv("REMEDY_STOP_TIMEOUT", "soon")
	if code, _, log := once(t); code != remedyd.ExitUsage || !strings.Contains(log, "stop-timeout") {
		t.Errorf("exit code %d, %s", code, log)
	}
}

// TestWindow refuses a tool that no caller without a deadline could call.
func TestWindow(t *testing.T) {
	t.Parallel()
	type nothing struct{}
	tool := server.NewTool("slow", "Takes its time.", server.Tool[nothing, nothing]{
		Immediate: func(context.Context, *server.Op, nothing) (nothing, error) { return nothing{}, nil },
		Timeouts:  server.Timeouts{Window: 2 * time.Minute},
	})
	var log bytes.Buffer
	args := []string{"remedyd", "--db=memory", "--listen=127.0.0.1:0"}
	code := remedyd.Run(t.Context(), args, remedyd.Streams{Out: io.Discard, Err: &log}, tool)
	const want = "--call-timeout 1m0s: the tool slow needs a window of 2m0s"
	if code != remedyd.ExitFailed || !strings.Contains(log.String(), want) {
		t.Errorf("exit code %d, %s", code, log.String())
	}
	ended, end := context.WithCancel(t.Context())
	end()
	log.Reset()
	code = remedyd.Run(ended, append(args, "--call-timeout=3m", "--stop-delay=0s"), remedyd.Streams{Out: io.Discard, Err: &log}, tool)
	if code != remedyd.ExitOK || strings.Contains(log.String(), "window") {
		t.Errorf("with enough time: exit code %d, %s", code, log.String())
	}
}
