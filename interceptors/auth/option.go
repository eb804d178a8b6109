package auth

import "errors"

// Option configures a [Stage].
type Option func(*Stage)

// WithExempt adds services, by their full name, that are not asked for an identity. Health and reflection always are
// exempt.
func WithExempt(services ...string) Option {
	return func(s *Stage) { s.exempt = append(s.exempt, services...) }
}

// New returns the stage that asks authenticate. It fails when authenticate is nil.
func New(authenticate Func, options ...Option) (*Stage, error) {
	if authenticate == nil {
		return nil, errors.New("auth: the function that authenticates is nil")
	}
	s := &Stage{authenticate: authenticate, exempt: []string{
		"grpc.health.v1.Health",
		"grpc.reflection.v1.ServerReflection",
		"grpc.reflection.v1alpha.ServerReflection",
	}}
	for _, option := range options {
		option(s)
	}
	return s, nil
}
