package errs

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Error is a typed error: one of the structs of this package, or one that protoc-gen-remedy generated. Its methods are
// safe on nil pointers and for concurrent use; the first call of any of them fixes what the error says.
type Error interface {
	error
	// ErrorCode returns the code in lower snake case, for example slot_stale.
	ErrorCode() string
	// RetryPolicy returns whether the same call may be sent again.
	RetryPolicy() RetryPolicy
	// Plan returns what has to happen first; nil when there is nothing.
	Plan() *Plan
	// GRPCStatus returns the status that travels. It never fails: an impossible error is an internal one.
	GRPCStatus() *status.Status
}

// Declared is what protoc-gen-remedy adds to an error type declared in a proto: it is carried by a [ToolError].
type Declared interface {
	Error
	// Base returns the ToolError that carries the declared message.
	Base() *ToolError
	// WithBase returns a copy that is carried by another ToolError.
	WithBase(base *ToolError) Error
}

// Info is what an error says about the call it belongs to. Fields that are empty are not known.
type Info struct {
	// Tool is the tool that was called.
	Tool string
	// OperationKey is the caller's name for its intent, at most 64 bytes.
	OperationKey string
	// OperationID is the server's name for the operation, at most 36 bytes.
	OperationID string
	// RunID is the agent run, at most 36 bytes.
	RunID string
	// ErrorID is the number under which the server's log has the whole story.
	ErrorID string
	// Effect says whether the call changed anything.
	Effect Effect
	// Domain is the domain of the ErrorInfo detail. WithInfo does not change it.
	Domain string
	// Truncated says that something did not fit and was left out. WithInfo does not change it.
	Truncated bool
}

// merge fills the fields of i that are empty from other.
func (i *Info) merge(other Info) {
	fill := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	fill(&i.Tool, other.Tool)
	fill(&i.OperationKey, other.OperationKey)
	fill(&i.OperationID, other.OperationID)
	fill(&i.RunID, other.RunID)
	fill(&i.ErrorID, other.ErrorID)
	if i.Effect == EffectUnspecified {
		i.Effect = other.Effect
	}
}

// typed is what the structs of this package have in common.
type typed interface {
	Error
	Unwrap() error
	slog.LogValuer
	// state returns what the error holds besides its exported fields; nil for a nil pointer.
	state() *core
	// describe says what the exported fields mean.
	describe(f *form)
	// clone copies the exported fields and nothing else.
	clone() typed
}

// core is embedded in every typed error. The zero value is ready for use.
type core struct {
	info  Info    // added by WithInfo
	also  []error // other errors of a join whose head this is
	cause error   // causes that came off the wire
	// origin is the error that a received status was found in, where that adds something of its own.
	origin error
	relay  Relay // what a server does when it returns this error as its own; set by Received
	// declared is the message of a declared error.
	declared *declaredPart
	said     atomic.Pointer[wire]
}

// wire is what an error says, fixed once.
type wire struct {
	st      *status.Status
	cost    int  // bytes of the trailer list that carries st
	foreign bool // st came off the wire
	code    string
	retry   RetryPolicy
	plan    *Plan
	after   time.Duration
	info    Info
	problem string // why the error is answered as internal
}

// said returns what e says. The first call builds it.
func said(e typed) *wire {
	c := e.state()
	if c == nil {
		return buildInternal("a typed nil pointer was returned as an error: return nil instead")
	}
	if w := c.said.Load(); w != nil {
		return w
	}
	w := build(e, DefaultLimit, true)
	if w.problem != "" {
		w = buildInternal(w.problem)
		slog.Error("remedy: an impossible error is answered as internal", "problem", w.problem, "errorId", w.info.ErrorID)
	}
	c.said.CompareAndSwap(nil, w)
	return c.said.Load()
}

// is implements errors.Is for every typed error.
func is(e typed, target error) bool {
	switch t := target.(type) { //nolint:errorlint // Is is asked about this very target
	case Code:
		return string(t) == said(e).code
	case Sentinel:
		return t == Sentinel{Domain: said(e).info.Domain, Code: said(e).code}
	}
	switch target {
	case context.Canceled:
		return said(e).code == string(CodeCanceled) && said(e).info.Domain == DomainRemedy
	case context.DeadlineExceeded:
		return said(e).code == string(CodeDeadlineExceeded) && said(e).info.Domain == DomainRemedy
	default:
		return false
	}
}

// unwrap returns the cause in the field, the ones off the wire and what the status was wrapped in.
func unwrap(e typed, cause error) error {
	c := e.state()
	switch {
	case c.cause == nil && c.origin == nil:
		return cause
	case cause == nil && c.origin == nil:
		return c.cause
	default:
		return errors.Join(cause, c.cause, c.origin)
	}
}

// causes returns what may travel as the causes of e.
func causes(e typed) error {
	c := e.state()
	if c == nil {
		return nil
	}
	if c.origin != nil {
		return c.cause // such an error came off the wire, and its field is empty
	}
	return e.Unwrap()
}

// logValue says what may be logged: code, rule and ids, never a value.
func logValue(e typed) slog.Value {
	w := said(e)
	attrs := []slog.Attr{
		slog.String("code", w.code),
		slog.String("retry", w.retry.String()),
		slog.String("status", w.st.Code().String()),
	}
	for _, a := range []slog.Attr{
		slog.String("domain", w.info.Domain),
		slog.String("effect", w.info.Effect.String()),
		slog.String("tool", w.info.Tool),
		slog.String("operationKey", w.info.OperationKey),
		slog.String("operationId", w.info.OperationID),
		slog.String("runId", w.info.RunID),
		slog.String("errorId", w.info.ErrorID),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	return slog.GroupValue(attrs...)
}

// The methods below are what every exported struct calls.

func messageOf(e typed) string           { return said(e).st.Message() }
func codeOf(e typed) string              { return said(e).code }
func policyOf(e typed) RetryPolicy       { return said(e).retry }
func planOfError(e typed) *Plan          { return said(e).plan }
func statusOf(e typed) *status.Status    { return said(e).st }
func grpcCodeOf(e typed) codes.Code      { return said(e).st.Code() }
func infoOf(e typed) Info                { return said(e).info }
func retryAfterOf(e typed) time.Duration { return said(e).after }
