package errs

import (
	"fmt"
	"log/slog"
	"strconv"
	"time"
	"unicode/utf8"

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
// nothing means an unknown outcome; method is its full name. Encode never panics, whatever the methods of err do.
func (c Encoder) Encode(err error, method string, effect bool) (out Encoded) {
	if err == nil {
		return Encoded{}
	}
	defer func() {
		if r := recover(); r != nil {
			safe := fmt.Errorf("encoding an error of type %T panicked: %v", err, r)
			out = c.hide(safe, method, effect, "")
		}
	}()
	switch h := choose(err); h.kind {
	case kindUnknown, kindApplied, kindOurs:
		return c.ours(err, h, method, effect)
	case kindForeign:
		return c.foreign(err, h, method, effect)
	case kindContext:
		if effect {
			return c.hide(err, method, effect, "")
		}
		return c.finish(&ServiceError{Code: h.code}, nil, err)
	case kindPlain:
		return c.hide(err, method, effect, targetProblem(err))
	default:
		return c.hide(err, method, effect, "")
	}
}

// ours encodes a typed error.
func (c Encoder) ours(err error, h head, method string, effect bool) Encoded {
	base := baseOf(h.ours)
	w := saidBy(h.ours)
	switch {
	case w.problem != "":
		return c.hideAs(w.errorID(), err, method, effect, w.problem)
	case base.state().relay == Translate:
		return c.hide(err, method, effect, "")
	case isPuzzling(w) && base.Unwrap() != nil:
		return c.numbered(err, h)
	case h.direct:
		return c.finish(h.ours, nil, nil)
	default:
		return c.finish(joined(h.ours, h.others), h.others, err)
	}
}

// isPuzzling reports an error whose caller is told nothing of what went wrong, and has no number yet to ask by.
func isPuzzling(w *wire) bool {
	puzzling := w.code == string(CodeInternal) || w.code == string(CodeUnauthenticated)
	return puzzling && !w.foreign && w.domain == DomainRemedy && w.errorID() == ""
}

// numbered gives a typed error a number, under which its cause is to be logged.
func (c Encoder) numbered(err error, h head) Encoded {
	id := newErrorID()
	out := c.finish(annotate(joined(h.ours, h.others), Info{ErrorID: id}), h.others, err)
	out.ErrorID, out.Hidden = id, baseOf(h.ours).Unwrap()
	return out
}

// joined returns a copy of the head of a join that sends the other errors as causes.
func joined(e Error, others []Error) Error {
	if len(others) == 0 {
		return e
	}
	base, w := baseOf(e), saidBy(e)
	copied := duplicate(base)
	if w.foreign {
		copied.state().said.Store(w.withCauses(othersOf(base, others)))
	} else {
		copied.state().own().also = others
	}
	return rewrap(e, copied)
}

// finish fits the status of e and keeps err, where it is another error, and the other typed errors in it to be matched in
// process.
func (c Encoder) finish(e Error, also []Error, err error) Encoded {
	w := c.within(e)
	out := Encoded{Err: e, Status: w.st, Pushback: pushback(w.st.Code(), w.retry, w.after)}
	if err != nil || w != saidBy(e) {
		out.Err = &sent{ours: e, also: also, orig: err, said: w}
	}
	return out
}

// within returns what e says within the limit.
func (c Encoder) within(e Error) *wire {
	w := saidBy(e)
	if w.invalid || w.foreign && !utf8.ValidString(w.st.Message()) {
		w = w.repaired()
	}
	switch {
	case w.cost > room(c.Limit):
		return w.refit(c.Limit)
	case w.truncated && !w.foreign && w.limit < room(c.Limit):
		return build(baseOf(e), c.Limit, true)
	default:
		return w
	}
}

// hide answers an error that proves nothing and whose text must not leave.
func (c Encoder) hide(err error, method string, effect bool, problem string) Encoded {
	return c.hideAs(newErrorID(), err, method, effect, problem)
}

func (c Encoder) hideAs(errorID string, err error, method string, effect bool, problem string) Encoded {
	info := &more{info: Info{ErrorID: errorID}}
	var e Error = &ServiceError{Code: CodeInternal, core: core{more: info}}
	if effect {
		e = &OutcomeUnknownError{Tool: method, core: core{more: info}}
	}
	out := c.finish(e, nil, err)
	out.ErrorID, out.Hidden, out.Problem = errorID, err, problem
	return out
}

// ToStatus returns the status of err as a server would send it: nil for nil, the status of a typed error, and an
// internal one for everything that must not leave, which is logged under its error id with [slog.Default].
func ToStatus(err error) *status.Status {
	out := Encoder{}.Encode(err, "", false)
	if out.Hidden != nil {
		//nolint:sloglint // a pure function has nobody to be given a logger by
		slog.Error("an error was kept from a caller", slog.String("errorId", out.ErrorID),
			slog.String("problem", out.Problem), slog.String("error", Message(out.Hidden)))
	}
	return out.Status
}

// maxPushback is the longest delay that every library reads: 32 bits of milliseconds, 24 days. What they cannot read they
// take for permission to retry at once.
const maxPushback = 1<<31 - 1

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
		return strconv.FormatInt(min(ceilDiv(int64(after), int64(time.Millisecond)), maxPushback), 10)
	default:
		return ""
	}
}
