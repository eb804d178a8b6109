package conformance_test

import (
	"context"
	"errors"
	"iter"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/client/conformance/internal/serving"
	"github.com/remedyrpc/remedy/client/conformance/internal/vector"
	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

// The programs of the distribution: another Python on the machine has another grpcio.
const (
	python = "/usr/bin/python3"
	nginx  = "/usr/sbin/nginx"
)

// suiteTime bounds one call of a program.
const suiteTime = 3 * time.Minute

// require skips a test whose program is missing. The target conformance-<suite>, which installs it, names the suite in
// CONFORMANCE_REQUIRE, and then the test fails instead.
func require(t *testing.T, suite string, probe ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), suiteTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, probe[0], probe[1:]...).CombinedOutput()
	if err == nil {
		return
	}
	reason := strings.Join(probe, " ") + ": " + err.Error() + " " + strings.TrimSpace(string(out))
	if slices.Contains(strings.Split(os.Getenv("CONFORMANCE_REQUIRE"), ","), suite) {
		t.Fatalf("required and missing: %s", reason)
	}
	t.Skipf("make conformance-%s installs what is missing here: %s", suite, reason)
}

func requirePython(t *testing.T, suite string) {
	t.Helper()
	require(t, suite, python, "-c", "import grpc")
}

// serve answers with the errors of the vectors on a free port of the loopback interface.
func serve(t *testing.T, vectors []vector.Vector, limit int) string {
	t.Helper()
	server, err := serving.New(vectors, limit)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-done; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	return listener.Addr().String()
}

// nginxConfig is as little as there can be, and no size in it.
const nginxConfig = `daemon off;
worker_processes 1;
pid DIR/nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path DIR/body;
  proxy_temp_path DIR/proxy;
  fastcgi_temp_path DIR/fastcgi;
  uwsgi_temp_path DIR/uwsgi;
  scgi_temp_path DIR/scgi;
  server {
    listen LISTEN http2;
    location / { grpc_pass grpc://UPSTREAM; }
  }
}
`

// hop runs nginx with its defaults in front of a server and returns where it listens. A port that somebody else took in the
// meantime is tried again with another.
func hop(t *testing.T, upstream string) string {
	t.Helper()
	for range 5 {
		address := freeAddress(t)
		if startNginx(t, address, upstream) {
			return address
		}
	}
	t.Fatal("nginx does not start")
	return ""
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func startNginx(t *testing.T, address, upstream string) bool {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "nginx.conf")
	text := strings.NewReplacer("DIR", dir, "LISTEN", address, "UPSTREAM", upstream).Replace(nginxConfig)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), nginx, "-p", dir, "-e", "stderr", "-c", config)
	cmd.Stderr = &log
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if !answers(address, ended) {
		t.Logf("nginx: %s", log.String())
		return false
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		if t.Failed() {
			t.Logf("nginx: %s", log.String())
		}
	})
	return true
}

// answers waits until something accepts connections at address, or the process that should has ended.
func answers(address string, ended <-chan error) bool {
	deadline := time.After(20 * time.Second)
	for {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			return conn.Close() == nil
		}
		select {
		case <-ended:
			return false
		case <-deadline:
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// read runs the Python reader; ok says that it found nothing.
func read(t *testing.T, address, prefix string) (output string, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), suiteTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-B", "python/reader.py", address, vectorsDir, prefix)
	cmd.Env = append(os.Environ(), "GRPC_VERBOSITY=NONE") // what nginx answers is logged once a call
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("reader: %v\n%s", err, out)
	}
	return string(out), err == nil
}

// dial connects a client that decodes.
func dial(t *testing.T, address string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address, append(interceptors.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// call asks for one vector and says how the answer differs from it.
func call(ctx context.Context, conn *grpc.ClientConn, kind grpctest.Kind, v vector.Vector) (vector.Expect, string) {
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(ctx, serving.NameKey, v.Name), 20*time.Second)
	defer cancel()
	var trailer metadata.MD
	options := []grpc.CallOption{grpc.Trailer(&trailer)}
	if kind == grpctest.ServerStream || kind == grpctest.Bidi {
		options = nil // grpc fills Trailer for unary answers only
	}
	result := grpctest.Call(ctx, conn, kind, options...)
	if result.Err == nil {
		return vector.Expect{}, "the call did not fail"
	}
	x, err := vector.Describe(result.Err)
	if err != nil {
		return x, err.Error()
	}
	got, err := vector.Text(x)
	if err != nil {
		return x, err.Error()
	}
	want, err := vector.Text(v.Expect)
	if err != nil {
		return x, err.Error()
	}
	if got != want {
		return x, difference(want, got)
	}
	if options == nil {
		return x, ""
	}
	if pushback := strings.Join(trailer.Get(encode.PushbackTrailer), ","); pushback != v.Pushback {
		return x, "pushback " + strconv.Quote(pushback)
	}
	if len(trailer.Get(serving.FillTrailer)) != 1 {
		return x, "the other trailers did not arrive"
	}
	return x, ""
}

// encoded yields the vectors that are encoded, which is what the server answers with.
func encoded(vectors []vector.Vector) iter.Seq[vector.Vector] {
	return func(yield func(vector.Vector) bool) {
		for i := range vectors {
			if vectors[i].Direction == vector.Encode && !yield(vectors[i]) {
				return
			}
		}
	}
}

// checkGo holds a Go client to every vector that is encoded.
func checkGo(t *testing.T, address string) {
	t.Helper()
	conn, calls := dial(t, address), 0
	for v := range encoded(load(t)) {
		for _, kind := range grpctest.Kinds() {
			calls++
			if _, problem := call(t.Context(), conn, kind, v); problem != "" {
				t.Errorf("%s, %s: %s", v.Name, kind, problem)
			}
		}
	}
	t.Logf("Go: %d calls", calls)
}

// TestGo is a Go client without anything in between.
func TestGo(t *testing.T) {
	t.Parallel()
	checkGo(t, serve(t, load(t), errs.DefaultLimit))
}

// TestPython is the distribution's grpcio, which knows google.rpc and nothing of ours.
func TestPython(t *testing.T) {
	t.Parallel()
	requirePython(t, "python")
	output, ok := read(t, serve(t, load(t), errs.DefaultLimit), "")
	t.Log(output)
	if !ok {
		t.Error("grpcio does not read what was sent")
	}
}

// TestPythonCanFail serves one vector under the name of another.
func TestPythonCanFail(t *testing.T) {
	t.Parallel()
	requirePython(t, "python")
	vectors := load(t)
	var never, asIs int
	for i, v := range vectors {
		switch v.Name {
		case "tool/never":
			never = i
		case "tool/as_is":
			asIs = i
		}
	}
	vectors[never].Input = vectors[asIs].Input
	output, ok := read(t, serve(t, vectors, errs.DefaultLimit), "tool/")
	if ok || !strings.Contains(output, "FAIL tool/never unary: UNAVAILABLE") || strings.Contains(output, "FAIL tool/as_is") {
		t.Errorf("the reader does not notice another error: %s", output)
	}
}

// TestNginx puts one default nginx in front of the server, for both clients.
func TestNginx(t *testing.T) {
	t.Parallel()
	require(t, "nginx", nginx, "-v")
	requirePython(t, "nginx")
	address := hop(t, serve(t, load(t), errs.DefaultLimit))
	checkGo(t, address)
	output, ok := read(t, address, "")
	t.Log(output)
	if !ok {
		t.Error("grpcio does not read what comes through nginx")
	}
}

// TestNginxLosesMore raises the limit: the largest error then arrives without a proxy and not with one, which proves that
// TestNginx can fail and that the limit is where it has to be.
func TestNginxLosesMore(t *testing.T) {
	t.Parallel()
	require(t, "nginx", nginx, "-v")
	requirePython(t, "nginx")
	vectors := load(t)
	largest, cost := largestAt(t, vectors, errs.MaxLimit)
	upstream := serve(t, vectors, errs.MaxLimit)
	address := hop(t, upstream)
	for _, kind := range []grpctest.Kind{grpctest.Unary, grpctest.ClientStream} { // trailers behind a message pass
		direct, _ := call(t.Context(), dial(t, upstream), kind, largest)
		through, _ := call(t.Context(), dial(t, address), kind, largest)
		t.Logf("%s of %d bytes, %s: direct %s %d, through nginx %s %d %q",
			largest.Name, cost, kind, direct.Class, direct.GRPCCode, through.Class, through.GRPCCode, through.Message)
		if direct.Class != largest.Expect.Class || direct.Code != largest.Expect.Code {
			t.Errorf("%s: without nginx it is %s %s", kind, direct.Class, direct.Code)
		}
		if through.Class != vector.Foreign || codes.Code(through.GRPCCode) != codes.Unavailable {
			t.Errorf("%s: through nginx it is %s %d", kind, through.Class, through.GRPCCode)
		}
	}
	output, ok := read(t, address, largest.Name)
	t.Log(output)
	if ok || !strings.Contains(output, " unary: UNAVAILABLE") {
		t.Error("grpcio reads what nginx cannot pass on")
	}
}

// largestAt is the vector whose trailer list is the largest under a limit.
func largestAt(t *testing.T, vectors []vector.Vector, limit int) (largest vector.Vector, cost int) {
	t.Helper()
	for v := range encoded(vectors) {
		failure, err := v.Input.Error()
		if err != nil {
			t.Fatal(err)
		}
		st := errs.Encoder{Limit: limit}.Encode(failure, "", false).Status
		if c := vector.ListCost(marshal(t, st.Proto()), st.Message()); c > cost {
			largest, cost = v, c
		}
	}
	return largest, cost
}

func marshal(tb testing.TB, m proto.Message) []byte {
	tb.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
