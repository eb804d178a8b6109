package main

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/client/conformance/internal/serving"
	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

const vectors = "../testdata/vectors"

// TestRun follows the program from the address it prints to the end of its standard input.
func TestRun(t *testing.T) {
	t.Parallel()
	stdin, closing := io.Pipe()
	printing, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(t.Context(), []string{"-vectors", vectors}, stdin, stdout) }()
	address, err := bufio.NewReader(printing).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	options := append(interceptors.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	conn, err := grpc.NewClient(strings.TrimSpace(address), options...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, kind := range grpctest.Kinds() {
		ctx := metadata.AppendToOutgoingContext(t.Context(), serving.NameKey, "tool/as_is")
		got := grpctest.Call(ctx, conn, kind)
		if after, _ := errs.RetryAfterOf(got.Err); errs.CodeOf(got.Err) != "account_busy" || after != 2*time.Second {
			t.Errorf("%s: got %v", kind, got.Err)
		}
	}
	if got := grpctest.Call(t.Context(), conn, grpctest.Unary); errs.CodeOf(got.Err) != errs.CodeToolNotFound {
		t.Errorf("no name: got %v", got.Err)
	}
	if err := closing.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("run: %v", err)
	}
}

// TestRunRefuses what it cannot serve.
func TestRunRefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-vectors", t.TempDir()}, {"-vectors", vectors, "-limit", "9000"}, {"-port", "1"}} {
		if err := run(t.Context(), args, strings.NewReader(""), io.Discard); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
