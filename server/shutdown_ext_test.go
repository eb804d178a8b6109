package server_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthgrpc "google.golang.org/grpc/health/grpc_health_v1"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// stopper is a gRPC server that stops when its calls have ended.
type stopper struct {
	calls    chan struct{} // closed when they have
	graceful chan struct{} // closed when asked to stop
	hard     chan struct{} // closed when asked to stop the hard way
}

func newStopper() *stopper {
	return &stopper{calls: make(chan struct{}), graceful: make(chan struct{}), hard: make(chan struct{})}
}

func (s *stopper) GracefulStop() {
	close(s.graceful)
	select {
	case <-s.calls:
	case <-s.hard:
	}
}

func (s *stopper) Stop() { close(s.hard) }

func TestShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
			time.Sleep(10 * time.Second)
			return out(in), nil
		}}
		srv := s.server(t)
		leaving, leave := context.WithCancel(t.Context())
		go func() { _, _ = call(leaving, srv, "k", `{"id":"a"}`) }()
		synctest.Wait()
		leave() // the effect goes on
		synctest.Wait()
		g := newStopper()
		close(g.calls)
		begun := time.Now()
		done := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			done <- srv.Shutdown(ctx, g)
		}()
		time.Sleep(time.Second)
		if r, err := call(t.Context(), srv, "other", `{"id":"b","n":0}`); err != nil || r.Replayed {
			t.Errorf("in the delay: got %+v, %v", r, err)
		}
		if _, err := call(t.Context(), srv, "third", `{"id":"b"}`); errs.CodeOf(err) != errs.CodeShuttingDown || errs.RetryOf(err) != errs.AsIs {
			t.Errorf("after it: got %v", err)
		}
		if err := <-done; err != nil {
			t.Errorf("got %v", err)
		}
		if took := time.Since(begun); took != 11*time.Second {
			t.Errorf("took %v, want 11s, the end of the last effect", took)
		}
		if got := s.count("effect"); got != 2 {
			t.Errorf("%d effects", got)
		}
	})
}

func TestShutdownIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
			time.Sleep(time.Hour)
			return out(in), nil
		}}
		srv := s.server(t, server.WithStopDelay(0))
		go func() { _, _ = call(t.Context(), srv, "k", `{"id":"a"}`) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		g := newStopper()
		err := srv.Shutdown(ctx, g)
		if err == nil || !strings.Contains(err.Error(), "1 operations were left running") || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		<-g.hard
		time.Sleep(2 * time.Hour) // for the effect
	})
}

// TestGracefulStop stops a real server: health says so first, what runs ends, and nothing more begins.
func TestGracefulStop(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
		close(begun)
		<-release
		return out(in), nil
	}}
	srv := s.server(t, server.WithStopDelay(50*time.Millisecond))
	listener := bufconn.Listen(1 << 20)
	g := grpc.NewServer()
	srv.Register(g)
	served := make(chan error, 1)
	go func() { served <- g.Serve(listener) }()
	dial := func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }
	conn, err := grpc.NewClient("passthrough:///x", append(interceptors.DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(dial))...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	watch, err := healthgrpc.NewHealthClient(conn).Watch(t.Context(), &healthgrpc.HealthCheckRequest{Service: "remedy.service.v1.ToolService"})
	if err != nil {
		t.Fatal(err)
	}
	if first, err := watch.Recv(); err != nil || first.GetStatus() != healthgrpc.HealthCheckResponse_SERVING {
		t.Fatalf("got %v, %v", first, err)
	}
	running := make(chan error, 1)
	go func() {
		_, err := servicev1.NewToolServiceClient(conn).CallTool(t.Context(), request("k", `{"id":"a"}`))
		running <- err
	}()
	<-begun
	stopped := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() { stopped <- srv.Shutdown(ctx, g) }()
	if second, err := watch.Recv(); err != nil || second.GetStatus() != healthgrpc.HealthCheckResponse_NOT_SERVING {
		t.Errorf("got %v, %v", second, err)
	}
	close(release)
	if err := <-running; err != nil {
		t.Errorf("the call that ran: %v", err)
	}
	if _, err := watch.Recv(); status.Code(err) != codes.Unavailable {
		t.Errorf("the watch ended with %v", err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("got %v", err)
	}
	if err := <-served; err != nil {
		t.Errorf("serving: %v", err)
	}
}

// TestReflection finds the service, and the types of everything that an error may hold.
func TestReflection(t *testing.T) {
	t.Parallel()
	var s script
	_, conn := serve(t, s.server(t))
	stream, err := reflectionv1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(r *reflectionv1.ServerReflectionRequest) *reflectionv1.ServerReflectionResponse {
		t.Helper()
		if err := stream.Send(r); err != nil {
			t.Fatal(err)
		}
		response, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	for _, symbol := range []string{
		"remedy.service.v1.ToolService", "remedy.v1.RepairPlan", "remedy.v1.ToolError", "remedy.v1.ValidationError", "remedy.v1.Causes",
		"google.rpc.ErrorInfo", "google.rpc.BadRequest", "google.rpc.RetryInfo", "google.rpc.QuotaFailure", "google.rpc.PreconditionFailure",
		"google.rpc.ResourceInfo", "google.rpc.Help", "google.protobuf.Struct", "buf.validate.FieldRules",
	} {
		response := ask(&reflectionv1.ServerReflectionRequest{
			MessageRequest: &reflectionv1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: symbol},
		})
		files := response.GetFileDescriptorResponse().GetFileDescriptorProto()
		if len(files) == 0 {
			t.Errorf("%s: got %v", symbol, response)
			continue
		}
		var file descriptorpb.FileDescriptorProto
		if err := proto.Unmarshal(files[0], &file); err != nil || !strings.HasPrefix(symbol, file.GetPackage()+".") {
			t.Errorf("%s: got %s, %v", symbol, file.GetName(), err)
		}
	}
	response := ask(&reflectionv1.ServerReflectionRequest{
		MessageRequest: &reflectionv1.ServerReflectionRequest_FileContainingExtension{
			FileContainingExtension: &reflectionv1.ExtensionRequest{ContainingType: "google.protobuf.MessageOptions", ExtensionNumber: 71502046},
		},
	})
	if len(response.GetFileDescriptorResponse().GetFileDescriptorProto()) == 0 {
		t.Errorf("the error option: got %v", response)
	}
}

func TestWithoutHealthAndReflection(t *testing.T) {
	t.Parallel()
	var s script
	g := grpc.NewServer()
	s.server(t, server.WithoutHealth(), server.WithoutReflection()).Register(g)
	if got := g.GetServiceInfo(); len(got) != 2 { // tools and operations
		t.Errorf("got %v", got)
	}
}

// TestShutdownWithoutALedger has the ledger be gone while the server stops: a receipt is kept until the end, and then its loss is
// logged. Nothing goes on after that, and another process finds out what became of the operation.
func TestShutdownWithoutALedger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := memory.New()
		f := newFaulty(m)
		var log bytes.Buffer
		s := script{
			effect: func(_ context.Context, _ *server.Op, i in) (out, error) { time.Sleep(time.Second); return out(i), nil },
			recover: func(_ context.Context, _ *server.Op, i in) (server.Recovered[out], error) {
				return server.Committed(out(i)), nil
			},
		}
		srv := s.server(t, server.WithLedger(f), server.WithStopDelay(0), server.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		srv.Register(nowhere{})
		go func() { _, _ = call(t.Context(), srv, "k", `{"id":"a"}`) }()
		time.Sleep(time.Second / 2)
		f.cut()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		g := newStopper()
		close(g.calls)
		err := srv.Shutdown(ctx, g)
		if err == nil || !strings.Contains(err.Error(), "1 operations were left running") {
			t.Errorf("got %v", err)
		}
		time.Sleep(5 * time.Second) // for the last question
		records, sweeps := f.count("record"), f.count("sweep")
		time.Sleep(time.Minute)
		synctest.Wait()
		if f.count("record") != records || f.count("sweep") != sweeps || records < 10 || !strings.Contains(log.String(), "is lost") {
			t.Errorf("%d and then %d records, %d and then %d sweeps, log %s",
				records, f.count("record"), sweeps, f.count("sweep"), log.String())
		}
		other := s.shared(t, m)
		if r, err := call(t.Context(), other, "k", `{"id":"a"}`); err != nil || !r.Replayed || s.count("effect") != 1 {
			t.Errorf("another process: got %+v, %v", r, err)
		}
	})
}
