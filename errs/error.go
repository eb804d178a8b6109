package errs

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/anypb"
)

// Error is a typed error: one of the structs of this package, or one that protoc-gen-remedy generated. Its methods are
// safe on nil pointers and for concurrent use; the first call of any of them fixes what the error says, and its fields
// must not change any more.
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

// Declared is what protoc-gen-remedy adds to an error type declared in a proto: it is carried by a [ToolError]. Its
// methods are safe on nil pointers.
type Declared interface {
	Error
	// Base returns the ToolError that carries the declared message; a nil one for a nil pointer.
	Base() *ToolError
	// WithBase returns a copy that is carried by another ToolError.
	WithBase(base *ToolError) Error
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
	said  atomic.Pointer[wire]
	more  *more // nil for most
	relay Relay // what a server does when it returns this error as its own; set by Received
}

// more is what few errors hold besides their fields.
type more struct {
	info   Info    // added by WithInfo
	also   []Error // other errors of a join whose head this is
	cause  error   // causes that came off the wire
	origin error   // what a received status was found in, where that adds something of its own
	// declared is the message of a declared error.
	declared *anypb.Any
	copyOf   *core // the error that this is a copy of
}

// besides returns what the error holds besides its fields.
func (c *core) besides() more {
	if c.more == nil {
		return more{}
	}
	return *c.more
}

// own returns it to be written to, before anybody else sees the error.
func (c *core) own() *more {
	if c.more == nil {
		c.more = &more{}
	}
	return c.more
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
	}
	if c.said.CompareAndSwap(nil, w) && w.problem != "" {
		logProblem(w)
	}
	return c.said.Load()
}

// logProblem tells the log of an error that says internal because what it should say cannot be sent.
func logProblem(w *wire) {
	//nolint:sloglint // nobody gave a logger to a struct literal, and what is wrong with it must not get lost
	slog.Error("an impossible error is answered as internal",
		slog.String("problem", w.problem), slog.String("errorId", w.errorID()))
}

// saidBy returns what an error that asError returned says.
func saidBy(e Error) *wire {
	if s, ok := e.(*sent); ok && s.said != nil {
		return s.said
	}
	return said(baseOf(e))
}

// is implements errors.Is for every typed error.
func is(e typed, target error) bool {
	w := said(e)
	switch t := target.(type) { //nolint:errorlint // Is is asked about this very target
	case Code:
		return string(t) == w.code
	case Sentinel:
		return t == Sentinel{Domain: w.domain, Code: w.code}
	}
	if w.domain != DomainRemedy {
		return false
	}
	// These two are comparable, so comparing with them is safe whatever the target is.
	return target == context.Canceled && w.code == string(CodeCanceled) || //nolint:errorlint // as above
		target == context.DeadlineExceeded && w.code == string(CodeDeadlineExceeded) //nolint:errorlint // as above
}

// unwrap returns the cause in the field, the ones off the wire and what the status was found in.
func unwrap(e typed, cause error) error {
	m := e.state().more
	switch {
	case m == nil || m.cause == nil && m.origin == nil:
		return cause
	case cause == nil && m.origin == nil:
		return m.cause
	default:
		return errors.Join(cause, m.cause, m.origin)
	}
}

// causes returns what may travel as the causes of e.
func causes(e typed) error {
	c := e.state()
	switch {
	case c == nil:
		return nil
	case c.besides().origin != nil:
		return c.more.cause // the error came off the wire: its field is empty, and its origin is itself
	default:
		return e.Unwrap()
	}
}

// logValue says what may be logged: code, rule and ids, never a value.
func logValue(e typed) slog.Value {
	w := said(e)
	attrs := []slog.Attr{
		slog.String("code", w.code),
		slog.String("retry", w.retry.String()),
		slog.String("status", w.st.Code().String()),
	}
	info := w.info()
	for _, a := range []slog.Attr{
		slog.String("domain", info.Domain),
		slog.String("effect", info.Effect.String()),
		slog.String("tool", info.Tool),
		slog.String("operationKey", info.OperationKey),
		slog.String("operationId", info.OperationID),
		slog.String("runId", info.RunID),
		slog.String("errorId", info.ErrorID),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	return slog.GroupValue(attrs...)
}

// The functions below are what the methods of every exported struct call.

func messageOf(e typed) string     { return said(e).shown() }
func codeOf(e typed) string        { return said(e).code }
func policyOf(e typed) RetryPolicy { return said(e).retry }
func planOfError(e typed) *Plan    { return said(e).plan }

func statusOf(e typed) *status.Status {
	w := said(e)
	if e.state() == nil {
		logProblem(w)
	}
	return w.st
}
