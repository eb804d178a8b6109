//go:build unix

package remedyd_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/remedyrpc/remedy/server/remedyd"
)

// asProgram has the binary of the tests be a daemon.
const asProgram = "REMEDYD_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		remedyd.Main()
	}
	os.Exit(m.Run())
}

// TestNobodyReads has a daemon write a log and an address that nobody reads any more. It goes on until it is told to stop.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "--listen", "127.0.0.1:0", "--db", "memory", "--stop-delay", "0s")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil { // before it has written anything, or soon after
		t.Error(err)
	}
	ready := false
	for lines := bufio.NewScanner(out); !ready && lines.Scan(); {
		ready = strings.Contains(lines.Text(), ": listening on ")
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil { // which it logs
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil || !ready {
		t.Errorf("it listened: %v; it ended with %v", ready, err)
	}
}
