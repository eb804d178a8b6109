package main

import (
	"cmp"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	"github.com/remedyrpc/remedy/errs"
)

// failure is what to show of a call beside its error.
type failure struct {
	addr  string // of the service
	key   string // of the call; empty for none
	reads bool   // the service says that the tool changes nothing
	looks bool   // it is no call of a tool, and changes nothing
	json  bool
	lines bool // of JSON: one value a line

	instead []string // what to do in place of what the error says
	command string   // what to run next, for people

	unsent bool // nothing was sent; fail finds out
	done   bool // the call succeeded, but its output cannot be had; fail finds out
}

// failed is an error as --json writes it.
type failed struct {
	OK           bool           `json:"ok"`
	ExitCode     int            `json:"exitCode"`
	OperationKey string         `json:"operationKey,omitempty"`
	NeverSent    bool           `json:"neverSent,omitempty"`
	Next         []string       `json:"next"`
	Error        *report.Report `json:"error"`
}

// fail shows the error of a call and returns it as shown.
func fail(s *streams, err error, f failure) error {
	r := reportOf(err)
	f.unsent = isUnsent(err)
	_, f.done = errors.AsType[*client.OutputError](err)
	if f.unsent || f.reads || f.looks || f.done {
		r.OutcomeUnknown = false
	}
	if f.json {
		out := &failed{
			ExitCode: exitCode(err), OperationKey: cmp.Or(f.key, r.OperationKey), NeverSent: f.unsent, Next: next(r, f), Error: r,
		}
		if f.lines {
			return errors.Join(shownError{err}, term.JSONLine(s.out, out))
		}
		return errors.Join(shownError{err}, term.JSON(s.out, out))
	}
	p := term.NewPrinter(s.err, false)
	failText(p, r, f)
	return shownError{err}
}

// reportOf reports on the error of a call, typed or not.
func reportOf(err error) *report.Report {
	if r := report.OfError(err); r != nil {
		return r
	}
	if e, ok := errors.AsType[notCalledError](err); ok {
		err = e.error // a status that nothing is wrapped around keeps its text
	}
	return report.Of(status.Convert(err).Proto())
}

func failText(p *term.Printer, r *report.Report, f failure) {
	headline, retry, effect := r.Headline, report.RetryText(r.Retry, r.RetryAfter), report.EffectText(r.Effect, r.Typed)
	if !r.Typed {
		headline, retry = r.Plain.Status+": "+shorten(r.Message), "not stated: the error is not typed"
	}
	switch {
	case f.unsent:
		retry, effect = "as_is: the same call may be sent again", "none: nothing was sent"
	case f.done:
		headline, retry, effect = shorten(r.Message), report.RetryText("never", ""), ""
	case f.reads && r.Effect == "":
		effect = "none: the service says that the tool only reads"
	}
	p.Bad("remedy: " + headline)
	p.Field("code", r.Code)
	p.Field("retry", retry)
	p.Field("effect", effect)
	p.Field("errorId", r.ErrorID)
	p.Field("operationKey", cmp.Or(f.key, r.OperationKey))
	p.Field("operationId", r.OperationID)
	p.Gap()
	p.Line(1, "What to do next:")
	for _, line := range next(r, f) {
		p.Item(1, line)
	}
	if f.command != "" {
		p.Code(2, f.command)
	}
}

// next says what to do about an error: the plan where there is one, else what its rule allows.
func next(r *report.Report, f failure) []string {
	if f.instead != nil {
		return f.instead
	}
	if lines := r.Plan.Sentences(); len(lines) > 0 {
		return lines
	}
	switch {
	case r.Code == string(errs.CodeLedgerUnavailable):
		return []string{sendAgain(f), "If that goes on, the log of the service at " + f.addr + " says what is wrong with its database."}
	case f.done:
		return []string{"Do not send this call again: it succeeded."}
	case f.unsent:
		return nextOfUnsent(r, f)
	case !r.Typed:
		return []string{nextOfForeign(r, f)}
	case r.Retry == "as_is":
		return []string{sendAgain(f)}
	default:
		return []string{"Do not send this call again."}
	}
}

// nextOfForeign says what to do about an error that is not typed.
func nextOfForeign(r *report.Report, f failure) string {
	switch code := codes.Code(r.Plain.Number); { //nolint:gosec // a code
	case f.reads:
		return "Send the same call again if you like: the service says that the tool only reads."
	case code == codes.Unavailable:
		return "Check that the service runs at " + f.addr + " (--addr, REMEDY_ADDR)."
	case f.looks && code == codes.Unimplemented:
		return "Update the service at " + f.addr + ": its version has no operations."
	case f.looks:
		return "Ask again if you like: asking changes nothing."
	default:
		return "Ask whoever runs the service at " + f.addr + ": nothing says whether a retry is safe."
	}
}

func sendAgain(f failure) string {
	if f.key != "" {
		return "Send the same call again, under the same key."
	}
	return "Send the same call again."
}

// nextOfUnsent says what to do about a call of which nothing was sent.
func nextOfUnsent(r *report.Report, f failure) []string {
	lines := []string{"Nothing was sent, so nothing can have happened. " + sendAgain(f)}
	switch r.Plain.Number {
	case int32(codes.Unavailable):
		lines = append(lines, "Check that the service runs at "+f.addr+" (--addr, REMEDY_ADDR).")
	case int32(codes.DeadlineExceeded):
		lines = append(lines, "Give it more time (--timeout).")
	}
	return lines
}
