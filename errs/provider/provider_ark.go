package provider

import "github.com/remedyrpc/remedy/errs"

// arkCodes are the codes of Volcengine Ark.
func arkCodes() []codeRule {
	const docs = "https://www.volcengine.com/docs/82379/1299023"
	rate := func(window string) verdict {
		return verdict{limit: errs.LimitRate, retry: retryYes, window: window}
	}
	return []codeRule{
		{
			codes:  []string{"ratelimitexceeded.endpointtpmexceeded", "modelaccounttpmratelimitexceeded"},
			says:   rate(windowTokensMinute),
			reason: "tokens per minute", source: docs,
		},
		{
			codes:  []string{"ratelimitexceeded.endpointrpmexceeded", "modelaccountrpmratelimitexceeded", "accountratelimitexceeded"},
			says:   rate(windowRequestsMinute),
			reason: "requests per minute", source: docs,
		},
		{
			codes:  []string{"accountoverdueerror", "quotaexceeded", "accountquotaexceeded", "setlimitexceeded"},
			says:   verdict{limit: errs.LimitQuota, retry: retryNo},
			reason: "money, or the allotment of the account", source: docs,
		},
		{
			codes:  []string{"serveroverloaded"},
			says:   verdict{limit: errs.LimitOverload, retry: retryYes},
			reason: "capacity", source: docs,
		},
	}
}
