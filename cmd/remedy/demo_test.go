package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"google.golang.org/grpc/test/bufconn"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/demo"
)

// play plays the demo in memory and in fake time, so that nothing waits.
func play(t *testing.T, asJSON bool) (out string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := bufconn.Listen(1 << 16)
		var b bytes.Buffer
		err := playDemo(t.Context(), &streams{out: &b}, demo.Options{
			Listener: listener,
			Dial:     func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) },
		}, asJSON)
		if err != nil {
			t.Error(err)
		}
		out = b.String()
	})
	return regexp.MustCompile(`op_[A-Z2-7]{26}`).ReplaceAllString(out, "op_ID")
}

func TestDemoGolden(t *testing.T) {
	t.Parallel()
	golden(t, "demo.txt", play(t, false))
	golden(t, "demo.json", play(t, true))
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
			Dial: func(context.Context, string) (net.Conn, error) { return nil, errors.New("no way") },
		}, asJSON)
		if exitCode(err) != exitFailed {
			t.Errorf("exit %d, %v", exitCode(err), err)
		}
		text := "Only 0 of 8 errors went as they should."
		if asJSON {
			text = `"ok": false`
		}
		if !strings.Contains(out.String(), text) || !strings.Contains(out.String(), "no way") {
			t.Errorf("got\n%s", out.String())
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
