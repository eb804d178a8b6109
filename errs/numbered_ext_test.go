package errs_test

import (
	"errors"
	"testing"

	"github.com/remedyrpc/remedy/errs"
)

// TestCausesOfPuzzlingErrorsAreNumbered has typed errors that tell their caller nothing: what went wrong is in the log.
func TestCausesOfPuzzlingErrorsAreNumbered(t *testing.T) {
	t.Parallel()
	cause := errors.New("jwks endpoint unreachable")
	for _, code := range []errs.Code{errs.CodeInternal, errs.CodeUnauthenticated} {
		out := errs.Encoder{}.Encode(&errs.ServiceError{Code: code, Cause: cause}, "/a.B/C", false)
		if out.ErrorID == "" || errs.InfoOf(out.Err).ErrorID != out.ErrorID || !errors.Is(out.Hidden, cause) || !errors.Is(out.Err, cause) {
			t.Errorf("%s: got %+v", code, out)
		}
		if back := errs.FromStatus(out.Status); errs.InfoOf(back).ErrorID != out.ErrorID || errs.CodeOf(back) != code {
			t.Errorf("%s: the caller gets %v", code, back)
		}
		if again := (errs.Encoder{}).Encode(out.Err, "/a.B/C", false); again.Hidden != nil || again.Status != out.Status {
			t.Errorf("%s: it is numbered twice: %+v", code, again)
		}
		if out := (errs.Encoder{}).Encode(&errs.ServiceError{Code: code}, "/a.B/C", false); out.Hidden != nil {
			t.Errorf("%s: without a cause there is nothing to log: %+v", code, out)
		}
	}
	if out := (errs.Encoder{}).Encode(&errs.ServiceError{Code: errs.CodeOverloaded, Cause: cause}, "/a.B/C", false); out.Hidden != nil {
		t.Errorf("an error that speaks for itself is logged as hidden: %+v", out)
	}
}

// TestInferredOutcomeKeepsTheNumber has an answer that says where to look it up.
func TestInferredOutcomeKeepsTheNumber(t *testing.T) {
	t.Parallel()
	answer := errs.WithInfo(&errs.ServiceError{Code: errs.CodeInternal}, errs.Info{ErrorID: "e1", RunID: "r1", OperationID: "o1"})
	info := errs.InfoOf(errs.InferOutcome(answer, errs.Call{Name: "pay", OperationKey: "k1"}))
	if info.ErrorID != "e1" || info.RunID != "r1" || info.OperationID != "o1" || info.OperationKey != "k1" {
		t.Errorf("got %+v", info)
	}
}
