package errs

import (
	"log/slog"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// BudgetLimit is a ceiling of a run.
type BudgetLimit string

// The ceilings.
const (
	// BudgetCost is in USD.
	BudgetCost BudgetLimit = "cost"
	// BudgetTokens counts tokens.
	BudgetTokens BudgetLimit = "tokens"
	// BudgetWallClock is in milliseconds.
	BudgetWallClock BudgetLimit = "wall_clock"
)

// BudgetExceededError says that a run crossed one of its ceilings.
type BudgetExceededError struct {
	// Limit says which ceiling.
	Limit BudgetLimit
	// LimitValue is the ceiling: USD for cost, a count for tokens, milliseconds for wall clock.
	LimitValue float64
	// ActualValue is what was consumed when it was crossed, in the same unit.
	ActualValue float64
	// RunID is the run that was stopped.
	RunID string
	// BudgetRunID is the run whose budget it is, when that is a parent.
	BudgetRunID string
	// LimitNanos is the ceiling of cost in nano-USD, exact; zero when not known.
	LimitNanos int64
	// ActualNanos is the cost in nano-USD, exact; zero when not known.
	ActualNanos int64
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*BudgetExceededError)(nil)

// Error returns the portable message.
func (e *BudgetExceededError) Error() string { return messageOf(e) }

// ErrorCode returns budget_exceeded.
func (e *BudgetExceededError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *BudgetExceededError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *BudgetExceededError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *BudgetExceededError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *BudgetExceededError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *BudgetExceededError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *BudgetExceededError) LogValue() slog.Value { return logValue(e) }

func (e *BudgetExceededError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *BudgetExceededError) clone() typed {
	return &BudgetExceededError{
		Limit: e.Limit, LimitValue: e.LimitValue, ActualValue: e.ActualValue, RunID: e.RunID, BudgetRunID: e.BudgetRunID,
		LimitNanos: e.LimitNanos, ActualNanos: e.ActualNanos, Message: e.Message, Cause: e.Cause,
	}
}

func (e *BudgetExceededError) describe(f *form) {
	m := &remedyv1.BudgetExceededError{
		Limit:      remedyv1.BudgetLimit(f.enum("limit", remedyv1.BudgetLimit_value, "BUDGET_LIMIT_", string(e.Limit))),
		LimitValue: e.LimitValue, ActualValue: e.ActualValue, RunId: f.id(e.RunID), BudgetRunId: f.id(e.BudgetRunID),
		LimitNanos: e.LimitNanos, ActualNanos: e.ActualNanos, Message: f.override(e.Message),
	}
	f.info.RunID = m.GetRunId()
	f.fromCatalog(m, "", e.Message, e.headline())
	if m.GetLimit() == remedyv1.BudgetLimit_BUDGET_LIMIT_UNSPECIFIED {
		f.invalid("limit must be cost, tokens or wall_clock")
	}
	owner := m.GetBudgetRunId()
	if owner == "" {
		owner = m.GetRunId()
	}
	f.quota = &errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{{
		Subject: "run:" + owner, Description: f.headline,
	}}}
}

// decodeBudgetExceededError reads the identity message.
func decodeBudgetExceededError(m *remedyv1.BudgetExceededError) typed {
	return &BudgetExceededError{
		Limit: BudgetLimit(wordOf(m.GetLimit(), "BUDGET_LIMIT_")), LimitValue: m.GetLimitValue(), ActualValue: m.GetActualValue(),
		RunID: m.GetRunId(), BudgetRunID: m.GetBudgetRunId(), LimitNanos: m.GetLimitNanos(), ActualNanos: m.GetActualNanos(),
		Message: guide.Text(m.GetMessage()),
	}
}

const nanosPerUSD = 1_000_000_000

func (e *BudgetExceededError) headline() string {
	limit, actual := number(e.LimitValue), number(e.ActualValue)
	switch e.Limit {
	case BudgetCost:
		if e.LimitNanos != 0 || e.ActualNanos != 0 {
			limit, actual = fixed(e.LimitNanos, nanosPerUSD), fixed(e.ActualNanos, nanosPerUSD)
		}
		return "Run budget exceeded: cost " + actual + " USD, limit " + limit + " USD."
	case BudgetTokens:
		return "Run budget exceeded: " + actual + " tokens, limit " + limit + " tokens."
	default:
		return "Run budget exceeded: wall clock " + actual + " ms, limit " + limit + " ms."
	}
}
