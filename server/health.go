package server

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthgrpc "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// healthService is grpc's health service, whose watches end when the server stops: a graceful stop waits for them.
//
// The names "" and remedy.service.v1.ToolService serve until the server stops, also while the ledger does not answer: tools that
// only read go on, all others answer ledger_unavailable with a rule, and who took the replicas out of service would take all at
// once, since they share the ledger. remedy.service.v1.OperationService, which does nothing without the ledger, says whether it
// answered when the server last swept or claimed: that is the name to alert on.
type healthService struct {
	healthgrpc.HealthServer

	server *health.Server
	ended  context.Context //nolint:containedctx // it ends with the server, not with a call
	end    context.CancelFunc
}

func newHealthService() *healthService {
	h := &healthService{server: health.NewServer()}
	h.HealthServer = h.server
	h.ended, h.end = context.WithCancel(context.Background())
	h.server.SetServingStatus(servicev1.ToolService_ServiceDesc.ServiceName, healthgrpc.HealthCheckResponse_SERVING)
	h.ledger(true)
	return h
}

// ledger says whether the ledger answers. Once the server stops it changes nothing.
func (h *healthService) ledger(answers bool) {
	status := healthgrpc.HealthCheckResponse_NOT_SERVING
	if answers {
		status = healthgrpc.HealthCheckResponse_SERVING
	}
	h.server.SetServingStatus(servicev1.OperationService_ServiceDesc.ServiceName, status)
}

// Watch tells of every change until the caller leaves or the server stops.
func (h *healthService) Watch(r *healthgrpc.HealthCheckRequest, stream grpc.ServerStreamingServer[healthgrpc.HealthCheckResponse]) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	stop := context.AfterFunc(h.ended, cancel)
	defer stop()
	err := h.server.Watch(r, &watch{stream, ctx})
	if h.ended.Err() != nil && stream.Context().Err() == nil {
		return &errs.ServiceError{Code: errs.CodeShuttingDown}
	}
	return err
}

type watch struct {
	grpc.ServerStreamingServer[healthgrpc.HealthCheckResponse]

	ctx context.Context
}

func (w *watch) Context() context.Context { return w.ctx }
