package errs

import (
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
// call again; the received error is reached by Unwrap. Every other error, and a call that was never sent, keeps its error.
func InferOutcome(err error, call Call) error {
	if err == nil || call.NeverSent || known(err) {
		return err
	}
	return &OutcomeUnknownError{
		Tool: call.Name, OperationKey: call.OperationKey, OperationID: InfoOf(err).OperationID, Inferred: true, Keyed: call.Ledger,
		Reason: "the answer was lost", Cause: err,
	}
}

// known reports whether err says what became of the call.
func known(err error) bool {
	if e, ok := find(err); ok {
		switch EffectOf(e) {
		case EffectNone, EffectApplied:
			return true
		case EffectUnknown:
			return Code(e.ErrorCode()) == CodeOutcomeUnknown // says so itself
		default:
			switch Code(e.ErrorCode()) {
			case CodeInternal, CodeCanceled, CodeDeadlineExceeded:
				return false
			default:
				return true
			}
		}
	}
	switch code := statusCode(err); code {
	case codes.Canceled, codes.Unknown, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Internal, codes.Unavailable,
		codes.DataLoss:
		return false
	default:
		return code <= codes.Unauthenticated
	}
}

// statusCode is the code of the innermost status in err, Unknown where there is none.
func statusCode(err error) codes.Code {
	walk := maxWalk
	if st, _ := innermostStatus(err, &walk); st != nil {
		return st.Code()
	}
	return codes.Unknown
}
