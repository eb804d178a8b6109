package demo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/remedyrpc/remedy/client"
)

// patience is how long a process may take to end that was told to.
const patience = 10 * time.Second

// process is a service in a process of its own, and a client of it.
type process struct {
	addr   string
	client *client.Client

	cmd   *exec.Cmd
	stdin io.Closer     // the service ends when it is closed
	says  chan string   // lines of the standard output
	ended chan struct{} // closed once it has ended, and log and err are there to read
	log   bytes.Buffer  // its standard error
	err   error
}

// thisProgram is the default of Options.Command.
func thisProgram(ctx context.Context, args ...string) (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("looking for this program: %w", err)
	}
	return exec.CommandContext(ctx, path, args...), nil //nolint:gosec // it is this program
}

// launch starts the service and waits until it listens. The process ends with ctx, or with end.
func launch(ctx context.Context, options Options, service *Service) (*process, error) {
	command := options.Command
	if command == nil {
		command = thisProgram
	}
	cmd, err := command(ctx, ServiceCommand,
		"--db", service.DB, "--book", service.Book, "--ahead", service.Ahead.String(), "--hold", service.Hold)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, says: make(chan string, 8), ended: make(chan struct{})}
	cmd.Stderr, cmd.WaitDelay = &p.log, patience
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err //nolint:wrapcheck // it says what it is
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is
	}
	if err := cmd.Start(); err != nil {
		return nil, err //nolint:wrapcheck // it says what could not be started
	}
	go p.follow(stdout)
	if p.addr, err = p.expect(ctx, saysListening); err == nil {
		p.client, err = client.Dial(p.addr, client.WithInsecure(), client.WithLedger())
	}
	if err != nil {
		return nil, errors.Join(err, p.end())
	}
	return p, nil
}

// follow reads what the process says until it has ended.
func (p *process) follow(stdout io.Reader) {
	defer close(p.ended)
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		select {
		case p.says <- lines.Text():
		default: // more than anybody asks for
		}
	}
	_, _ = io.Copy(io.Discard, stdout) // what is too long for a line
	p.err = p.cmd.Wait()
}

// expect waits for a line and returns what follows the prefix.
func (p *process) expect(ctx context.Context, prefix string) (string, error) {
	select {
	case line := <-p.says:
		rest, ok := strings.CutPrefix(line, prefix)
		if !ok {
			return "", fmt.Errorf("it said %q, and not where it is or what it does", line)
		}
		return rest, nil
	case <-p.ended:
		return "", p.died()
	case <-ctx.Done():
		return "", context.Cause(ctx) //nolint:wrapcheck // it says what ended the wait
	}
}

// died says how a process ended that should not have.
func (p *process) died() error {
	err := fmt.Errorf("it ended: %s", p.cmd.ProcessState)
	if text := strings.TrimSpace(p.log.String()); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// kill ends the process as nothing does that leaves it time to tidy up, and says how it ended.
func (p *process) kill() (string, error) {
	if err := p.cmd.Process.Kill(); err != nil {
		return "", fmt.Errorf("killing it: %w", err)
	}
	if err := p.wait(); err != nil {
		return "", err
	}
	return p.cmd.ProcessState.String(), nil
}

// stop ends the process in the way of its own.
func (p *process) stop() error {
	_ = p.stdin.Close() // it may have ended
	if err := p.wait(); err != nil {
		return err
	}
	if p.err != nil {
		return p.died()
	}
	return nil
}

// end makes sure that nothing is left of the process.
func (p *process) end() error {
	if p.client != nil {
		_ = p.client.Close() // nothing is left to lose
	}
	_ = p.cmd.Process.Kill() // it may have ended
	return p.wait()
}

func (p *process) wait() error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.ended:
		return nil
	case <-timer.C:
		return fmt.Errorf("process %d does not end", p.cmd.Process.Pid)
	}
}
