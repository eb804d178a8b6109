package contract

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"google.golang.org/grpc/codes"

	"github.com/remedyrpc/remedy/errs"
)

// checker tells of what handlers return.
type checker struct {
	methods book
	logger  *slog.Logger
	report  func(context.Context, Undeclared)
}

func checkerOf(options []ServerOption) *checker {
	c := &checker{}
	for _, option := range options {
		if option != nil {
			option(c)
		}
	}
	return c
}

// check looks at what a handler returned. The stream is nil for a unary call.
func (c *checker) check(ctx context.Context, name string, err error, stream *serverStream) {
	if err == nil {
		return
	}
	m := c.methods.method(name)
	late := ctx.Err() != nil && errs.CodeOf(err) == "" && err != error(panicked{}) //nolint:errorlint // this very error
	if m == nil || late || m.mayReturn(err) || slices.ContainsFunc(stream.errors(), func(of error) bool { return isThat(err, of) }) {
		return
	}
	undeclared := Undeclared{Method: name, Err: err}
	if c.report != nil {
		c.report(ctx, undeclared)
		return
	}
	logger := c.logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.LogAttrs(ctx, slog.LevelWarn, "a handler returned an error that its contract does not list", undeclared.attrs()...)
}

// mayReturn reports whether a handler may return err, judged by what a server makes of it.
func (m *method) mayReturn(err error) bool {
	out := errs.Encoder{}.Encode(err, m.name, false)
	code, domain := errs.CodeOf(out.Err), errs.InfoOf(out.Err).Domain
	switch {
	case out.Problem != "", out.Hidden != nil && code != errs.CodeOf(err): // nothing of it reaches the caller
		return false
	case code == "": // a status that is not ours
		return out.Status.Code() == codes.Canceled || out.Status.Code() == codes.DeadlineExceeded
	case domain == errs.DomainRemedy && (code == errs.CodeCanceled || code == errs.CodeDeadlineExceeded):
		return true
	case domain == errs.DomainRemedy && code == errs.CodeOutcomeUnknown && m.effect:
		return true
	default:
		return m.permits.include(domain, code)
	}
}

// isThat reports whether err is that error, wrapped or not, and not another one that it caused. The methods of somebody
// else's error may panic.
func isThat(err, that error) (is bool) {
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	return that != nil && errors.Is(err, that) && errs.CodeOf(err) == errs.CodeOf(that)
}
