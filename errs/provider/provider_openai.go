package provider

import "github.com/remedyrpc/remedy/errs"

// openaiCodes are the codes of OpenAI, of Codex and of those that speak their API.
func openaiCodes() []codeRule {
	return []codeRule{
		{
			codes: []string{
				"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "access_terminated",
				"exceeded_current_quota_error", "insufficient_balance_error", "insufficient_balance",
				"insufficient_credits", "payment_required", "usage_limit_reached", "usage_not_included", "quota_exceeded",
				"free_quota_exceeded", "credits_exhausted", "budget_exceeded", "insufficient_funds",
			},
			says:   verdict{limit: errs.LimitQuota, retry: retryNo},
			reason: "money or the allotment of a plan",
			source: "https://github.com/dev-hato/hato-bot/pull/4552",
		},
		{
			codes: []string{
				"server_is_overloaded", "engine_overloaded_error", "engine_overloaded", "overloaded", "overloaded_error",
				"server_overloaded", "slow_down", "capacity_exceeded", "nocapacity",
			},
			says:   verdict{limit: errs.LimitOverload, retry: retryYes},
			reason: "capacity of the servers",
			source: "https://github.com/vercel/ai/blob/main/packages/anthropic/src/anthropic-language-model.test.ts",
		},
		{
			codes: []string{
				"rate_limit_exceeded", "rate_limit_error", "rate_limit_reached_error", "rate_limit_reached",
				"rate_limited", "too_many_requests", "requests", "tokens", "throttling_error", "ratelimitreached",
				"rate_limit",
			},
			says:   verdict{limit: errs.LimitRate, retry: retryYes},
			reason: "a rate limit; text that names money or capacity was read before",
			source: "https://github.com/MoonshotAI/kimi-cli/issues/901",
		},
		{
			codes: []string{
				"account_deactivated", "deactivated_workspace", "token_revoked", "token_invalidated",
				"refresh_token_reused", "refresh_token_invalidated",
			},
			says:   verdict{auth: errs.AuthRevoked},
			reason: "somebody took it back",
			source: "https://github.com/ChatGPTNextWeb/NextChat/issues/4176",
		},
		{
			codes:  []string{"token_expired"},
			says:   verdict{auth: errs.AuthExpired},
			reason: "the code says expired",
			source: "decision: auth-expired",
		},
		{
			codes: []string{
				"invalid_api_key", "invalid_authentication_error", "incorrect_api_key_error", "authentication_error",
				"mismatched_project", "invalid_organization",
			},
			says:   verdict{auth: errs.AuthRejected},
			reason: "the key is wrong",
			source: "https://github.com/stackblitz-labs/bolt.diy/issues/156",
		},
	}
}
