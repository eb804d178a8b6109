// Package telemetry stamps spans with the code and the rule of a typed error and counts errors by them. It is a stats
// handler, because a client interceptor sees only the span of its caller, and it is registered in front of otelgrpc's,
// which ends the span:
//
//	handler, err := telemetry.New()
//	options, err := interceptors.ServerOptions(interceptors.WithTelemetry(handler, otelgrpc.NewServerHandler()))
//
// It makes no spans of its own, and neither spans nor metrics hold inputs, messages or details.
package telemetry
