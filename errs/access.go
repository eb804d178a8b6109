package errs

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// find returns the first error of ours in the tree of err, as errors.As would, or a status in it that is one.
func find(err error) (Error, bool) {
	if err == nil {
		return nil, false
	}
	if e, ok := errors.AsType[Error](err); ok {
		return e, true
	}
	if s, ok := errors.AsType[statusError](err); ok {
		if e := decodeSafely(s); e != nil {
			return e, true
		}
	}
	return nil, false
}

// FromError turns the error of a call into the typed error that was sent. It returns nil for nil, a typed error and
// what wraps one unchanged, and every error that is not ours unchanged too. Text that something wrapped around the
// status does not enter the message.
func FromError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[Error](err); ok {
		return err
	}
	s, ok := errors.AsType[statusError](err)
	if !ok {
		return err
	}
	e := decodeSafely(s)
	if e == nil {
		return err
	}
	if _, direct := err.(statusError); !direct { //nolint:errorlint // is it wrapped?
		if base, ok := baseOf(e); ok {
			base.state().origin = err
		}
	}
	return e
}

// CodeOf returns the code of err: of the first error of ours in it, empty for nil and for every other error.
func CodeOf(err error) Code {
	if e, ok := find(err); ok {
		return Code(e.ErrorCode())
	}
	return ""
}

// RetryOf returns the retry rule of err; [Never] for an error that states none.
func RetryOf(err error) RetryPolicy {
	if e, ok := find(err); ok {
		return e.RetryPolicy().known()
	}
	return Never
}

// Retryable reports whether the same call may be sent again unchanged, under the same operation key.
func Retryable(err error) bool { return RetryOf(err) == AsIs }

// RetryAfterOf returns how long to wait before a retry, and whether the error says so.
func RetryAfterOf(err error) (time.Duration, bool) {
	e, ok := find(err)
	if !ok {
		return 0, false
	}
	var after time.Duration
	if base, ok := baseOf(e); ok {
		after = retryAfterOf(base)
	}
	return after, after > 0
}

// PlanOf returns what has to happen before a retry, nil when the error says nothing.
func PlanOf(err error) *Plan {
	if e, ok := find(err); ok {
		return e.Plan()
	}
	return nil
}

// EffectOf returns what the error says of an effect.
func EffectOf(err error) Effect { return InfoOf(err).Effect }

// InfoOf returns what the error says of the call it belongs to; the zero Info when it is not ours.
func InfoOf(err error) Info {
	e, ok := find(err)
	if !ok {
		return Info{}
	}
	if base, ok := baseOf(e); ok {
		return infoOf(base)
	}
	if w, ok := readErrorInfo(e.GRPCStatus().Proto().GetDetails()); ok {
		return w.info
	}
	return Info{}
}

// IsInferred reports whether err is an unknown outcome that a client concluded from a lost answer.
func IsInferred(err error) bool {
	e, ok := errors.AsType[*OutcomeUnknownError](err)
	return ok && e != nil && e.Inferred
}

// Message returns a printable text for whatever was thrown, returned or recovered: the message of an error, a string as
// it is, and everything else as fmt prints it.
func Message(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T", v) // an Error method that panics
		}
	}()
	switch v := v.(type) {
	case error:
		return v.Error()
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}

// WithInfo returns a copy of a typed error that also says what info holds; fields of info that are empty leave those of
// the error as they are. An effect that the error itself proves is kept. Errors that are not ours are returned unchanged.
//
// Only the tool boundary states an effect.
func WithInfo(err error, info Info) error {
	e, ok := asError(FromError(err))
	if !ok {
		return err
	}
	base, ok := baseOf(e)
	if !ok || base.state() == nil {
		return err
	}
	old := base.state()
	copied := duplicate(base)
	c := copied.state()
	c.info = Info{
		Tool: info.Tool, OperationKey: info.OperationKey, OperationID: info.OperationID, RunID: info.RunID,
		ErrorID: info.ErrorID, Effect: info.Effect,
	}
	c.info.merge(old.info)
	if w := old.said.Load(); w != nil && w.foreign {
		f := formOf(w.st.Proto(), w)
		proven := f.info.Effect
		f.info = c.info
		f.info.merge(w.info)
		f.info.Domain, f.info.Truncated = w.info.Domain, w.info.Truncated
		if w.info.Domain == DomainRemedy && proven != EffectUnspecified {
			f.info.Effect = proven
		}
		again := f.wire(DefaultLimit)
		again.foreign = true
		c.said.Store(again)
	}
	return rewrap(e, copied)
}

// duplicate copies a typed error so that it can say something else.
func duplicate(e typed) typed {
	copied := e.clone()
	from, to := e.state(), copied.state()
	to.info, to.also, to.cause, to.origin = from.info, from.also, from.cause, from.origin
	to.relay, to.declared = from.relay, from.declared
	return copied
}

// rewrap puts a copy of the struct behind e into the type of e.
func rewrap(e Error, base typed) Error {
	if d, ok := e.(Declared); ok {
		if tool, ok := base.(*ToolError); ok {
			return d.WithBase(tool)
		}
	}
	return base
}

// Validate reports why a typed error would be answered as internal: an impossible code, rule, status or plan, a typed
// nil pointer, a [Code] returned as an error. It returns nil for errors that are not ours.
func Validate(err error) error {
	if err == nil {
		return nil
	}
	switch err.(type) { //nolint:errorlint // this very error
	case Code, Sentinel:
		return fmt.Errorf("%T %q is a target to match with, not an error to return: use a definition", err, err)
	}
	e, ok := errors.AsType[Error](err)
	if !ok {
		return nil
	}
	base, ok := baseOf(e)
	if !ok {
		if code := status.Code(e); code == codes.OK {
			return fmt.Errorf("%T has the status OK", e)
		}
		return nil
	}
	if problem := said(base).problem; problem != "" {
		return fmt.Errorf("%T: %s", e, problem)
	}
	return nil
}
