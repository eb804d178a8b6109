package server

import (
	"google.golang.org/grpc"
	healthgrpc "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// Register registers the tool and the operation service, and health and reflection (v1) with them unless an option leaves
// them out. Reflection needs a registrar that lists its services, as a [google.golang.org/grpc.Server] does; it describes the details of
// errors, too. Register before the server serves. It also starts to look for operations that nobody works on any more, until
// [Server.Shutdown].
func (s *Server) Register(registrar grpc.ServiceRegistrar) {
	servicev1.RegisterToolServiceServer(registrar, &toolService{server: s})
	servicev1.RegisterOperationServiceServer(registrar, &operationService{server: s})
	if !s.config.withoutHealth {
		healthgrpc.RegisterHealthServer(registrar, s.health)
	}
	if every := s.config.sweepInterval; every > 0 {
		s.sweeping.Do(func() { go s.sweepEvery(every) })
	}
	// The types of error details are linked into every program that imports errs, and the default resolver has them.
	if lister, ok := registrar.(reflection.GRPCServer); ok && !s.config.withoutReflection {
		reflection.RegisterV1(lister)
	}
}
