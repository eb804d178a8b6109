package main

import (
	"cmp"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

// failure is what to show of a call beside its error.
type failure struct {
	addr string // of the service
	key  string // of the call; empty for none
	json bool
}

// failed is an error as --json writes it.
type failed struct {
	OK           bool           `json:"ok"`
	ExitCode     int            `json:"exitCode"`
	OperationKey string         `json:"operationKey,omitempty"`
	Next         []string       `json:"next"`
	Error        *report.Report `json:"error"`
}

// fail shows the error of a call and returns it as shown.
func fail(s *streams, err error, f failure) error {
	r := reportOf(err)
	if f.json {
		out := &failed{ExitCode: exitCode(err), OperationKey: cmp.Or(f.key, r.OperationKey), Next: next(r, f), Error: r}
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
	return report.Of(status.Convert(err).Proto())
}

func failText(p *term.Printer, r *report.Report, f failure) {
	if r.Typed {
		p.Bad("remedy: " + r.Headline)
		p.Field("code", r.Code)
		p.Field("retry", report.RetryText(r.Retry, r.RetryAfter))
		p.Field("effect", report.EffectText(r.Effect, true))
	} else {
		p.Bad("remedy: " + r.Plain.Status + ": " + shorten(r.Message))
		p.Field("retry", "not stated: the error is not typed")
	}
	p.Field("errorId", r.ErrorID)
	p.Field("operationKey", cmp.Or(f.key, r.OperationKey))
	p.Field("operationId", r.OperationID)
	p.Gap()
	p.Line(1, "What to do next:")
	for _, line := range next(r, f) {
		p.Item(1, line)
	}
}

// next says what to do about an error: the plan where there is one, else what its rule allows.
func next(r *report.Report, f failure) []string {
	if lines := r.Plan.Sentences(); len(lines) > 0 {
		return lines
	}
	switch {
	case !r.Typed && r.Plain.Number == int32(codes.Unavailable):
		return []string{"Check that the service runs at " + f.addr + " (--addr, REMEDY_ADDR)."}
	case !r.Typed:
		return []string{"Ask whoever runs the service at " + f.addr + ": nothing says whether a retry is safe."}
	case r.Retry == "as_is" && f.key != "":
		return []string{"Send the same call again, under the same key."}
	case r.Retry == "as_is":
		return []string{"Send the same call again."}
	default:
		return []string{"Do not send this call again."}
	}
}
