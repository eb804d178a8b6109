package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// Server runs tools. It is safe for concurrent use.
type Server struct {
	byName map[string]*AnyTool
	names  []string // sorted
	stages []stage
	ledger ledger.Ledger
	config config

	health   *healthService
	warned   atomic.Pointer[time.Time] // that there is no room
	mute     atomic.Bool               // the last claim was not answered
	expired  atomic.Pointer[time.Time] // when it last forgot what was kept long enough
	carrying carrying
	waiters  waiters

	// lifetime ends when the server stops for good, with what goes on without a caller.
	lifetime context.Context //nolint:containedctx // it is the server's
	die      context.CancelFunc
	sweeping sync.Once
	// accepting ends when calls are refused.
	accepting context.Context //nolint:containedctx // it is the server's
	refuse    context.CancelFunc
}

// New makes a server of tools. It fails, and names every tool and field that is wrong and what to do about it, when a
// name is malformed or given twice, a schema is malformed, too large or contains itself, a required hook is missing, an
// error code is declared twice, or an option is out of its range.
func New(tools []*AnyTool, options ...Option) (*Server, error) {
	s := &Server{
		byName: make(map[string]*AnyTool, len(tools)), stages: pipeline(), health: newHealthService(),
		config: config{
			stopDelay: DefaultStopDelay, maxOperations: DefaultMaxOperations, recheckInterval: DefaultRecheckInterval,
			sweepInterval: DefaultSweepInterval, keepOutputs: DefaultKeepOutputs, keepKeys: DefaultKeepKeys,
		},
	}
	s.lifetime, s.die = context.WithCancel(context.Background())
	s.accepting, s.refuse = context.WithCancel(s.lifetime)
	for _, option := range options {
		if option != nil {
			option(&s.config)
		}
	}
	problems := s.config.check()
	for _, tool := range tools {
		if err := tool.check(); err != nil {
			problems = append(problems, err)
			continue
		}
		if _, taken := s.byName[tool.name]; taken {
			problems = append(problems, fmt.Errorf("tool %q: the name is given to two tools: rename one", tool.name))
			continue
		}
		s.byName[tool.name] = tool
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("server: %w", errors.Join(problems...))
	}
	s.names = slices.Sorted(maps.Keys(s.byName))
	if s.ledger = s.config.ledger; s.ledger == nil {
		s.ledger = memory.New(memory.WithMaxOperations(s.config.maxOperations))
	}
	return s, nil
}

// Event is one call of a tool that has ended.
type Event struct {
	// Tool is the name that was called, which may be no tool's.
	Tool string
	// Stage is the stage where the call failed; empty where it did not.
	Stage string
	// OperationKey, OperationID and RunID name the operation and the run, where they are known.
	OperationKey, OperationID, RunID string
	// Replayed says that the result is one of an earlier call.
	Replayed bool
	// Begun and Duration say when the call ran, and how long.
	Begun    time.Time
	Duration time.Duration
	// Err is what the caller got; nil for a result.
	Err error
}

// Observer is told of every call that has ended, in the goroutine of the call. It holds no inputs and no outputs. A panic
// in it is logged and changes nothing.
type Observer func(ctx context.Context, event Event)

func (s *Server) observe(ctx context.Context, c *call, stage string, begun time.Time, err error) {
	if s.config.observer == nil {
		return
	}
	event := Event{
		Tool: c.Tool, Stage: stage, OperationKey: c.key, OperationID: c.row.ID, RunID: c.runID(), Replayed: c.replayed && err == nil,
		Begun: begun, Duration: time.Since(begun), Err: err,
	}
	if err := guard("the observer", func() error { s.config.observer(ctx, event); return nil }); err != nil {
		s.log(ctx, slog.LevelError, "the observer failed", err)
	}
}
