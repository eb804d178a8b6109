//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/remedyrpc/remedy/client"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/internal/shop"
	"github.com/remedyrpc/remedy/internal/tcptest"
)

// binary is the daemon, built as a campaign builds it.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	code := func() int {
		folder, err := os.MkdirTemp("", "remedyd")
		if err != nil {
			return fail(err)
		}
		defer os.RemoveAll(folder)
		binary = filepath.Join(folder, "remedyd")
		if out, err := exec.Command("go", "build", "-tags", "crashpoint", "-o", binary, ".").CombinedOutput(); err != nil {
			return fail(fmt.Errorf("building: %w\n%s", err, out))
		}
		return m.Run()
	}()
	os.Exit(code)
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// world is what outlives a process: a database, and the book of the carrier.
type world struct {
	*testing.T

	db, book string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	folder := t.TempDir()
	return &world{T: t, db: filepath.Join(folder, "operations.db"), book: filepath.Join(folder, "book")}
}

// requests returns what is in the book.
func (w *world) requests() []shop.Request {
	w.Helper()
	requests, err := shop.NewCarrier(w.book).Requests()
	if err != nil {
		w.Fatal(err)
	}
	return requests
}

// process is a daemon in a process of its own.
type process struct {
	*client.Client

	operations servicev1.OperationServiceClient
	cmd        *exec.Cmd
	wait       func() syscall.WaitStatus
}

// start starts the daemon, with variables besides, and waits until it listens. It is killed when the test ends.
func (w *world) start(variables ...string) *process {
	w.Helper()
	return w.startWith([]string{"--stop-delay", "0s"}, variables...)
}

func (w *world) startWith(args []string, variables ...string) *process {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), binary, append([]string{"--listen", "127.0.0.1:0", "--db", w.db}, args...)...)
	cmd.Env = append(append(os.Environ(), "REMEDY_CRASH_BOOK="+w.book), variables...)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	p := &process{cmd: cmd, wait: sync.OnceValue(func() syscall.WaitStatus {
		_ = cmd.Wait() // its status says more
		return cmd.ProcessState.Sys().(syscall.WaitStatus)
	})}
	w.Cleanup(func() {
		_ = cmd.Process.Kill() // where it has not ended
		p.wait()
		if w.Failed() {
			w.Logf("%v %v:\n%s", args, variables, log.String())
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, addr, ok := strings.Cut(lines.Text(), ": listening on "); ok {
			p.connect(w, addr)
			return p
		}
	}
	w.Fatalf("it does not listen: %v", p.wait())
	return nil
}

func (p *process) connect(w *world, addr string) {
	w.Helper()
	conn := tcptest.Dial(w, addr, client.DialOptions()...)
	var err error
	if p.Client, err = client.New(conn); err != nil {
		w.Fatal(err)
	}
	p.operations = servicev1.NewOperationServiceClient(conn)
}

// killed waits for a process that was killed.
func (p *process) killed(t *testing.T) {
	t.Helper()
	if status := p.wait(); !status.Signaled() || status.Signal() != syscall.SIGKILL {
		t.Errorf("it was not killed: %v", status)
	}
}

// stop stops it the way a machine does that shuts down.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if status := p.wait(); status.ExitStatus() != 0 {
		t.Errorf("exit code %d", status.ExitStatus())
	}
}

type parcel struct {
	Parcel string `json:"parcel"`
}

type shipped struct {
	Parcel   string `json:"parcel"`
	Tracking string `json:"tracking"`
}

// ship calls a tool of the carrier.
func (p *process) ship(ctx context.Context, tool, key string) (client.Result[shipped], error) {
	return client.Call[parcel, shipped](ctx, p.Client, tool, parcel{Parcel: "p1"}, client.WithOperationKey(key))
}
