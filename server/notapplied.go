package server

import (
	"errors"

	"google.golang.org/grpc/codes"

	"github.com/remedyrpc/remedy/errs"
)

// errNotApplied is what a caller gets for an error that must not be sent past the boundary as it is.
var errNotApplied = errs.MustDefine("not_applied", errs.AsIs,
	errs.Headline("The call did not take effect."), errs.Status(codes.Aborted))

// restated is an error that an effect states not to have applied, with a status that nothing on the way retries: after
// the boundary no call ends with CANCELLED, DEADLINE_EXCEEDED or UNAVAILABLE.
func restated(err error) error {
	if cutOff(err) {
		return errNotApplied.New(errs.Cause(err))
	}
	e, ok := errors.AsType[errs.Error](err)
	if !ok {
		return err
	}
	switch e.GRPCStatus().Code() {
	case codes.Canceled, codes.DeadlineExceeded, codes.Unavailable:
	default:
		return err
	}
	if tool, ok := e.(*errs.ToolError); ok {
		return &errs.ToolError{
			Code: tool.Code, Message: tool.Message, Retry: tool.Retry, Status: codes.Aborted, Repair: tool.Repair,
			RetryAfter: tool.RetryAfter, Details: tool.Details, Cause: err,
		}
	}
	if e.RetryPolicy() == errs.AsIs {
		delay, _ := errs.RetryAfterOf(err)
		return errNotApplied.New(errs.Cause(err), errs.After(delay))
	}
	return opaque{err}
}

// opaque is an error that is not sent as what it is, and still matched as that in this process.
type opaque struct{ err error }

func (e opaque) Error() string        { return errs.Message(e.err) }
func (e opaque) Is(target error) bool { return errors.Is(e.err, target) }
func (e opaque) As(target any) bool   { return errors.As(e.err, target) }
