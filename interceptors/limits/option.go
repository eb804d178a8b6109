package limits

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/time/rate"
)

// Option configures a [Stage].
type Option func(*Stage)

// WithDefaultTimeout bounds calls that come without a deadline. The default, and zero, is no bound.
func WithDefaultTimeout(d time.Duration) Option { return func(s *Stage) { s.defaultTimeout = d } }

// WithMaxTimeout bounds every call, whatever deadline it comes with. The default, and zero, is no bound. It also ends
// streams, so set it only where none lives long.
func WithMaxTimeout(d time.Duration) Option { return func(s *Stage) { s.maxTimeout = d } }

// WithoutEarlyDeadline gives handlers the whole time of their caller. By default a handler's deadline ends before its
// caller's, see [EarlyDeadline].
func WithoutEarlyDeadline() Option { return func(s *Stage) { s.late = true } }

// WithMaxConcurrent bounds how many calls run at once; more are answered as overloaded at once. The default, and zero,
// is no bound. Health and reflection do not count.
func WithMaxConcurrent(calls int) Option { return func(s *Stage) { s.maxConcurrent = int64(calls) } }

// WithTenantRate bounds how many calls a second each tenant may start, with bursts of at most burst calls; more are
// answered as overloaded with the time to wait. tenant names whom a call counts for; the empty name is a tenant too. At
// most 10,000 tenants are remembered; the one that was idle longest is forgotten first. The default is no bound.
func WithTenantRate(perSecond float64, burst int, tenant func(context.Context) string) Option {
	return func(s *Stage) { s.rates = newTenants(rate.Limit(perSecond), burst, tenant) }
}

// New returns the stage. It fails when an option is negative or a rate has no burst or no tenant function.
func New(options ...Option) (*Stage, error) {
	s := &Stage{}
	for _, option := range options {
		option(s)
	}
	switch {
	case s.defaultTimeout < 0 || s.maxTimeout < 0:
		return nil, fmt.Errorf("limits: timeouts must not be negative, got %v and %v", s.defaultTimeout, s.maxTimeout)
	case s.maxConcurrent < 0:
		return nil, fmt.Errorf("limits: the number of concurrent calls must not be negative, got %d", s.maxConcurrent)
	case s.rates != nil && (math.IsNaN(float64(s.rates.limit)) || s.rates.limit <= 0 || s.rates.burst < 1):
		return nil, errors.New("limits: a tenant's rate and burst must be positive")
	case s.rates != nil && s.rates.tenant == nil:
		return nil, errors.New("limits: the function that names the tenant is nil")
	}
	return s, nil
}
