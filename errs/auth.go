package errs

import (
	"log/slog"
	"time"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// AuthKind says why a sign-in stopped working.
type AuthKind string

// The kinds of an [AuthFailure].
const (
	// AuthExpired means that the refresh failed; signing in again fixes it.
	AuthExpired AuthKind = "expired"
	// AuthRevoked means that the grant was revoked.
	AuthRevoked AuthKind = "revoked"
	// AuthMissing means that no credential is stored.
	AuthMissing AuthKind = "missing"
	// AuthBusy means that another process holds the refresh lock.
	AuthBusy AuthKind = "busy"
	// AuthNetwork means that the provider could not be reached.
	AuthNetwork AuthKind = "network"
	// AuthRejected means that the provider refused the credential.
	AuthRejected AuthKind = "rejected"
)

// AuthSource says what signs in.
type AuthSource string

// The sources of an [AuthFailure].
const (
	AuthProvider    AuthSource = "provider"
	AuthMCP         AuthSource = "mcp"
	AuthIntegration AuthSource = "integration"
)

// AuthFailure is enough to offer signing in again for one provider and account. It holds no secret and is safe to store
// as JSON.
type AuthFailure struct {
	// Kind says why.
	Kind AuthKind `json:"kind"`
	// Source says what signs in.
	Source AuthSource `json:"source"`
	// Provider is the name of the provider, server or integration.
	Provider string `json:"provider"`
	// ProviderID is the key of the credentials, when it differs.
	ProviderID string `json:"providerId,omitempty"`
	// AccountID is the account that failed, when the credential has one.
	AccountID string `json:"accountId,omitempty"`
	// AccountLabel is the name of that account.
	AccountLabel string `json:"accountLabel,omitempty"`
	// HolderPID is the process on this host that holds the refresh lock, for the kind busy.
	HolderPID *int64 `json:"holderPid,omitempty"`
}

// AuthError says that a credential for a provider could not be resolved or refreshed, or was refused. It is about the
// sign-in of the service, not about its own caller: that is [ServiceError] with the code unauthenticated.
type AuthError struct {
	// Auth says which sign-in failed and why.
	Auth AuthFailure
	// RetryAfter is the wait before a retry; zero when not known. It travels whatever the rule says.
	RetryAfter time.Duration
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*AuthError)(nil)

// Error returns the portable message.
func (e *AuthError) Error() string { return messageOf(e) }

// ErrorCode returns auth_failed.
func (e *AuthError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *AuthError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *AuthError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *AuthError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *AuthError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *AuthError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *AuthError) LogValue() slog.Value { return logValue(e) }

func (e *AuthError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *AuthError) clone() typed {
	return &AuthError{Auth: e.Auth, RetryAfter: e.RetryAfter, Message: e.Message, Cause: e.Cause}
}

func (e *AuthError) describe(f *form) {
	a := &remedyv1.AuthFailure{
		Kind:     remedyv1.AuthFailure_Kind(f.enum("auth.kind", remedyv1.AuthFailure_Kind_value, "KIND_", string(e.Auth.Kind))),
		Source:   remedyv1.AuthFailure_Source(f.enum("auth.source", remedyv1.AuthFailure_Source_value, "SOURCE_", string(e.Auth.Source))),
		Provider: f.text(e.Auth.Provider), ProviderId: f.text(e.Auth.ProviderID), AccountId: f.text(e.Auth.AccountID),
		AccountLabel: f.text(e.Auth.AccountLabel), HolderPid: e.Auth.HolderPID,
	}
	f.after = e.RetryAfter
	f.fromCatalog(&remedyv1.AuthError{Auth: a, Message: f.override(e.Message)}, a.GetKind().String(), e.Message, "")
}

// decodeAuthError reads the identity message.
func decodeAuthError(m *remedyv1.AuthError) typed {
	a := m.GetAuth()
	if a == nil {
		a = &remedyv1.AuthFailure{}
	}
	return &AuthError{
		Auth: AuthFailure{
			Kind: AuthKind(wordOf(a.GetKind(), "KIND_")), Source: AuthSource(wordOf(a.GetSource(), "SOURCE_")),
			Provider: a.GetProvider(), ProviderID: a.GetProviderId(), AccountID: a.GetAccountId(),
			AccountLabel: a.GetAccountLabel(), HolderPID: a.HolderPid,
		},
		Message: guide.Text(m.GetMessage()),
	}
}
