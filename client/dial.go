package client

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/interceptors/decode"
	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// Dial returns a client with a connection of its own to target, which is what grpc.NewClient takes. It does not connect
// yet. It fails when target or an option is not valid.
//
// The connection uses TLS, decodes errors, proves what was never sent and leaves retries to [WithRetry]: a retryPolicy of
// the service config, which a resolver may bring, has no effect.
func Dial(target string, options ...Option) (*Client, error) {
	c, err := configOf(options)
	if err != nil {
		return nil, err
	}
	creds := credentials.NewTLS(nil)
	if len(c.credentials) > 0 {
		creds = c.credentials[0]
	}
	dial := append([]grpc.DialOption{grpc.WithTransportCredentials(creds), grpc.WithDisableRetry()}, c.dial...)
	conn, err := grpc.NewClient(target, append(dial, DialOptions(c.decode...)...)...)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	client := newClient(conn, c)
	client.close = conn.Close
	return client, nil
}

// DialOptions returns what [Dial] adds to a connection, for one that is made with grpc.NewClient and given to [New].
// Give them last: interceptors that come before them see typed errors, and the lost answer of a call that may have had an
// effect as an unknown outcome, so that none of them sends it again. They leave the retryPolicy of a service config alone: add
// grpc.WithDisableRetry, as Dial does, unless the service keeps its operations.
func DialOptions(options ...decode.Option) []grpc.DialOption {
	rules := []contract.ClientOption{contract.WithDecode(options...), contract.WithTool(toolOf)}
	return []grpc.DialOption{
		neversent.DialOption(),
		grpc.WithChainUnaryInterceptor(contract.UnaryClientInterceptor(rules...)),
		grpc.WithChainStreamInterceptor(contract.StreamClientInterceptor(rules...)),
	}
}
