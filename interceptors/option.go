package interceptors

import (
	"fmt"

	"google.golang.org/grpc/stats"

	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/interceptors/limits"
)

// ServerOption configures [ServerOptions].
type ServerOption func(*config)

type config struct {
	telemetry []stats.Handler
	encode    []encode.Option
	limits    []limits.Option
	auth      *auth.Stage
	validate  Validator
	mapper    Mapper
	contract  []contract.ServerOption // nil for no such stage
}

// Validator checks a message; [github.com/remedyrpc/remedy/interceptors/validate.Stage] is one. What it returns goes
// the way of a handler's error.
type Validator interface {
	// Check returns what is wrong with a message, nil when nothing is.
	Check(message any) error
}

// WithTelemetry adds stats handlers, in front of everything else and in this order. The default is none.
func WithTelemetry(handlers ...stats.Handler) ServerOption {
	return func(c *config) { c.telemetry = append(c.telemetry, handlers...) }
}

// WithEncode passes options to the encode stage. The default is none.
func WithEncode(options ...encode.Option) ServerOption {
	return func(c *config) { c.encode = append(c.encode, options...) }
}

// WithLimits passes options to the limits stage. The default is none: only the early deadline applies.
func WithLimits(options ...limits.Option) ServerOption {
	return func(c *config) { c.limits = append(c.limits, options...) }
}

// WithAuth asks stage who is calling. The default, and nil, asks nobody.
func WithAuth(stage *auth.Stage) ServerOption { return func(c *config) { c.auth = stage } }

// WithValidate checks every request and every streamed message. The default, and nil, checks nothing.
func WithValidate(validator Validator) ServerOption {
	return func(c *config) { c.validate = validator }
}

// WithContract tells of errors that handlers return and the contracts of their methods do not list: in the log, or as the
// options say. The default is not to look. What [WithMap] maps is looked at as it is mapped: its function is asked next to
// the handler, and about what it does not know a second time, as always.
func WithContract(options ...contract.ServerOption) ServerOption {
	return func(c *config) { c.contract = append(append([]contract.ServerOption{}, c.contract...), options...) }
}

// WithMap lets mapper turn foreign Go errors of handlers, such as those of a database, into typed ones. Several are
// asked one after the other.
func WithMap(mapper Mapper) ServerOption {
	return func(c *config) {
		if earlier := c.mapper; earlier != nil && mapper != nil {
			c.mapper = chained(earlier, mapper)
		} else if mapper != nil {
			c.mapper = mapper
		}
	}
}

func newChain(options []ServerOption) (*chain, []stats.Handler, error) {
	var c config
	for _, option := range options {
		option(&c)
	}
	encoding, err := encode.New(c.encode...)
	if err != nil {
		return nil, nil, fmt.Errorf("interceptors: %w", err)
	}
	limiting, err := limits.New(c.limits...)
	if err != nil {
		return nil, nil, fmt.Errorf("interceptors: %w", err)
	}
	made := &chain{encode: encoding, mapper: c.mapper, auth: c.auth, limits: limiting, validate: c.validate}
	if c.contract != nil {
		made.unaryContract = contract.UnaryServerInterceptor(c.contract...)
		made.streamContract = contract.StreamServerInterceptor(c.contract...)
	}
	return made, c.telemetry, nil
}
