package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/test/bufconn"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/demo"
)

// TestMain makes this binary the program that the demo starts in a process of its own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == demo.ServiceCommand {
		os.Exit(run(context.Background(), os.Args[1:], &streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
	}
	os.Exit(m.Run())
}

// scenes returns options that play the scenes in memory.
func scenes() demo.Options {
	listener := bufconn.Listen(1 << 16)
	return demo.Options{
		Listener: listener,
		Dial:     func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) },
	}
}

// play plays the demo, and makes what differs from one time to the next the same.
func play(t *testing.T, asJSON bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := playDemo(t.Context(), &streams{out: &b}, scenes(), asJSON); err != nil {
		t.Error(err)
	}
	out := regexp.MustCompile(`op_[A-Z2-7]{26}`).ReplaceAllString(b.String(), "op_ID")
	return regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(out, "127.0.0.1:PORT")
}

func TestDemoGolden(t *testing.T) {
	t.Parallel()
	golden(t, "demo.txt", play(t, false))
	golden(t, "demo.json", play(t, true))
}

func TestDemoHelp(t *testing.T) {
	t.Parallel()
	r := command(t, "", "demo", "--help")
	if r.code != exitOK || r.err != "" {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
	golden(t, "demo_help.txt", strings.TrimSuffix(r.out, exitCodes))
}

// Every error of the reference is there, with the Go type that it is matched by and what its plan led to.
func TestDemoShowsEveryError(t *testing.T) {
	t.Parallel()
	var transcript demo.Transcript
	if err := json.Unmarshal([]byte(play(t, true)), &transcript); err != nil {
		t.Fatal(err)
	}
	want := []struct{ code, kind string }{
		{"invalid_input", "*errs.ValidationError"},
		{"order_already_shipped", "*errs.ToolError"},
		{"slot_stale", "*errs.ToolError"},
		{"payment_source_stale", "*errs.ToolError"},
		{"authorization_denied", "*errs.AuthorizationError"},
		{"confirmation_declined", "*errs.ConfirmationError"},
		{"verification_failed", "*errs.VerificationError"},
		{"outcome_unknown", "*errs.OutcomeUnknownError"},
	}
	if !transcript.OK || len(transcript.Scenes) != len(want) {
		t.Fatalf("ok %v, %d scenes", transcript.OK, len(transcript.Scenes))
	}
	for i, w := range want {
		scene := transcript.Scenes[i]
		if scene.Code != w.code || scene.Error.Type != w.kind || !scene.Matched || scene.Problem != "" || scene.Why == "" {
			t.Errorf("got %s, %s, %s; want %s, %s", scene.Code, scene.Error.Type, scene.Problem, w.code, w.kind)
		}
		if !strings.HasPrefix(scene.Error.Match, "e, ok := errors.AsType["+w.kind+"](err); ok") {
			t.Errorf("%s: %s", w.code, scene.Error.Match)
		}
		if scene.Error.Retry == "after_repair" && (len(scene.Repair) == 0 || scene.Repair[len(scene.Repair)-1].Error != "") {
			t.Errorf("%s was not repaired", w.code)
		}
	}
}

// A demo that does not get what it expects says so, and fails.
func TestDemoFails(t *testing.T) {
	t.Parallel()
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		err := playDemo(t.Context(), &streams{out: &out}, demo.Options{
			Dial:    func(context.Context, string) (net.Conn, error) { return nil, errors.New("no way") },
			Command: func(context.Context, ...string) (*exec.Cmd, error) { return nil, errors.New("no program") },
		}, asJSON)
		if exitCode(err) != exitFailed {
			t.Errorf("exit %d, %v", exitCode(err), err)
		}
		text := "Only 0 of 8 errors went as they should."
		if asJSON {
			text = `"ok": false`
		}
		for _, want := range []string{text, "no way", "no program"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("got no %q in\n%s", want, out.String())
			}
		}
	}
}

func TestDemoNeedsAPort(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := playDemo(ctx, &streams{out: &bytes.Buffer{}}, demo.Options{}, false); exitCode(err) == exitOK {
		t.Error("it did not fail")
	}
}

// The story is about the same operation from the lost answer to the receipt, and the effect takes place once.
func TestDemoTellsTheStory(t *testing.T) {
	t.Parallel()
	r := command(t, "", "demo", "--json")
	var transcript demo.Transcript
	if err := json.Unmarshal([]byte(r.out), &transcript); err != nil || r.code != exitOK {
		t.Fatalf("exit %d, %v\n%s", r.code, err, r.err)
	}
	want := map[string][]string{
		"ship_tracked":   {"started", "held", "killed", "started", "called", "counted"},
		"ship_untracked": {"started", "held", "killed", "started", "called", "reconciled", "resolved", "called", "counted"},
	}
	if len(transcript.Story) != len(want) {
		t.Fatalf("%d chapters", len(transcript.Story))
	}
	for _, chapter := range transcript.Story {
		var kinds []string
		for _, event := range chapter.Events {
			kinds = append(kinds, event.Kind)
		}
		if diff := cmp.Diff(want[chapter.Tool], kinds); diff != "" || chapter.Problem != "" {
			t.Errorf("%s: %s%s", chapter.Tool, chapter.Problem, diff)
			continue
		}
		lost, receipt, counted := chapter.Events[2], chapter.Events[len(kinds)-2], chapter.Events[len(kinds)-1]
		id := lost.Error.OperationID
		if lost.Call.Error != "outcome_unknown" || lost.Error.OperationKey != lost.Call.Key || id == "" {
			t.Errorf("%s: the lost answer is %+v", chapter.Tool, lost.Error)
		}
		if !receipt.Call.Replayed || receipt.Call.Verified != (chapter.Tool == "ship_tracked") || receipt.Call.Output["tracking"] != id {
			t.Errorf("%s: the receipt is %+v", chapter.Tool, receipt.Call)
		}
		if len(counted.Book) != 1 || !strings.HasPrefix(counted.Book[0], id+" ") {
			t.Errorf("%s: the book is %q", chapter.Tool, counted.Book)
		}
	}
}

// launches makes the commands of a story, with arguments that a test changes, and remembers them.
type launches struct {
	change func(args []string) []string

	mu   sync.Mutex
	made []*exec.Cmd
}

func (l *launches) command(ctx context.Context, args ...string) (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if l.change != nil {
		args = l.change(args)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made = append(l.made, cmd)
	return cmd, nil
}

// A story that goes wrong is told, and the demo fails; neither a process nor a folder is left.
func TestDemoStoryFails(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	elsewhere := t.TempDir()
	book := func(args []string) string { return args[slices.Index(args, "--book")+1] }
	n := 0
	tests := []struct {
		name   string
		change func(args []string) []string
		want   []string
	}{
		{"well", nil, []string{"The service was killed after 2 effects"}},
		{"it forgets", func(args []string) []string {
			n++
			args[slices.Index(args, "--db")+1] = filepath.Join(elsewhere, string(rune('a'+n)))
			return args
		}, []string{"got another result than the stored", "Only 0 of 2 kills"}},
		{"it does not hold", func(args []string) []string { return append(args, "--hold", "") }, []string{"before the service was killed: it"}},
		{"its book is damaged", func(args []string) []string {
			if err := os.WriteFile(book(args), []byte("two words\n"), 0o600); err != nil {
				t.Error(err)
			}
			return args
		}, []string{"line 1 is damaged"}},
		{"its book has more", func(args []string) []string {
			if err := os.WriteFile(book(args), []byte("op_1 k1 ship_tracked p1\n"), 0o600); err != nil {
				t.Error(err)
			}
			return args
		}, []string{"the book of the carrier has 2 lines"}},
		{"it ends", func(args []string) []string { return append(args, "--unknown") }, []string{"it ended: exit status 2", "--unknown"}},
		{"it is another program", func([]string) []string { return []string{demo.ServiceCommand, "--help"} }, []string{"it said"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := &launches{change: test.change}
			options := scenes()
			options.Command = l.command
			var out bytes.Buffer
			err := playDemo(t.Context(), &streams{out: &out}, options, false)
			if got, want := exitCode(err) == exitOK, test.change == nil; got != want {
				t.Errorf("exit %d, %v", exitCode(err), err)
			}
			text := strings.Join(strings.Fields(out.String()), " ")
			for _, want := range append(test.want, "All 8 errors") {
				if !strings.Contains(text, want) {
					t.Errorf("got no %q in\n%s", want, out.String())
				}
			}
			l.gone(t)
			empty(t, temp)
		})
	}
}

// gone fails where one of the processes may be there still.
func (l *launches) gone(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.made) == 0 {
		t.Error("no process was started")
	}
	for _, cmd := range l.made {
		if cmd.Process != nil && cmd.ProcessState == nil {
			t.Errorf("process %d was not waited for", cmd.Process.Pid)
		}
	}
}

func empty(t *testing.T, folder string) {
	t.Helper()
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A demo that is interrupted tidies up.
func TestDemoInterrupted(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := &launches{}
	l.change = func(args []string) []string {
		if slices.Contains(args, "1m0s") { // the one that is started after the other was killed
			cancel()
		}
		return args
	}
	options := scenes()
	options.Command = l.command
	var out bytes.Buffer
	if err := playDemo(ctx, &streams{out: &out}, options, false); exitCode(err) != exitFailed || !strings.Contains(out.String(), "canceled") {
		t.Errorf("%v\n%s", err, out.String())
	}
	l.gone(t)
	empty(t, temp)
}

// A file that must not be executed cannot be the service.
func TestDemoNeedsToExecute(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "remedy")
	if err := os.WriteFile(path, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	options := scenes()
	options.Command = func(ctx context.Context, args ...string) (*exec.Cmd, error) {
		return exec.CommandContext(ctx, path, args...), nil
	}
	var out bytes.Buffer
	err := playDemo(t.Context(), &streams{out: &out}, options, false)
	if exitCode(err) != exitFailed || !strings.Contains(out.String(), "starting the service in a process of its own: fork/exec") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// The service ends with whoever started it.
func TestDemoServiceEnds(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	in, parent := io.Pipe()
	stdout, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), []string{
			demo.ServiceCommand, "--db", filepath.Join(folder, "operations.db"), "--book", filepath.Join(folder, "book"),
		}, &streams{in: in, out: out, err: io.Discard})
	}()
	line := make([]byte, 100)
	if n, err := stdout.Read(line); err != nil || !bytes.HasPrefix(line[:n], []byte("listening 127.0.0.1:")) {
		t.Errorf("got %q, %v", line[:n], err)
	}
	_ = parent.Close()
	if code := <-ended; code != exitOK {
		t.Errorf("exit %d", code)
	}
}
