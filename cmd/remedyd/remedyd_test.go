package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthgrpc "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestHelp(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	if code := run(t.Context(), []string{"--help"}, &out, &log); code != exitOK || log.Len() > 0 {
		t.Errorf("exit code %d, %s", code, log.String())
	}
	path := filepath.Join("testdata", "help.txt")
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("(-want +got), run with -update when that is meant:\n%s", diff)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	tests := []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--liste"}, exitUsage, "unknown flag --liste"},
		{[]string{"--listen", "7465"}, exitUsage, `--listen "7465" is not host:port: write for example`},
		{[]string{"--listen", "0.0.0.0:0"}, exitUsage, `--listen "0.0.0.0:0" is not a loopback address`},
		{[]string{"--listen", ":0"}, exitUsage, `--listen ":0" is not a loopback address`},
		{[]string{"--listen", "localhost.example.com:0"}, exitUsage, `is not a loopback address`},
		{[]string{"--listen", busy.Addr().String()}, exitFailed, "address already in use: stop what listens there, or choose another port"},
		{[]string{"--log-format", "xml"}, exitUsage, `--log-format must be one of "text","json" but got "xml"`},
		{[]string{"--log-level", "loud"}, exitUsage, `--log-level must be one of`},
		{[]string{"--stop-delay", "1m"}, exitUsage, "--stop-timeout 45s must be longer than --stop-delay 1m0s"},
		{[]string{"--stop-delay=-1s"}, exitUsage, "--stop-delay must not be negative"},
		{[]string{"--stop-timeout", "soon"}, exitUsage, "--stop-timeout"},
		{[]string{"--call-timeout=-1s"}, exitUsage, "--call-timeout must not be negative"},
		{[]string{"--max-operations", "0"}, exitUsage, "--max-operations must be 1 or more"},
		{[]string{"--max-concurrent=-1"}, exitUsage, "--max-concurrent must not be negative"},
		{[]string{"--dev-principal="}, exitUsage, "--dev-principal must not be empty"},
	}
	for _, test := range tests {
		var out, log bytes.Buffer
		code := run(t.Context(), test.args, &out, &log)
		if code != test.code || !strings.Contains(log.String(), test.want) || out.Len() > 0 {
			t.Errorf("%v: exit code %d, want %d\ngot  %s\nwant %s", test.args, code, test.code, log.String(), test.want)
		}
	}
}

// output is what the daemon prints, to be read while it runs.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	first chan string // the first line
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.text.Len() == 0 && o.first != nil {
		o.first <- string(p)
	}
	return o.text.Write(p)
}

// start runs the daemon, and returns a connection to it and what stops it and returns its exit code and log.
func start(t *testing.T, args ...string) (*grpc.ClientConn, func() (int, string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, log := &output{first: make(chan string, 1)}, &output{}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"--listen", "127.0.0.1:0", "--stop-delay", "0s"}, args...), out, log)
	}()
	line := <-out.first
	addr, ok := strings.CutPrefix(strings.TrimSpace(line), "remedyd: listening on ")
	if !ok {
		t.Fatalf("got %q", line)
	}
	conn, err := grpc.NewClient(addr, append(interceptors.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); conn.Close() })
	return conn, sync.OnceValues(func() (int, string) {
		cancel()
		exit := <-code
		log.mu.Lock()
		defer log.mu.Unlock()
		return exit, log.text.String()
	})
}

func TestServe(t *testing.T) {
	t.Parallel()
	conn, stop := start(t, "--log-format", "json")
	client := servicev1.NewToolServiceClient(conn)
	ctx := t.Context()
	list, err := client.ListTools(ctx, &servicev1.ListToolsRequest{})
	if err != nil || len(list.GetTools()) != 6 {
		t.Errorf("got %v, %v", list, err)
	}
	if _, err := client.ListTools(ctx, &servicev1.ListToolsRequest{PageSize: -1}); errs.CodeOf(err) != errs.CodeInvalidInput {
		t.Errorf("got %v", err)
	}
	call := &servicev1.CallToolRequest{
		Tool: "cancel_order", OperationKey: "k",
		Input: &servicev1.CallToolRequest_InputJson{InputJson: `{"orderId":"ord_1","reason":"duplicate"}`},
	}
	as := func(principal string) context.Context {
		return metadata.AppendToOutgoingContext(ctx, principalHeader, principal)
	}
	if _, err := client.CallTool(as("auditor"), call); errs.CodeOf(err) != errs.CodeAuthorizationDenied {
		t.Errorf("got %v", err)
	}
	if _, err := client.CallTool(as(strings.Repeat("x", 129)), call); errs.CodeOf(err) != errs.CodeUnauthenticated {
		t.Errorf("got %v", err)
	}
	if _, err := client.CallTool(as(""), call); errs.CodeOf(err) != errs.CodeUnauthenticated {
		t.Errorf("got %v", err)
	}
	if _, err := client.CallTool(as("alice"), call); err != nil {
		t.Errorf("got %v", err)
	}
	if _, err := client.CallTool(ctx, call); !errors.Is(err, errs.Code("order_already_cancelled")) {
		t.Errorf("the same key of the default principal: got %v", err)
	}
	if h, err := healthgrpc.NewHealthClient(conn).Check(ctx, &healthgrpc.HealthCheckRequest{}); err != nil ||
		h.GetStatus() != healthgrpc.HealthCheckResponse_SERVING {
		t.Errorf("got %v, %v", h, err)
	}
	code, log := stop()
	if code != exitOK {
		t.Errorf("exit code %d", code)
	}
	for line := range strings.Lines(log) {
		if !json.Valid([]byte(line)) {
			t.Errorf("the log holds %s", line)
		}
	}
	for _, why := range []string{"must be given once", "must not be empty"} {
		const who = `"level":"INFO","msg":"a caller was not authenticated","peer":"127.0.0.1:`
		if _, line, ok := strings.Cut(log, who); !ok || !strings.Contains(line, why) || strings.Contains(log, "xxx") {
			t.Errorf("%q is not in the log, or the value of a header is: %s", why, log)
		}
	}
	if !strings.Contains(log, `"msg":"stopped"`) {
		t.Errorf("the log is %s", log)
	}
}

func TestAllowRemoteBelievesNobody(t *testing.T) {
	t.Parallel()
	f, err := parse([]string{"--listen", "0.0.0.0:0", "--allow-remote"}, os.Stdout, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	d, err := f.daemon(newLogger(f, &log))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan int, 1)
	f.StopDelay = 0
	go func() { served <- d.serve(ctx, listener) }()
	conn, err := grpc.NewClient(listener.Addr().String(), append(interceptors.DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	// The auditor of the shop may change nothing; a header makes nobody the auditor here.
	_, err = servicev1.NewToolServiceClient(conn).CallTool(metadata.AppendToOutgoingContext(ctx, principalHeader, "auditor"),
		&servicev1.CallToolRequest{
			Tool: "cancel_order", OperationKey: "k",
			Input: &servicev1.CallToolRequest_InputJson{InputJson: `{"orderId":"ord_1","reason":"duplicate"}`},
		})
	if err != nil {
		t.Errorf("got %v", err)
	}
	conn.Close()
	d.grpc.Stop()
	cancel()
	<-served
}

func TestVariables(t *testing.T) {
	t.Setenv("REMEDY_LISTEN", "127.0.0.1:1")
	t.Setenv("REMEDY_MAX_OPERATIONS", "7")
	t.Setenv("REMEDY_STOP_TIMEOUT", "3s")
	f, err := parse([]string{"--max-operations", "8"}, os.Stdout, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if f.Listen != "127.0.0.1:1" || f.MaxOperations != 8 || f.StopTimeout.String() != "3s" {
		t.Errorf("got %+v", f)
	}
	t.Setenv("REMEDY_STOP_TIMEOUT", "soon")
	if _, err := parse(nil, os.Stdout, os.Stderr); err == nil || !strings.Contains(err.Error(), "REMEDY_STOP_TIMEOUT") &&
		!strings.Contains(err.Error(), "--stop-timeout") {
		t.Errorf("got %v", err)
	}
}
