package interceptors

import (
	"slices"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/interceptors/decode"
)

// ServerOptions returns what adds typed errors to a server, in the order of [Order]. It fails when an option is out of
// its range. Interceptors that the server chains besides run inside these, so that their errors are encoded too.
func ServerOptions(options ...ServerOption) ([]grpc.ServerOption, error) {
	c, telemetry, err := newChain(options)
	if err != nil {
		return nil, err
	}
	server := make([]grpc.ServerOption, 0, len(telemetry)+2) //nolint:mnd // two interceptors
	for _, handler := range telemetry {
		server = append(server, grpc.StatsHandler(handler))
	}
	return append(server, grpc.ChainUnaryInterceptor(c.unary), grpc.ChainStreamInterceptor(c.stream)), nil
}

// DialOptions returns what makes a client receive typed errors. Interceptors that are chained after these see the
// status as it came, those before see the typed error.
func DialOptions(options ...decode.Option) []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(decode.UnaryClientInterceptor(options...)),
		grpc.WithChainStreamInterceptor(decode.StreamClientInterceptor(options...)),
	}
}

// Order returns the names of the server's stages, the outermost first.
func Order() []string { return slices.Clone(order) }
