package decode

import "github.com/remedyrpc/remedy/errs"

// Option configures a [Stage], or the interceptors of one connection.
type Option func(*Stage)

// WithRelay says what a server does when it returns an error of ours, received over this connection, as its own. The
// default, [errs.Passthrough], sends it on as it came, and what it says of ids and of an effect is about the upstream's
// operation: a handler that has changed something itself returns an error of its own, or asks for [errs.Translate], which
// answers internal. Package server states the effect and the ids of its own operation.
func WithRelay(policy errs.Relay) Option { return func(s *Stage) { s.ours = policy } }

// WithForeignRelay says the same for statuses that are not ours. The default is [errs.Translate]: an upstream's
// INVALID_ARGUMENT is not the fault of our caller.
func WithForeignRelay(policy errs.Relay) Option { return func(s *Stage) { s.foreign = policy } }

// New returns the stage.
func New(options ...Option) *Stage {
	s := &Stage{}
	for _, option := range options {
		option(s)
	}
	return s
}
