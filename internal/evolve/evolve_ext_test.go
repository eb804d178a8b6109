package evolve_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remedyrpc/remedy/internal/evolve/seen"
)

// TestNewError: a client that was generated before an error was added has its code, rule and plan, and one that was generated
// afterwards has its type.
func TestNewError(t *testing.T) {
	t.Parallel()
	folder := built(t)
	address := served(t, filepath.Join(folder, "server"))
	stale := seen.Error{
		Tool: true, Domain: "evolve.v1", Code: "slot_stale", Rule: "after_repair", Status: "Aborted", Actions: []string{"refresh_state"},
		Preserve: []string{"operationKey"}, Update: []string{"slotId"},
		Message: `Slot "stale" is no longer available. [slot_stale; retry only after repair] Next action: Refresh the state. ` +
			"Choose a current slot. Keep unchanged: operationKey. Replace from repair output: slotId.",
	}
	gone := seen.Error{
		Tool: true, Domain: "evolve.v1", Code: "slot_gone", Rule: "never", Status: "NotFound",
		Message: `Slot "gone" is gone. [slot_gone; do not retry]`, SlotID: "gone",
	}
	before, after := stale, stale
	before.Type, before.Undeclared = "*errs.ToolError", 1
	after.Type, after.SlotID, after.Number = "*afterv1.SlotStaleError", "stale", 3
	t.Run("before", func(t *testing.T) {
		t.Parallel()
		gone, watched := gone, before
		gone.Type, watched.Undeclared = "*beforev1.SlotGoneError", 2
		want := seen.Calls{"book stale": before, "watch stale": watched, "book gone": gone, "watch gone": gone}
		compare(t, called(t, filepath.Join(folder, "clientbefore"), address), want)
	})
	t.Run("after", func(t *testing.T) {
		t.Parallel()
		gone := gone
		gone.Type, gone.Number = "*afterv1.SlotGoneError", 1_800_000_000
		want := seen.Calls{"book stale": after, "watch stale": after, "book gone": gone, "watch gone": gone}
		compare(t, called(t, filepath.Join(folder, "clientafter"), address), want)
	})
}

func compare(t *testing.T, got, want seen.Calls) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// built builds the server and both clients into a folder.
func built(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	into := folder + string(filepath.Separator)
	build := exec.CommandContext(t.Context(), "go", "build", "-o", into, "./server", "./clientbefore", "./clientafter")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return folder
}

// served starts a server, which the end of the test kills, and returns its address.
func served(t *testing.T, program string) string {
	t.Helper()
	server := exec.CommandContext(t.Context(), program)
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait() // says that it was killed
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// called runs a client.
func called(t *testing.T, program, address string) seen.Calls {
	t.Helper()
	client := exec.CommandContext(t.Context(), program, address)
	client.Stderr = os.Stderr
	out, err := client.Output()
	if err != nil {
		t.Fatal(err)
	}
	var calls seen.Calls
	if err := json.Unmarshal(out, &calls); err != nil {
		t.Fatal(err)
	}
	return calls
}
