package server_test

import (
	"testing"
	"time"

	"google.golang.org/grpc"
	healthgrpc "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// watchHealth returns what the health of a service is next.
func watchHealth(t *testing.T, conn grpc.ClientConnInterface, service string) func() healthgrpc.HealthCheckResponse_ServingStatus {
	t.Helper()
	watch, err := healthgrpc.NewHealthClient(conn).Watch(t.Context(), &healthgrpc.HealthCheckRequest{Service: service})
	if err != nil {
		t.Fatal(err)
	}
	return func() healthgrpc.HealthCheckResponse_ServingStatus {
		t.Helper()
		next, err := watch.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return next.GetStatus()
	}
}

// TestHealthOfLedger has a ledger that does not answer for a while. The service that needs it for everything says so, the others
// go on.
func TestHealthOfLedger(t *testing.T) {
	t.Parallel()
	const serving, notServing = healthgrpc.HealthCheckResponse_SERVING, healthgrpc.HealthCheckResponse_NOT_SERVING
	var s script
	l := newFaulty(memory.New())
	srv := s.server(t, server.WithLedger(l), server.WithSweepInterval(time.Millisecond), server.WithStopDelay(0))
	_, conn := serve(t, srv)
	operations := watchHealth(t, conn, "remedy.service.v1.OperationService")
	if got := operations(); got != serving {
		t.Errorf("got %v at first", got)
	}
	l.cut()
	if got := operations(); got != notServing {
		t.Errorf("got %v while the ledger does not answer", got)
	}
	for _, service := range []string{"", "remedy.service.v1.ToolService"} {
		if got := watchHealth(t, conn, service)(); got != serving {
			t.Errorf("%q: got %v while the ledger does not answer", service, got)
		}
	}
	l.heal()
	if got := operations(); got != serving {
		t.Errorf("got %v when it answers again", got)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- srv.Shutdown(t.Context(), grpc.NewServer()) }()
	if got := operations(); got != notServing {
		t.Errorf("got %v when it stops", got)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestHealthOfClaims has a ledger answer no claims, as one whose disk is full, though sweeps find nothing wrong with it.
func TestHealthOfClaims(t *testing.T) {
	t.Parallel()
	var s script
	l := newFaulty(memory.New())
	srv := s.server(t, server.WithLedger(l), server.WithSweepInterval(0))
	_, conn := serve(t, srv)
	next := watchHealth(t, conn, "remedy.service.v1.OperationService")
	until := func(want healthgrpc.HealthCheckResponse_ServingStatus) {
		t.Helper()
		for got := next(); got != want; got = next() {
			t.Logf("it is %v", got)
		}
	}
	until(healthgrpc.HealthCheckResponse_SERVING)
	l.breaks("claim", lostBefore, -1)
	if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); errs.CodeOf(err) != errs.CodeLedgerUnavailable {
		t.Errorf("got %v", err)
	}
	until(healthgrpc.HealthCheckResponse_NOT_SERVING)
	l.heal()
	if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil {
		t.Error(err)
	}
	until(healthgrpc.HealthCheckResponse_SERVING)
}
