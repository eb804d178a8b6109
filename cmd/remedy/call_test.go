package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCallGolden(t *testing.T) {
	t.Parallel()
	addr, _ := serve(t)
	for tool, code := range map[string]int{
		"fine": exitOK, "replayed": exitOK, "never": exitNever, "as_is": exitAsIs, "repair": exitAfterRepair,
		"unknown": exitOutcomeUnknown, "foreign": exitUntyped, "lost": exitOutcomeUnknown, "broken": exitOutcomeUnknown,
		"look": exitUntyped, "liar": exitOutcomeUnknown, "secret": exitOutcomeUnknown, "empty": exitNever,
	} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			args := []string{"call", "--addr", addr, "--key", "k-1", "--input", `{"orderId":"o-1"}`, tool}
			got := command(t, "", args...)
			if got.code != code {
				t.Errorf("exit %d, want %d", got.code, code)
			}
			golden(t, "call/"+tool+".txt", steady("-- out\n"+got.out+"-- err\n"+got.err, addr))
			got = command(t, "", append(args, "--json")...)
			if got.code != code || got.err != "" {
				t.Errorf("with --json: exit %d, want %d; %s", got.code, code, got.err)
			}
			golden(t, "call/"+tool+".json", steady(got.out, addr))
			if bad := unshowable(got.out + got.err); bad != "" {
				t.Errorf("%q reaches the terminal", bad)
			}
		})
	}
}

// What is sent is what was asked for, every number as it was written.
func TestCallSends(t *testing.T) {
	t.Parallel()
	addr, f := serve(t)
	file := filepath.Join(t.TempDir(), "input.json")
	if err := os.WriteFile(file, []byte(`{"from":"a file"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		stdin string
		args  []string
	}{
		`{}`:                  {},
		`{"n":1.0, "m":1e99}`: {args: []string{"--input", `{"n":1.0, "m":1e99}`}},
		`{"from":"a file"}`:   {args: []string{"--input", "@" + file}},
		`{"from":"stdin"}`:    {stdin: `{"from":"stdin"}`, args: []string{"--input", "-"}},
	} {
		got := command(t, c.stdin, append([]string{"call", "--addr", addr, "fine", "--run-id", "run-1"}, c.args...)...)
		if got.code != exitOK {
			t.Fatalf("exit %d, %s", got.code, got.err)
		}
		sent := <-f.calls
		if sent.GetTool() != "fine" || sent.GetInputJson() != want || sent.GetRunId() != "run-1" || sent.GetOperationKey() == "" {
			t.Errorf("got %v, want %s", sent, want)
		}
		if !strings.Contains(got.err, sent.GetOperationKey()) {
			t.Errorf("the key that was made is not shown:\n%s", got.err)
		}
		if !strings.Contains(got.out, `"total": 12345678901234567890`) || !strings.Contains(got.out, "10.50") {
			t.Errorf("a number is not as it came:\n%s", got.out)
		}
	}
}

func TestCallSendsHeaders(t *testing.T) {
	t.Parallel()
	addr, _ := serve(t)
	got := command(t, "", "call", "--addr", addr, "--header", "who=a=b;c", "--timeout=0", "--key", "k-1", "fine")
	if got.code != exitOK || !strings.Contains(got.out, `"who": "a=b;c"`) {
		t.Errorf("exit %d, %s%s", got.code, got.out, got.err)
	}
}

// A tool that makes its key of its input goes by that one: any other would only mislead.
func TestCallSendsNoKeyThatIsNotWanted(t *testing.T) {
	t.Parallel()
	addr, f := serve(t)
	for _, args := range [][]string{nil, {"--key", "k-1"}} {
		got := command(t, "", append([]string{"call", "--addr", addr, "keyless"}, args...)...)
		if sent := <-f.calls; got.code != exitOK || sent.GetOperationKey() != "" || strings.Contains(got.err, "operationKey") {
			t.Errorf("exit %d, sent %v\n%s", got.code, sent, got.err)
		}
	}
}

// A call that failed says under which key to go on, also when the key was made here.
func TestCallShowsTheKeyOfALostCall(t *testing.T) {
	t.Parallel()
	addr, f := serve(t)
	got := command(t, "", "call", "--addr", addr, "--json", "lost")
	var object struct {
		OK           bool   `json:"ok"`
		ExitCode     int    `json:"exitCode"`
		OperationKey string `json:"operationKey"`
		Error        struct {
			Code         string `json:"code"`
			OperationKey string `json:"operationKey"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(got.out), &object); err != nil {
		t.Fatalf("%v in %s", err, got.out)
	}
	key := (<-f.calls).GetOperationKey()
	if object.OK || object.ExitCode != exitOutcomeUnknown || got.code != exitOutcomeUnknown || object.Error.Code != "outcome_unknown" ||
		object.OperationKey != key || object.Error.OperationKey != key {
		t.Errorf("exit %d: %s", got.code, got.out)
	}
}

func TestCallFailures(t *testing.T) {
	t.Parallel()
	addr, f := serve(t)
	for name, c := range map[string]struct {
		stdin string
		addr  string // the service by default
		args  []string
		code  int
		want  string
	}{
		"nobody listens":        {addr: nobody(t), args: []string{"fine"}, code: exitAsIs, want: "Nothing was sent"},
		"nobody, with a key":    {addr: nobody(t), args: []string{"fine", "--key", "k-1"}, code: exitAsIs, want: "again, under the same key"},
		"no tool is told of":    {args: []string{"secret"}, code: exitAsIs, want: "Nothing was sent"},
		"no time":               {args: []string{"fine", "--timeout", "1ns"}, code: exitFailed, want: "Nothing was sent"},
		"no time, with a key":   {args: []string{"fine", "--timeout", "1ns", "--key", "k-1"}, code: exitFailed, want: "Nothing was sent"},
		"an empty key":          {args: []string{"fine", "--key", ""}, code: exitUsage, want: "--key: is empty"},
		"an empty key, joined":  {args: []string{"fine", "--key="}, code: exitUsage, want: "--key: is empty"},
		"an empty run":          {args: []string{"fine", "--run-id", ""}, code: exitUsage, want: "--run-id: is empty"},
		"an input not given":    {args: []string{"fine", "--input", ""}, code: exitUsage, want: "--input: is empty"},
		"an input not in UTF-8": {args: []string{"fine", "--input", "{\"a\":\"\xff\"}"}, code: exitUsage, want: "argument 6 is not UTF-8"},
		"a file not in UTF-8":   {stdin: "{\"a\":\"\xff\"}", args: []string{"fine", "--input", "-"}, code: exitUsage, want: "expected JSON"},
		"a header with a space": {args: []string{"fine", "--header", "Bad Name=y"}, code: exitUsage, want: "--header: the name"},
		"a header of grpc":      {args: []string{"fine", "--header", "Grpc-Timeout=1S"}, code: exitUsage, want: "set by grpc"},
		"a value of two lines":  {args: []string{"fine", "--header", "a=b\nc"}, code: exitUsage, want: "printable ASCII"},
		"no such tool":          {args: []string{"nothing"}, code: exitNever, want: "There is no tool nothing."},
		"no tool":               {code: exitUsage, want: "expected"},
		"input of no kind":      {args: []string{"fine", "--input", "{"}, code: exitUsage, want: "expected JSON"},
		"empty input":           {args: []string{"fine", "--input", "-"}, code: exitUsage, want: "expected JSON"},
		"a missing file":        {args: []string{"fine", "--input", "@/does/not/exist"}, code: exitUsage, want: "opening"},
		"a duration of no kind": {args: []string{"fine", "--timeout", "soon"}, code: exitUsage, want: "timeout"},
		"too much": {
			stdin: strings.Repeat(" ", maxInput+1), args: []string{"fine", "--input", "-"}, code: exitUsage, want: "more than",
		},
		"a bad key": {args: []string{"fine", "--key", "a b"}, code: exitAfterRepair, want: "operation_key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := command(t, c.stdin, append([]string{"call", "--addr", cmp.Or(c.addr, addr)}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.err, c.want) || got.out != "" {
				t.Errorf("exit %d, want %d and %q in:\n%s%s", got.code, c.code, c.want, got.err, got.out)
			}
		})
	}
	if len(f.calls) != 0 {
		t.Errorf("%d calls were sent", len(f.calls))
	}
}

// What was never sent is said in JSON too, and no error that is shown contradicts it.
func TestCallSaysWhatWasNeverSent(t *testing.T) {
	t.Parallel()
	addr, _ := serve(t)
	for name, args := range map[string][]string{
		"refused": {"call", "--addr", nobody(t), "fine"}, "no time": {"call", "--addr", addr, "--timeout", "1ns", "fine"},
		"tools": {"tools", "--addr", nobody(t)},
	} {
		got := command(t, "", append(args, "--json")...)
		var object struct {
			ExitCode  int  `json:"exitCode"`
			NeverSent bool `json:"neverSent"`
			Error     struct {
				OutcomeUnknown bool `json:"outcomeUnknown"`
			} `json:"error"`
		}
		if err := json.Unmarshal([]byte(got.out), &object); err != nil {
			t.Fatalf("%v in %s", err, got.out)
		}
		if !object.NeverSent || object.Error.OutcomeUnknown || object.ExitCode != got.code || got.code != exitAsIs && got.code != exitFailed {
			t.Errorf("%s: exit %d: %s", name, got.code, got.out)
		}
		if got = command(t, "", args...); strings.Contains(got.err, "never") || strings.Contains(got.err, "Do not send") {
			t.Errorf("%s: the call may be sent again, but:\n%s", name, got.err)
		}
	}
}

// A tool that only reads gets no key, and nobody has to reconcile it.
func TestCallOfAToolThatReads(t *testing.T) {
	t.Parallel()
	addr, f := serve(t)
	got := command(t, "", "call", "--addr", addr, "look")
	if sent := <-f.calls; got.code != exitUntyped || sent.GetOperationKey() != "" || strings.Contains(got.err, "may have taken effect") {
		t.Errorf("exit %d, sent %v\n%s", got.code, sent, got.err)
	}
}
