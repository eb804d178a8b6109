package remedyd_test

import (
	"bytes"
	"context"
	"flag"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/client"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/internal/tcptest"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/remedyd"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got another %s; run with -update when that is meant:\n%s", name, got)
	}
}

// once runs a command line that ends by itself.
func once(t *testing.T, args ...string) (code int, out, log string) {
	t.Helper()
	var outs, logs bytes.Buffer
	code = remedyd.Run(t.Context(), append([]string{"/usr/bin/remedyd"}, args...), remedyd.Streams{Out: &outs, Err: &logs})
	return code, outs.String(), logs.String()
}

// output is what a daemon prints, to be read while it runs.
type output struct {
	mu    sync.Mutex
	text  strings.Builder
	ready chan string // gets all of it once the daemon listens, or ended
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.text.Write(p)
	if strings.Contains(string(p), ": listening on ") {
		o.tell(o.text.String())
	}
	return n, err
}

func (o *output) tell(text string) {
	select {
	case o.ready <- text:
	default:
	}
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// daemon is a daemon that runs in this process.
type daemon struct {
	*grpc.ClientConn

	out  string
	addr string
	log  *output
	stop context.CancelFunc
	code func() int // waits for its end
}

// start runs a daemon on a free port until the test ends.
func start(t *testing.T, tools []*server.AnyTool, args ...string) *daemon {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	out, log := &output{ready: make(chan string, 1)}, &output{}
	codes := make(chan int, 1)
	go func() {
		args := append([]string{"remedyd", "--listen", "127.0.0.1:0", "--stop-delay", "0s"}, args...)
		code := remedyd.Run(ctx, args, remedyd.Streams{Out: out, Err: log}, tools...)
		codes <- code
		out.tell("")
	}()
	d := &daemon{log: log, stop: stop, code: sync.OnceValue(func() int { return <-codes })}
	t.Cleanup(func() { stop(); d.code() })
	d.out = <-out.ready
	_, addr, ok := strings.Cut(strings.TrimSpace(d.out), ": listening on ")
	if !ok {
		t.Fatalf("it ended with %d: %s", d.code(), log)
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	d.addr = addr
	d.ClientConn = tcptest.Dial(t, "127.0.0.1:"+port, client.DialOptions()...)
	return d
}

// as says who is calling.
func as(ctx context.Context, principal string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "remedy-dev-principal", principal)
}

// call calls a tool.
func (d *daemon) call(ctx context.Context, tool, key, input string) (*servicev1.ToolResult, error) {
	response, err := servicev1.NewToolServiceClient(d).CallTool(ctx, &servicev1.CallToolRequest{
		Tool: tool, OperationKey: key, Input: &servicev1.CallToolRequest_InputJson{InputJson: input},
	})
	return response.GetResult(), err
}
