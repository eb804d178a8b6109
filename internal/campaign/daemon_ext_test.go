//go:build crashpoint && linux

package campaign_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// hookTimeout is the time of each hook of a tool: the leases are this, or twice this, and the margin of the server.
const hookTimeout = time.Second

// longestLease is that of who sweeps: the recovery of the tool with the longest time, which is one of the shop.
const longestLease = 21 * time.Second

// settling is how long an operation may take to end after its lease, with nobody calling.
const settling = 30 * time.Second

// life is how a daemon is started.
type life struct {
	at    string        // place and number where it kills itself; empty is nowhere
	ahead time.Duration // of its clock
	sweep time.Duration // between two sweeps; zero never sweeps
}

// daemon is a process of its own.
type daemon struct {
	cmd  *exec.Cmd
	addr string        // empty where it ended before it listened
	done chan struct{} // closed when it has ended
}

// start starts a daemon, and returns when it listens or has ended.
func start(db, book, log string, l life) (*daemon, error) {
	out, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close() // the process has its own
	fmt.Fprintf(out, "=== %s %+v\n", time.Now().Format(time.RFC3339Nano), l)
	cmd := exec.Command(program, "--listen", "127.0.0.1:0", "--db", db, "--no-db-check",
		"--sweep-interval", l.sweep.String(), "--stop-delay", "0s")
	cmd.Env = append(os.Environ(), "REMEDY_CRASH_BOOK="+book, "REMEDY_CRASH_TIMEOUT="+hookTimeout.String(),
		"REMEDY_CRASH_AT="+l.at, "REMEDY_CRASH_CLOCK="+l.ahead.String())
	cmd.Stderr = out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // a campaign that is killed leaves nothing behind
	text, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d := &daemon{cmd: cmd, done: make(chan struct{})}
	lines := bufio.NewScanner(text)
	for d.addr == "" && lines.Scan() {
		_, d.addr, _ = strings.Cut(lines.Text(), ": listening on ")
	}
	go func() {
		for lines.Scan() { // to the end of it
		}
		_ = cmd.Wait() // its state says more
		close(d.done)
	}()
	if d.addr == "" {
		<-d.done
		if !d.killed() {
			return nil, fmt.Errorf("the daemon did not start: %v; see %s", cmd.ProcessState, log)
		}
	}
	return d, nil
}

func (d *daemon) signal(s syscall.Signal) { _ = d.cmd.Process.Signal(s) } // it may have ended

// ended reports whether the daemon ends within a time.
func (d *daemon) ended(within time.Duration) bool {
	select {
	case <-d.done:
		return true
	case <-time.After(within):
		return false
	}
}

// kill kills it, and waits for its end.
func (d *daemon) kill() {
	d.signal(syscall.SIGKILL)
	<-d.done
}

// killed reports whether a daemon that has ended was killed.
func (d *daemon) killed() bool {
	status, _ := d.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return status.Signaled() && status.Signal() == syscall.SIGKILL
}
