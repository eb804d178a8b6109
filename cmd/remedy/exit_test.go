package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
)

func TestExitCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, exitOK},
		{os.ErrNotExist, exitFailed},
		{usageError{errors.New("x")}, exitUsage},
		{shownError{usageError{errors.New("x")}}, exitUsage},
		{&errs.AuthorizationError{}, exitNever},
		{&errs.VerificationError{}, exitNever},
		{&errs.ServiceError{Code: errs.CodeOverloaded}, exitAsIs},
		{fmt.Errorf("wrapped: %w", &errs.ValidationError{}), exitAfterRepair},
		{&errs.OutcomeUnknownError{}, exitOutcomeUnknown},
		{&errs.OutcomeUnknownError{Inferred: true, Keyed: true, OperationKey: "k"}, exitOutcomeUnknown},
		{errs.WithInfo(slotStale.New(), errs.Info{Effect: errs.EffectUnknown}), exitOutcomeUnknown},
		{status.Error(codes.Unavailable, "x"), exitUntyped},
		{fmt.Errorf("wrapped: %w", status.Error(codes.Internal, "x")), exitUntyped},
		{context.DeadlineExceeded, exitUntyped},
		{context.Canceled, exitUntyped},
		{notCalledError{status.Error(codes.Unavailable, "x")}, exitAsIs},
		{notCalledError{status.Error(codes.DeadlineExceeded, "x")}, exitFailed},
		{notCalledError{&errs.ServiceError{Code: errs.CodeDeadlineExceeded}}, exitFailed},
		{notCalledError{&errs.ServiceError{Code: errs.CodeToolNotFound}}, exitNever},
		{notCalledError{&errs.ServiceError{Code: errs.CodeOverloaded}}, exitAsIs},
		{notCalledError{status.Error(codes.PermissionDenied, "x")}, exitUntyped},
		{&client.OutputError{Cause: os.ErrInvalid}, exitNever},
		{notReadError{status.Error(codes.Unavailable, "x")}, exitFailed},
		{shownError{foundError{errors.New("x")}}, exitFound},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%v: got %d, want %d", c.err, got, c.want)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	got := command(t, "", "--help")
	if got.code != exitOK || got.err != "" {
		t.Fatalf("exit %d, %s", got.code, got.err)
	}
	// Every --help lists them, and how to see them.
	listsCodes := func(name, help string) {
		t.Helper()
		for code := exitOK; code <= exitFound; code++ {
			if !strings.Contains(help, fmt.Sprintf("\n  %d  ", code)) {
				t.Errorf("exit code %d is not in %s --help", code, name)
			}
		}
		if !strings.Contains(help, "go run") {
			t.Errorf("%s --help does not say that go run hides the exit codes", name)
		}
	}
	listsCodes("remedy", got.out)
	for _, name := range []string{"explain", "catalog", "lint", "proto", "tools", "call", "ops", "classify", "demo"} {
		if !strings.Contains(got.out, "\n  "+name+" ") {
			t.Errorf("%s is not in --help", name)
		}
		if help := command(t, "", name, "--help"); help.code != exitOK || !strings.Contains(help.out, "Usage: remedy "+name) {
			t.Errorf("%s --help: exit %d, %s", name, help.code, help.out)
		} else {
			listsCodes(name, help.out)
		}
	}
	if got := command(t, ""); got.code != exitUsage || got.out != "" {
		t.Errorf("no command: exit %d, %s", got.code, got.out)
	}
}

// TestInterruptedInput has a command that reads standard input end when its context does, though the input never does.
func TestInterruptedInput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"explain"}, {"classify"}, {"call", "cancel_order", "--input=-"}, {"ops", "resolve", "op_1", "--applied", "--reason=x", "--output=-"},
	} {
		in, typing := io.Pipe()
		ctx, interrupt := context.WithCancel(t.Context())
		ended := make(chan int, 1)
		go func() { ended <- run(ctx, args, &streams{in: in, out: io.Discard, err: io.Discard}) }()
		if _, err := io.WriteString(typing, "{"); err != nil { // it reads
			t.Fatal(err)
		}
		interrupt()
		if code := <-ended; code == exitOK {
			t.Errorf("%v: exit %d", args, code)
		}
		_ = typing.Close()
	}
}
