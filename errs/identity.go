package errs

import (
	"strings"

	"google.golang.org/protobuf/proto"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// readIdentity returns the typed error of an identity message, and keeps its code; nil when the detail is none or does not
// fit the reason.
func (r *received) readIdentity(name string, b []byte, reason string) typed {
	if (name == toolErrorName) == (r.wire.domain == DomainRemedy) {
		return nil // a ToolError is never in the domain of the catalog, and nothing else is outside it
	}
	var e typed
	var code string
	if name != toolErrorName {
		e, code = readCataloged(name, b)
	} else if r.tool.read(b) {
		e, code = &r.tool, r.tool.Code
	}
	if e == nil || !isReasonOf(reason, code) {
		return nil // type and code never disagree
	}
	r.wire.code = code
	return e
}

// readCataloged returns the typed error of an identity message of the catalog and its code.
//
//nolint:cyclop // one case for each message
func readCataloged(full string, b []byte) (e typed, code string) {
	name, ok := strings.CutPrefix(full, "remedy.v1.")
	if !ok {
		return nil, ""
	}
	switch name {
	case "ValidationError":
		return read(b, always[*remedyv1.ValidationError](CodeInvalidInput), decodeValidationError)
	case "AuthorizationError":
		return read(b, always[*remedyv1.AuthorizationError](CodeAuthorizationDenied), decodeAuthorizationError)
	case "ConfirmationError":
		return read(b, func(m *remedyv1.ConfirmationError) string { return "confirmation_" + m.GetReason() }, decodeConfirmationError)
	case "VerificationError":
		return read(b, always[*remedyv1.VerificationError](CodeVerificationFailed), decodeVerificationError)
	case "OutcomeUnknownError":
		return read(b, always[*remedyv1.OutcomeUnknownError](CodeOutcomeUnknown), decodeOutcomeUnknownError)
	case "AbortedError":
		return read(b, always[*remedyv1.AbortedError](CodeAborted), decodeAbortedError)
	case "AuthError":
		return read(b, always[*remedyv1.AuthError](CodeAuthFailed), decodeAuthError)
	case "BudgetExceededError":
		return read(b, always[*remedyv1.BudgetExceededError](CodeBudgetExceeded), decodeBudgetExceededError)
	case "ContextExceededError":
		return read(b, always[*remedyv1.ContextExceededError](CodeContextExceeded), decodeContextExceededError)
	case "ProviderError":
		return read(b, always[*remedyv1.ProviderError](CodeProviderError), decodeProviderError)
	case "ToolNotAllowedError":
		return read(b, always[*remedyv1.ToolNotAllowedError](CodeToolNotAllowed), decodeToolNotAllowedError)
	case "ToolPairingError":
		return read(b, always[*remedyv1.ToolPairingError](CodeToolPairingCorruption), decodeToolPairingError)
	case "OperationTimeoutError":
		return read(b, always[*remedyv1.OperationTimeoutError](CodeOperationTimeout), decodeOperationTimeoutError)
	case "LengthResumeExhaustedError":
		return read(b, always[*remedyv1.LengthResumeExhaustedError](CodeLengthResumeExhausted), decodeLengthResumeExhaustedError)
	case "ServiceError":
		return read(b, func(m *remedyv1.ServiceError) string { return m.GetCode() }, decodeServiceError)
	default:
		return nil, ""
	}
}

// read decodes one identity message.
func read[M any, P interface {
	*M
	proto.Message
}](b []byte, code func(P) string, decode func(P) typed) (typed, string) {
	m := P(new(M))
	if proto.Unmarshal(b, m) == nil {
		return decode(m), code(m)
	}
	return nil, ""
}

func always[P any](code Code) func(P) string {
	return func(P) string { return string(code) }
}
