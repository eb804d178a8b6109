package errs

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Encoder turns what a handler returned into what may leave the server. The zero value is ready for use, and an Encoder
// is safe for concurrent use.
type Encoder struct {
	// Limit bounds the trailer list in bytes, from [MinLimit] to [MaxLimit]; zero means [DefaultLimit].
	Limit int
	// Unmasked lets the text of INTERNAL, UNKNOWN and DATA_LOSS statuses that are not ours through.
	Unmasked bool
}

// Encoded is what may leave the server.
type Encoded struct {
	// Err is what to return to grpc. In process everything in the handler's error still matches.
	Err error
	// Status is its status, nil when there is no error.
	Status *status.Status
	// Pushback is the value of the grpc-retry-pushback-ms trailer; empty for none.
	Pushback string
	// ErrorID is the number under which Hidden is to be logged.
	ErrorID string
	// Hidden is what the caller is not told; nil when the caller got everything.
	Hidden error
	// Problem says why an error of ours could not be sent as it was.
	Problem string
}

// Encode encodes the error of a handler. effect says that the method may change something, so that an error that proves
// nothing means an unknown outcome; method is its full name.
func (c Encoder) Encode(err error, method string, effect bool) Encoded {
	if err == nil {
		return Encoded{}
	}
	h := choose(err)
	switch h.kind {
	case kindForeign:
		return c.foreign(err, h, method, effect)
	case kindContext:
		if effect {
			return c.hide(err, method, effect)
		}
		code := CodeCanceled
		if errors.Is(err, context.DeadlineExceeded) {
			code = CodeDeadlineExceeded
		}
		return c.finish(&ServiceError{Code: code}, err)
	case kindPlain:
		return c.hide(err, method, effect)
	case kindUnknown, kindApplied, kindOurs:
	}
	base, ok := baseOf(h.ours)
	if ok && said(base).problem != "" {
		out := c.hide(err, method, effect)
		out.Problem = said(base).problem
		return out
	}
	if ok && base.state().relay == Translate {
		return c.hide(err, method, effect)
	}
	if ok && len(h.others) > 0 {
		return c.finish(joined(h.ours, base, h.others), err)
	}
	return c.finish(h.ours, err)
}

// joined returns a copy of the head of a join that sends the other errors as causes.
func joined(e Error, base typed, others []error) Error {
	if base.state() == nil || base.state().said.Load() != nil && base.state().said.Load().foreign {
		return e // a received error is sent on as it came
	}
	copied := duplicate(base)
	copied.state().also = others
	return rewrap(e, copied)
}

// finish fits the status of e and keeps err to be matched in process.
func (c Encoder) finish(e Error, err error) Encoded {
	st, retry, after, problem := c.within(e)
	out := Encoded{Status: st, Pushback: pushback(st.Code(), retry, after), Problem: problem}
	if problem != "" {
		out.ErrorID, out.Hidden = InfoOf(e).ErrorID, err
	}
	switch {
	case st == e.GRPCStatus() && error(e) == same(err, e):
		out.Err = e
	case st == e.GRPCStatus():
		out.Err = &sent{ours: e, orig: err}
	default:
		out.Err = &sent{ours: e, orig: err, st: st}
	}
	return out
}

// same returns e when err is e, without comparing values that cannot be compared.
func same(err error, e Error) error {
	if other, ok := err.(Error); ok { //nolint:errorlint // this very error
		a, aok := baseOf(other)
		b, bok := baseOf(e)
		_, wrapped := err.(*sent) //nolint:errorlint // this very error
		if aok && bok && !wrapped && a == b {
			return e
		}
		if wrapped || !aok && !bok {
			return e
		}
	}
	return nil
}

// within returns the status of e within the limit, and its rule.
func (c Encoder) within(e Error) (*status.Status, RetryPolicy, time.Duration, string) {
	base, ok := baseOf(e)
	if !ok {
		st := e.GRPCStatus()
		w, ours := readErrorInfo(st.Proto().GetDetails())
		if !ours {
			return fitForeign(st, c.Limit), Never, 0, ""
		}
		if w.st = st; listCost(st.Proto()) > room(c.Limit) {
			w = formOf(st.Proto(), w).wire(c.Limit)
		}
		return w.st, w.retry, w.after, ""
	}
	w := said(base)
	if s, ok := e.(*sent); ok && s.st != nil { //nolint:errorlint // this very error
		return s.st, w.retry, w.after, ""
	}
	fitting := w
	switch {
	case base.state() == nil || w.problem != "":
	case w.foreign && w.cost > room(c.Limit):
		p := w.st.Proto()
		fitting = formOf(p, w).wire(c.Limit)
	case !w.foreign && c.Limit > DefaultLimit && w.info.Truncated:
		fitting = build(base, c.Limit, true)
	}
	return fitting.st, w.retry, w.after, w.problem
}

// foreign encodes a status that is not ours.
func (c Encoder) foreign(err error, h head, method string, effect bool) Encoded {
	st := h.status
	if st.Code() == codes.OK {
		return c.hide(err, method, effect) // an error that says OK is a bug
	}
	var received *foreignError
	if errors.As(err, &received) {
		if received.relay != Passthrough {
			return c.hide(err, method, effect)
		}
	} else if !c.Unmasked && masked(st.Code()) {
		return c.hide(err, method, effect)
	}
	fitted := fitForeign(st, c.Limit)
	return Encoded{Err: &plainSent{orig: err, st: fitted}, Status: fitted}
}

// masked reports the codes whose text is likely to be the text of an exception.
func masked(code codes.Code) bool {
	return code == codes.Internal || code == codes.Unknown || code == codes.DataLoss
}

// hide answers an error that proves nothing and whose text must not leave.
func (c Encoder) hide(err error, method string, effect bool) Encoded {
	info := Info{ErrorID: newErrorID()}
	var e Error = &ServiceError{Code: CodeInternal, core: core{info: info}}
	if effect {
		e = &OutcomeUnknownError{Tool: method, core: core{info: info}}
	}
	out := c.finish(e, err)
	out.ErrorID, out.Hidden = info.ErrorID, err
	return out
}

// fitForeign bounds a status that is not ours: details go from the last, then the message is cut.
func fitForeign(st *status.Status, limit int) *status.Status {
	p := st.Proto()
	message := validUTF8(p.GetMessage())
	if message == p.GetMessage() && listCost(p) <= room(limit) {
		return st
	}
	p.Message = message
	for len(p.GetDetails()) > 0 && listCost(p) > room(limit) {
		p.Details = p.GetDetails()[:len(p.GetDetails())-1]
	}
	if listCost(p) > room(limit) {
		p.Message, _ = cutWire(message, fullMessage)
	}
	return status.FromProto(p)
}

// ToStatus returns the status of err as a server would send it: nil for nil, the status of a typed error, and an
// internal one for everything that must not leave, which is logged under its error id.
func ToStatus(err error) *status.Status {
	out := Encoder{}.Encode(err, "", false)
	if out.Hidden != nil {
		slog.Error("remedy: an error was kept from a caller", "errorId", out.ErrorID, "error", out.Hidden)
	}
	return out.Status
}

// pushback is the value of the grpc-retry-pushback-ms trailer. It is sent only with codes that some library retries: a
// needless -1 drains the retry throttle of the client.
func pushback(code codes.Code, retry RetryPolicy, after time.Duration) string {
	switch code {
	case codes.Canceled, codes.Unknown, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Aborted, codes.Internal,
		codes.Unavailable, codes.DataLoss:
	default:
		return ""
	}
	switch {
	case retry.known() != AsIs:
		return "-1"
	case after > 0:
		return strconv.FormatInt(ceilDiv(int64(after), int64(time.Millisecond)), 10)
	default:
		return ""
	}
}
