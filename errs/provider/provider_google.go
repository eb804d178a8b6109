package provider

import "github.com/remedyrpc/remedy/errs"

// googleCodes are reasons and statuses of google.rpc. INVALID_ARGUMENT and its like are generic.
func googleCodes() []codeRule {
	return []codeRule{
		{
			codes:  []string{"model_capacity_exhausted"},
			says:   verdict{limit: errs.LimitOverload, retry: retryYes},
			reason: "no capacity for the model on the server",
			source: "https://github.com/google-gemini/gemini-cli/issues/27548",
		},
		{
			codes:  []string{"quota_exhausted", "billing_disabled"},
			says:   verdict{limit: errs.LimitQuota, retry: retryNo},
			reason: "the allotment of a Code Assist plan, with the time of its reset, or no billing at all",
			source: "https://github.com/liuw1535/antigravity2api-nodejs/issues/44",
		},
		{
			codes:  []string{"resource_exhausted"},
			says:   verdict{limit: errs.LimitRate, retry: retryYes},
			reason: "without a quota named in text or details it is a rate",
			source: "https://github.com/google-gemini/gemini-cli/issues/2020",
		},
		{
			codes:  []string{"access_token_expired"},
			says:   verdict{auth: errs.AuthExpired},
			reason: "the reason says expired",
			source: "https://cloud.google.com/apis/design/errors",
		},
		{
			codes:  []string{"credentials_missing"},
			says:   verdict{auth: errs.AuthMissing},
			reason: "nothing was sent",
			source: "https://cloud.google.com/apis/design/errors",
		},
		{
			codes:  []string{"consumer_suspended", "account_state_invalid"},
			says:   verdict{auth: errs.AuthRevoked},
			reason: "the project was suspended",
			source: "https://cloud.google.com/apis/design/errors",
		},
		{
			codes: []string{
				"api_key_invalid", "unauthenticated", "access_token_scope_insufficient", "access_token_type_unsupported",
				"api_key_service_blocked", "api_key_http_referrer_blocked", "api_key_ip_address_blocked",
			},
			says:   verdict{auth: errs.AuthRejected},
			reason: "the key, its scope or its kind is refused",
			source: "https://cloud.google.com/apis/design/errors",
		},
	}
}
