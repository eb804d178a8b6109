package errs

import (
	"log/slog"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	"github.com/remedyrpc/remedy/internal/authored"
)

// ToolError is an expected business failure that an agent or a user interface can act on. Define one that is raised often
// with [Define]; a literal does for the others.
type ToolError struct {
	// Code is lower snake case, 3 to 63 characters, and none of the catalog's.
	Code string
	// Message is the headline.
	Message guide.Text
	// Retry is the rule; zero means [Never].
	Retry RetryPolicy
	// Status is the status code; zero means FAILED_PRECONDITION, or UNAVAILABLE with [AsIs].
	Status codes.Code
	// Repair is the plan; [AfterRepair] needs one.
	Repair *Plan
	// RetryAfter is the wait before a retry; zero when not known. It travels whatever the rule says.
	RetryAfter time.Duration
	// Details are for application code. They travel as structured data and never enter a message. What JSON cannot hold
	// exactly everywhere, such as integers beyond 2^53-1, is left out.
	Details map[string]any
	// Cause is kept in process. Only typed causes travel.
	Cause error

	definition *Definition
	core
}

var _ typed = (*ToolError)(nil)

// Error returns the portable message.
func (e *ToolError) Error() string { return messageOf(e) }

// ErrorCode returns the Code of a valid error.
func (e *ToolError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *ToolError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *ToolError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *ToolError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *ToolError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *ToolError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *ToolError) LogValue() slog.Value { return logValue(e) }

func (e *ToolError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *ToolError) clone() typed {
	return &ToolError{
		Code: e.Code, Message: e.Message, Retry: e.Retry, Status: e.Status, Repair: e.Repair, RetryAfter: e.RetryAfter,
		Details: e.Details, Cause: e.Cause, definition: e.definition,
	}
}

func (e *ToolError) describe(f *form) {
	f.domain, f.code, f.retry, f.status, f.plan = DomainTool, e.Code, e.Retry.known(), e.Status, e.Repair
	if f.status == codes.OK {
		f.status = f.retry.defaultStatus()
	}
	switch d := e.definition; {
	case e.more != nil && e.more.declared != nil && (d == nil || messageName(e.more.declared) != d.declares):
		f.problem = "a definition wraps the message that it was declared for and no other"
		return
	case d == nil || d.domain == DomainTool && !d.covers(e):
		if f.problem = toolProblem(e.Code, e.Retry, f.status, e.Repair); f.problem != "" {
			return
		}
	case !d.covers(e):
		f.problem = "code, retry, status and repair of a declared error are those of its proto"
		return
	default:
		f.domain, f.help, f.info.Effect, f.known = d.domain, d.help(), d.effect, d.messageOf(e)
	}
	f.after = e.RetryAfter
	if f.headline = string(e.Message); f.known == "" { // else Define has looked at it
		f.headline = f.sentence(f.headline)
	}
	if f.headline == "" {
		f.headline = defaultHeadline(e.Code).Text()
	}
	f.tool, f.details = true, f.packDetails(e.Details)
}

// toolProblem says what makes a code, rule, status and plan impossible, or nothing.
func toolProblem(code string, retry RetryPolicy, grpc codes.Code, plan *Plan) string {
	switch {
	case !authored.IsCode(code):
		return "code must be 3 to 63 of [a-z0-9_], a letter first and no underscore last"
	case isReserved(code):
		return "code " + code + " belongs to the catalog: choose another, or use its type"
	case retry != 0 && !retry.valid():
		return "retry must be Never, AsIs or AfterRepair"
	case !retry.known().allows(grpc):
		return "status " + grpc.String() + " does not go with retry " + retry.String()
	default:
		return plan.problem(retry.known())
	}
}
