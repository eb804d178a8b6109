package errs

import "github.com/remedyrpc/remedy/internal/authored"

// Code matches errors by their code with [errors.Is], in any domain:
//
//	if errors.Is(err, errs.Code("slot_stale")) { … }
//
// It is a target to match with, never an error to return; one that is returned reaches the caller as internal.
type Code string

// The codes of the catalog, which no other error may use.
const (
	CodeInvalidInput            Code = "invalid_input"
	CodeAuthorizationDenied     Code = "authorization_denied"
	CodeConfirmationRequired    Code = "confirmation_required"
	CodeConfirmationPending     Code = "confirmation_pending"
	CodeConfirmationDeclined    Code = "confirmation_declined"
	CodeConfirmationDismissed   Code = "confirmation_dismissed"
	CodeConfirmationExpired     Code = "confirmation_expired"
	CodeConfirmationMismatch    Code = "confirmation_mismatch"
	CodeConfirmationUnavailable Code = "confirmation_unavailable"
	CodeVerificationFailed      Code = "verification_failed"
	CodeOutcomeUnknown          Code = "outcome_unknown"
	CodeAborted                 Code = "aborted"
	CodeAuthFailed              Code = "auth_failed"
	CodeBudgetExceeded          Code = "budget_exceeded"
	CodeContextExceeded         Code = "context_exceeded"
	CodeProviderError           Code = "provider_error"
	CodeToolNotAllowed          Code = "tool_not_allowed"
	CodeToolPairingCorruption   Code = "tool_pairing_corruption"
	CodeOperationTimeout        Code = "operation_timeout"
	CodeLengthResumeExhausted   Code = "length_resume_exhausted"
	CodeOperationKeyRequired    Code = "operation_key_required"
	CodeOperationConflict       Code = "operation_conflict"
	CodeOperationInFlight       Code = "operation_in_flight"
	CodeOperationClosed         Code = "operation_closed"
	CodeOperationExpired        Code = "operation_expired"
	CodeDeadlineTooShort        Code = "deadline_too_short"
	CodeToolNotFound            Code = "tool_not_found"
	CodeOperationNotFound       Code = "operation_not_found"
	CodeRunNotFound             Code = "run_not_found"
	CodeUnauthenticated         Code = "unauthenticated"
	CodeOverloaded              Code = "overloaded"
	CodeShuttingDown            Code = "shutting_down"
	CodeLedgerUnavailable       Code = "ledger_unavailable"
	CodeRepeatedFailure         Code = "repeated_failure"
	CodeCanceled                Code = "canceled"
	CodeDeadlineExceeded        Code = "deadline_exceeded"
	CodeInternal                Code = "internal"
)

// Error returns the code. A Code is an error only so that [errors.Is] takes it.
func (c Code) Error() string { return string(c) }

// Sentinel matches errors by domain and code, where the same code means different things in different packages. The
// domain is remedy.v1 for the catalog, the proto package for declared errors and tool.remedy.v1 for the others.
type Sentinel struct {
	Domain string
	Code   string
}

// Error returns domain and code. A Sentinel is an error only so that [errors.Is] takes it.
func (s Sentinel) Error() string { return s.Domain + "/" + s.Code }

// Domains of ErrorInfo that this package emits.
const (
	// DomainRemedy is the domain of the catalog.
	DomainRemedy = "remedy.v1"
	// DomainTool is the domain of ToolErrors that no proto declares.
	DomainTool = "tool.remedy.v1"
)

// isReasonOf reports whether reason is code in upper case.
func isReasonOf(reason, code string) bool {
	if len(reason) != len(code) {
		return false
	}
	for i := range len(code) {
		c := code[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		} else if c >= 'A' && c <= 'Z' {
			return false
		}
		if c != reason[i] {
			return false
		}
	}
	return true
}

// codeOfReason writes a reason in lower case.
func codeOfReason(reason string) string {
	var b [authored.MaxCode]byte // on the stack
	code := append(b[:0], reason...)
	for i, c := range code {
		if c >= 'A' && c <= 'Z' {
			code[i] = c - 'A' + 'a'
		}
	}
	return string(code)
}
