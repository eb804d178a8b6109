package provider

import "github.com/remedyrpc/remedy/errs"

// relayCodes are the codes of one-api and new-api, which stand before other providers.
func relayCodes() []codeRule {
	return []codeRule{
		{
			codes:  []string{"insufficient_user_quota", "pre_consume_token_quota_failed", "quota_not_enough", "token_quota_exceeded"},
			says:   verdict{limit: errs.LimitQuota, retry: retryNo},
			reason: "the allotment of a user or of a key",
			source: "https://doc.tokendog.io/zh/api-reference/guide/error-codes",
		},
		{
			codes:  []string{"channel:invalid_key"},
			says:   verdict{retry: retryNo},
			reason: "a key of the relay, none of the caller's",
			source: "https://doc.tokendog.io/zh/api-reference/guide/error-codes",
		},
	}
}
