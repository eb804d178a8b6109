package provider

import "github.com/remedyrpc/remedy/errs"

// oauthCodes are the errors of RFC 6749 and RFC 6750, of providers and of the servers of MCP.
func oauthCodes() []codeRule {
	return []codeRule{
		{
			codes:  []string{"invalid_grant", "bad_refresh_token"},
			says:   verdict{auth: errs.AuthRevoked},
			reason: "RFC 6749 section 5.2: the grant or the refresh token is no more",
			source: "https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2",
		},
		{
			codes:  []string{"invalid_token"},
			says:   verdict{auth: errs.AuthExpired},
			reason: "RFC 6750 section 3.1: expired, revoked or malformed; a refresh is worth an attempt",
			source: "https://www.rfc-editor.org/rfc/rfc6750.html#section-3.1",
		},
		{
			codes: []string{
				"invalid_client", "unauthorized_client", "insufficient_scope", "access_denied", "invalid_scope",
				"consent_required",
			},
			says:   verdict{auth: errs.AuthRejected},
			reason: "the client, or the scope of what it holds, is refused",
			source: "https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2",
		},
	}
}
