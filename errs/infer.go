package errs

import (
	"io"

	"google.golang.org/grpc/codes"
)

// Call is what a client knows of a call that may have had an effect.
type Call struct {
	// Name is the tool, or the full name of the method.
	Name string
	// OperationKey is the key that the call carried; empty for none.
	OperationKey string
	// Ledger says that the server keeps operations in a ledger, so that sending the call again under the same key is safe.
	Ledger bool
	// NeverSent is the proof that no attempt of the call left this process.
	NeverSent bool
}

// InferOutcome applies the code-only rule to the error of a call that may have had an effect. An error that leaves the
// outcome open becomes an [OutcomeUnknownError] whose status is that of the catalog, so that nothing around it sends the
// call again; the received error is reached by Unwrap. Every other error, and a call that was never sent, keeps its error,
// and so does io.EOF, which is the end of a stream.
func InferOutcome(err error, call Call) error {
	if err == nil || call.NeverSent || err == io.EOF { //nolint:errorlint // the end of a stream is exactly this value
		return err
	}
	info := InfoOf(err)
	outcome := &OutcomeUnknownError{
		Tool: call.Name, OperationKey: call.OperationKey, OperationID: info.OperationID, Cause: err,
		core: core{more: &more{info: Info{ErrorID: info.ErrorID, RunID: info.RunID}}},
	}
	e, ours := find(err)
	switch {
	case ours && EffectOf(e) == EffectUnknown:
		if CodeOf(e) == CodeOutcomeUnknown {
			return err
		}
		outcome.Reason = "the service reported it" // as another error than that of the catalog
		return outcome
	case ours && isKnown(e), !ours && isKnownStatus(err):
		return err
	}
	outcome.Reason = "the answer was lost"
	outcome.Inferred, outcome.Keyed = true, call.Ledger && call.OperationKey != ""
	return outcome
}

// isKnown reports whether an error of ours says what became of the call.
func isKnown(e Error) bool {
	switch EffectOf(e) {
	case EffectNone, EffectApplied:
		return true
	default:
		code := CodeOf(e)
		return code != CodeInternal && code != CodeCanceled && code != CodeDeadlineExceeded
	}
}

// isKnownStatus reports whether the status of another error, the innermost one, is proof that the handler refused.
func isKnownStatus(err error) bool {
	st, _ := newWalker().innermostStatus(err)
	switch st.Code() {
	case codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.PermissionDenied, codes.FailedPrecondition,
		codes.Aborted, codes.OutOfRange, codes.Unimplemented, codes.Unauthenticated:
		return true
	default: // OK too, which is the code where there is no status
		return false
	}
}
