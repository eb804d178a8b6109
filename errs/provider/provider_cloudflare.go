package provider

import "github.com/remedyrpc/remedy/errs"

// cloudflareCodes are the numbers of Workers AI.
func cloudflareCodes() []codeRule {
	const (
		cloudflare = "cloudflare"
		docs       = "https://developers.cloudflare.com/workers-ai/platform/errors/"
	)
	return []codeRule{
		{
			codes: []string{"3040"}, provider: cloudflare, says: verdict{limit: errs.LimitOverload, retry: retryYes},
			reason: "out of capacity", source: docs,
		},
		{
			codes: []string{"3036"}, provider: cloudflare, says: verdict{limit: errs.LimitQuota, retry: retryNo},
			reason: "the allotment of a day", source: docs,
		},
		{
			codes: []string{"3007", "3008"}, provider: cloudflare, says: verdict{retry: retryYes},
			reason: "timeout and abort of theirs", source: docs,
		},
		{
			codes: []string{"10000"}, provider: cloudflare, says: verdict{auth: errs.AuthRejected},
			reason: "authentication error", source: docs,
		},
	}
}
