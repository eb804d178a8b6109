package server

import (
	"fmt"
	"log/slog"
	"time"
)

// Option configures [New].
type Option func(*config)

type config struct {
	logger            *slog.Logger
	observer          Observer
	stopDelay         time.Duration
	maxOperations     int
	recheckInterval   time.Duration
	withoutHealth     bool
	withoutReflection bool
}

// DefaultStopDelay is the default of [WithStopDelay].
const DefaultStopDelay = 2 * time.Second

// WithLogger sets where the server logs what callers are not told, and what somebody has to look into: unknown outcomes
// and results that could not be verified. It logs no inputs and no outputs, but the texts of errors that hooks return as
// they are. The default, also for nil, is [slog.Default] at the time of the call.
func WithLogger(logger *slog.Logger) Option { return func(c *config) { c.logger = logger } }

// WithObserver is told of every call that has ended. The default, and nil, tells nobody.
func WithObserver(observer Observer) Option { return func(c *config) { c.observer = observer } }

// WithMaxOperations bounds how many operations are remembered at once, from 1 on. When there are more, those that
// completed longest ago are forgotten, but not within ten minutes, and those that run or whose outcome is unknown never
// are; a call that finds no room is answered overloaded, with the time until there is some. So no more than this many new
// operations in ten minutes find room for certain. The default is [DefaultMaxOperations], some 10 MB without the outputs,
// which take 64 MiB at most.
func WithMaxOperations(n int) Option { return func(c *config) { c.maxOperations = n } }

// WithStopDelay is how long [Server.Shutdown] lets load balancers see that the server is not serving before it refuses
// calls. The default is [DefaultStopDelay]; zero refuses them at once.
func WithStopDelay(d time.Duration) Option { return func(c *config) { c.stopDelay = d } }

// WithRecheckInterval is how long after a look at an unknown outcome an equal call looks again; a call before that is
// answered by what is known. The default is [DefaultRecheckInterval]; zero looks on every call.
func WithRecheckInterval(d time.Duration) Option { return func(c *config) { c.recheckInterval = d } }

// WithoutHealth leaves grpc.health.v1.Health to others. By default [Server.Register] registers it.
func WithoutHealth() Option { return func(c *config) { c.withoutHealth = true } }

// WithoutReflection leaves grpc.reflection.v1.ServerReflection to others. By default [Server.Register] registers it
// where it can.
func WithoutReflection() Option { return func(c *config) { c.withoutReflection = true } }

func (c *config) check() []error {
	var problems []error
	if c.maxOperations < 1 {
		problems = append(problems, fmt.Errorf("WithMaxOperations(%d): at least one operation must be remembered", c.maxOperations))
	}
	if c.recheckInterval < 0 {
		problems = append(problems, fmt.Errorf("WithRecheckInterval(%v): the interval must not be negative", c.recheckInterval))
	}
	if c.stopDelay < 0 {
		problems = append(problems, fmt.Errorf("WithStopDelay(%v): the delay must not be negative", c.stopDelay))
	}
	return problems
}
