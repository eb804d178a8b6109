package provider

import "github.com/remedyrpc/remedy/errs"

// ernieCodes are the numbers of Baidu.
func ernieCodes() []codeRule {
	const (
		baidu = "baidu"
		docs  = "https://ai.baidu.com/ai-doc/WENXINWORKSHOP/tlmyncueh"
	)
	rate := func(window string) verdict {
		return verdict{limit: errs.LimitRate, retry: retryYes, window: window}
	}
	return []codeRule{
		{
			codes: []string{"1", "2", "336000"}, provider: baidu, says: verdict{retry: retryYes},
			reason: "a fault of theirs", source: docs,
		},
		{
			codes: []string{"4", "336100"}, provider: baidu, says: verdict{limit: errs.LimitOverload, retry: retryYes},
			reason: "the limit of their cluster", source: docs,
		},
		{codes: []string{"17"}, provider: baidu, says: rate(windowRequestsDay), reason: "requests of a day", source: docs},
		{codes: []string{"18"}, provider: baidu, says: rate(""), reason: "requests of a second", source: docs},
		{
			codes: []string{"19"}, provider: baidu, says: verdict{limit: errs.LimitQuota, retry: retryNo},
			reason: "all free requests", source: docs,
		},
		{
			codes: []string{"336501"}, provider: baidu, says: rate(windowRequestsMinute),
			reason: "requests of a minute", source: docs,
		},
		{
			codes: []string{"336502"}, provider: baidu, says: rate(windowTokensMinute),
			reason: "tokens of a minute", source: docs,
		},
		{
			codes: []string{"13", "14", "100", "110"}, provider: baidu, says: verdict{auth: errs.AuthRejected},
			reason: "access token invalid", source: docs,
		},
		{
			codes: []string{"111"}, provider: baidu, says: verdict{auth: errs.AuthExpired},
			reason: "access token expired", source: docs,
		},
	}
}
