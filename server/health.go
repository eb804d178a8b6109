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
	return h
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
