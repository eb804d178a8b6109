package provider

import "github.com/remedyrpc/remedy/errs"

// dashscopeThrottle is the part of the documentation to which the wording of a spent quota leads, where a rate in tokens is
// meant. Both have the code insufficient_quota.
const dashscopeThrottle = "error-code#token-limit"

// dashscopeCodes are the codes of Alibaba's Model Studio.
func dashscopeCodes() []codeRule {
	const docs = "https://gitschool.cn/tyqianwen/return-status-code-description.html"
	return []codeRule{
		{
			codes: []string{
				"arrearage", "allocationquota.freetieronly", "commoditynotpurchased", "prepaidbilloverdue",
				"postpaidbilloverdue",
			},
			says:   verdict{limit: errs.LimitQuota, retry: retryNo},
			reason: "the account owes, or its free tier is spent",
			source: "https://github.com/tencentmusic/supersonic/issues/1572",
		},
		{
			codes:  []string{"throttling.ratequota", "throttling.burstrate", "limit_requests", "limit_burst_rate"},
			says:   verdict{limit: errs.LimitRate, retry: retryYes},
			reason: "the rate of calls",
			source: docs,
		},
		{
			codes:  []string{"throttling.allocationquota"},
			says:   verdict{limit: errs.LimitRate, retry: retryYes},
			reason: "a quota by name, a window of tokens in fact",
			source: docs,
		},
		{codes: []string{"invalidapikey"}, says: verdict{auth: errs.AuthRejected}, reason: "the key is wrong", source: docs},
		{
			codes:  []string{"datainspectionfailed", "data_inspection_failed"},
			says:   verdict{retry: retryNo},
			reason: "content filter",
			source: docs,
		},
	}
}
