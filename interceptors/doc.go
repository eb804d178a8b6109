// Package interceptors adds typed errors to a gRPC server or client, with no change to its protos:
//
//	options, err := interceptors.ServerOptions()
//	server := grpc.NewServer(options...)
//
//	conn, err := grpc.NewClient(target, append(interceptors.DialOptions(), credentials)...)
//
// The packages below hold one concern each and can be chained alone. This package fuses the server's into one
// interceptor, because each link of grpc's chain costs two allocations a call. It compiles neither CEL nor
// OpenTelemetry: package validate and telemetry are passed in.
package interceptors
