package provider

import "github.com/remedyrpc/remedy/errs"

// minimaxCodes are the numbers of MiniMax. 2013 is left out: it stands for any invalid parameter.
func minimaxCodes() []codeRule {
	const (
		minimax = "minimax"
		docs    = "https://platform.minimax.io/docs/api-reference/errorcode.md"
	)
	return []codeRule{
		{
			codes: []string{"1000", "1001", "1013", "1024", "1033"}, provider: minimax, says: verdict{retry: retryYes},
			reason: "retry later", source: docs,
		},
		{
			codes: []string{"1002"}, provider: minimax, says: verdict{limit: errs.LimitRate, retry: retryYes},
			reason: "rate limit", source: docs,
		},
		{
			codes: []string{"1004", "2049"}, provider: minimax, says: verdict{auth: errs.AuthRejected},
			reason: "check the key", source: docs,
		},
		{
			codes: []string{"1008"}, provider: minimax, says: verdict{limit: errs.LimitQuota, retry: retryNo},
			reason: "balance", source: docs,
		},
		{
			codes: []string{
				"1039",
			}, provider: minimax, says: verdict{
				limit: errs.LimitRate, retry: retryYes,
				window: windowTokensMinute,
			},
			reason: "tokens per minute", source: docs,
		},
		{
			codes: []string{"2056"}, provider: minimax, says: verdict{limit: errs.LimitQuota, retry: retryNo},
			reason: "the window of a plan", source: "https://github.com/MiniMax-AI/MiniMax-M2.7/issues/36",
		},
		{
			codes: []string{"1026", "1027"}, provider: minimax, says: verdict{retry: retryNo},
			reason: "content filter", source: docs,
		},
	}
}
