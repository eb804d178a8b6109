package server

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/server/ledger"
)

// Option configures [New].
type Option func(*config)

type config struct {
	logger            *slog.Logger
	observer          Observer
	stopDelay         time.Duration
	maxOperations     int
	recheckInterval   time.Duration
	sweepInterval     time.Duration
	keepOutputs       time.Duration
	keepKeys          time.Duration
	ledger            ledger.Ledger
	operators         func(ctx context.Context, id auth.Identity) bool
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

// Defaults of [WithRetention].
const (
	DefaultKeepOutputs = 24 * time.Hour
	DefaultKeepKeys    = 30 * 24 * time.Hour
)

// WithLedger sets where operations are kept; it stays the caller's to close, after [Server.Shutdown]. The default, and nil,
// is memory: operations are forgotten with the process, and an old key is then a new operation.
func WithLedger(l ledger.Ledger) Option { return func(c *config) { c.ledger = l } }

// WithRetention says how long the outputs of completed operations are kept, and how long their keys are: an equal call in
// between is answered operation_expired, and after that it is a new operation. Operations whose outcome is unknown are kept
// until somebody resolves them. The defaults are [DefaultKeepOutputs] and [DefaultKeepKeys]; keys are kept at least as long
// as outputs.
func WithRetention(outputs, keys time.Duration) Option {
	return func(c *config) { c.keepOutputs, c.keepKeys = outputs, keys }
}

// WithSweepInterval is how often a registered server looks for operations whose process is gone. The default is
// [DefaultSweepInterval]; zero never looks, and leaves that to [Server.Sweep].
func WithSweepInterval(d time.Duration) Option { return func(c *config) { c.sweepInterval = d } }

// WithOperators says who is an operator of its tenant: one that sees the operations of everybody, resolves those whose outcome
// is unknown, and purges. The default, and nil, is nobody.
func WithOperators(is func(ctx context.Context, id auth.Identity) bool) Option {
	return func(c *config) { c.operators = is }
}

// DefaultMaxOperations is how many operations are remembered at once in memory.
const DefaultMaxOperations = 10_000

// DefaultRecheckInterval is how long an unknown outcome stays unknown before it is looked at again.
const DefaultRecheckInterval = 5 * time.Second

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

// WithoutHealth leaves grpc.health.v1.Health to others. By default [Server.Register] registers it, with the names "",
// remedy.service.v1.ToolService and remedy.service.v1.OperationService; the last one is NOT_SERVING while the ledger does not
// answer, as of the last sweep (see [WithSweepInterval]) or claim.
func WithoutHealth() Option { return func(c *config) { c.withoutHealth = true } }

// WithoutReflection leaves grpc.reflection.v1.ServerReflection to others. By default [Server.Register] registers it
// where it can.
func WithoutReflection() Option { return func(c *config) { c.withoutReflection = true } }

func (c *config) check() []error {
	var problems []error
	if c.maxOperations < 1 {
		problems = append(problems, fmt.Errorf("WithMaxOperations(%d): at least one operation must be remembered", c.maxOperations))
	}
	if c.sweepInterval < 0 {
		problems = append(problems, fmt.Errorf("WithSweepInterval(%v): the interval must not be negative", c.sweepInterval))
	}
	if c.keepOutputs <= 0 || c.keepKeys < c.keepOutputs {
		problems = append(problems, fmt.Errorf("WithRetention(%v, %v): outputs must be kept for some time, and keys at least as long",
			c.keepOutputs, c.keepKeys))
	}
	if c.recheckInterval < 0 {
		problems = append(problems, fmt.Errorf("WithRecheckInterval(%v): the interval must not be negative", c.recheckInterval))
	}
	if c.stopDelay < 0 {
		problems = append(problems, fmt.Errorf("WithStopDelay(%v): the delay must not be negative", c.stopDelay))
	}
	return problems
}
