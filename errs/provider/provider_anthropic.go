package provider

import "github.com/remedyrpc/remedy/errs"

// anthropicCodes are the types of Anthropic that are no types of others.
func anthropicCodes() []codeRule {
	return []codeRule{
		{
			codes:  []string{"billing_error"},
			says:   verdict{limit: errs.LimitQuota, retry: retryNo},
			reason: "billing of the organization",
			source: "https://docs.anthropic.com/en/api/errors",
		},
	}
}
