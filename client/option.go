package client

import (
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/remedyrpc/remedy/interceptors/decode"
)

// Option configures a [Client].
type Option func(*config)

type config struct {
	ledger      bool
	retry       Retry // zero, or complete
	retries     bool
	credentials []credentials.TransportCredentials
	dial        []grpc.DialOption
	decode      []decode.Option
	dials       bool // an option for Dial was given
}

// WithRetry sends calls again as retry says. The default is to send every call once; the zero [Retry] stands for the
// defaults of its fields.
func WithRetry(retry Retry) Option { return func(c *config) { c.retry, c.retries = retry, true } }

// WithLedger says that the service keeps its operations durably, for at least as long as this client retries: a lost
// answer then says "retry with the same operation key only", and [WithRetry] does that. The default is that it does not,
// and a lost answer says "do not retry". Where this is claimed of a service that forgets its operations, a retry can
// cause an effect twice.
func WithLedger() Option { return func(c *config) { c.ledger = true } }

// WithTransportCredentials secures the connection of [Dial]. The default is TLS with the certificates of the system;
// nil is refused.
func WithTransportCredentials(creds credentials.TransportCredentials) Option {
	return func(c *config) { c.credentials, c.dials = append(c.credentials, creds), true }
}

// WithInsecure makes [Dial] connect without TLS: everybody on the way can read and change what is sent.
func WithInsecure() Option { return WithTransportCredentials(insecure.NewCredentials()) }

// WithDecode passes options to the decoder of errors of [Dial]. The default is none.
func WithDecode(options ...decode.Option) Option {
	return func(c *config) { c.decode, c.dials = append(c.decode, options...), true }
}

// WithDialOptions passes options to grpc. The default is none. Interceptors run outside those of this package, so they
// see typed errors, and a lost answer as an unknown outcome.
func WithDialOptions(options ...grpc.DialOption) Option {
	return func(c *config) { c.dial, c.dials = append(c.dial, options...), true }
}

func configOf(options []Option) (config, error) {
	var c config
	for _, option := range options {
		if option != nil {
			option(&c)
		}
	}
	if len(c.credentials) > 1 {
		return c, errors.New("client: WithTransportCredentials and WithInsecure choose the credentials: give one of them, once")
	}
	for _, creds := range c.credentials {
		if creds == nil {
			return c, errors.New("client: WithTransportCredentials(nil): use WithInsecure for a connection without TLS")
		}
	}
	var err error
	if c.retries {
		c.retry, err = complete(c.retry)
	}
	return c, err
}
