package errs

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// decodeIdentity returns the typed error of an identity message, nil when the detail is none or does not fit the code.
func decodeIdentity(detail *anypb.Any, w *wire) typed {
	full := messageName(detail)
	name, ok := strings.CutPrefix(full, "remedy.v1.")
	if !ok || (full == toolErrorName) == (w.info.Domain == DomainRemedy) {
		return nil // a ToolError is never in the domain of the catalog, and nothing else is outside it
	}
	b := detail.GetValue()
	switch name {
	case "ToolError":
		if e, ok := readToolError(b); ok && e.Code == w.code {
			return e
		}
		return nil
	case "ValidationError":
		return read(b, w, always[*remedyv1.ValidationError](CodeInvalidInput), decodeValidationError)
	case "AuthorizationError":
		return read(b, w, always[*remedyv1.AuthorizationError](CodeAuthorizationDenied), decodeAuthorizationError)
	case "ConfirmationError":
		return read(b, w, func(m *remedyv1.ConfirmationError) string { return "confirmation_" + m.GetReason() }, decodeConfirmationError)
	case "VerificationError":
		return read(b, w, always[*remedyv1.VerificationError](CodeVerificationFailed), decodeVerificationError)
	case "OutcomeUnknownError":
		return read(b, w, always[*remedyv1.OutcomeUnknownError](CodeOutcomeUnknown), decodeOutcomeUnknownError)
	case "AbortedError":
		return read(b, w, always[*remedyv1.AbortedError](CodeAborted), decodeAbortedError)
	case "AuthError":
		return read(b, w, always[*remedyv1.AuthError](CodeAuthFailed), decodeAuthError)
	case "BudgetExceededError":
		return read(b, w, always[*remedyv1.BudgetExceededError](CodeBudgetExceeded), decodeBudgetExceededError)
	case "ContextExceededError":
		return read(b, w, always[*remedyv1.ContextExceededError](CodeContextExceeded), decodeContextExceededError)
	case "ProviderError":
		return read(b, w, always[*remedyv1.ProviderError](CodeProviderError), decodeProviderError)
	case "ToolNotAllowedError":
		return read(b, w, always[*remedyv1.ToolNotAllowedError](CodeToolNotAllowed), decodeToolNotAllowedError)
	case "ToolPairingError":
		return read(b, w, always[*remedyv1.ToolPairingError](CodeToolPairingCorruption), decodeToolPairingError)
	case "OperationTimeoutError":
		return read(b, w, always[*remedyv1.OperationTimeoutError](CodeOperationTimeout), decodeOperationTimeoutError)
	case "LengthResumeExhaustedError":
		return read(b, w, always[*remedyv1.LengthResumeExhaustedError](CodeLengthResumeExhausted), decodeLengthResumeExhaustedError)
	case "ServiceError":
		return read(b, w, func(m *remedyv1.ServiceError) string { return m.GetCode() }, decodeServiceError)
	default:
		return nil
	}
}

// read decodes one identity message. Its code must be the one that ErrorInfo states, so that type and code never
// disagree.
func read[M any, P interface {
	*M
	proto.Message
}](b []byte, w *wire, code func(P) string, decode func(P) typed) typed {
	m := P(new(M))
	if proto.Unmarshal(b, m) != nil || code(m) != w.code {
		return nil
	}
	return decode(m)
}

func always[P any](code Code) func(P) string {
	return func(P) string { return string(code) }
}
