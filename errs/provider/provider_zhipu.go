package provider

import "github.com/remedyrpc/remedy/errs"

// zhipuCodes are the numbers of Zhipu and Z.ai.
func zhipuCodes() []codeRule {
	const (
		zhipu = "zhipu"
		docs  = "https://docs.z.ai/api-reference/api-code"
	)
	rate := func(window string) verdict {
		return verdict{limit: errs.LimitRate, retry: retryYes, window: window}
	}
	quota := func(window string) verdict {
		return verdict{limit: errs.LimitQuota, retry: retryNo, window: window}
	}
	return []codeRule{
		{
			codes: []string{"1001"}, provider: zhipu, says: verdict{auth: errs.AuthMissing},
			reason: "no credential in the header", source: docs,
		},
		{
			codes: []string{"1003"}, provider: zhipu, says: verdict{auth: errs.AuthExpired},
			reason: "token expired", source: docs,
		},
		{
			codes: []string{"1000", "1002", "1004"}, provider: zhipu, says: verdict{auth: errs.AuthRejected},
			reason: "token refused", source: docs,
		},
		{
			codes: []string{"1112", "1121"}, provider: zhipu, says: verdict{auth: errs.AuthRevoked},
			reason: "account locked", source: docs,
		},
		{codes: []string{"1113"}, provider: zhipu, says: quota(""), reason: "account in arrears", source: docs},
		{codes: []string{"1302"}, provider: zhipu, says: rate(windowConcurrent), reason: "concurrency", source: docs},
		{codes: []string{"1303"}, provider: zhipu, says: rate(""), reason: "frequency", source: docs},
		{codes: []string{"1304"}, provider: zhipu, says: rate(windowRequestsDay), reason: "calls of a day", source: docs},
		{
			codes: []string{"1305", "1312"}, provider: zhipu, says: verdict{limit: errs.LimitOverload, retry: retryYes},
			reason: "traffic of the platform", source: docs,
		},
		{
			codes: []string{"1308"}, provider: zhipu, says: quota(""),
			reason: "usage of the plan; the text names its window", source: "https://github.com/hugalafutro/model-hotel/pull/955",
		},
		{
			codes: []string{"1309", "1310", "1311", "1313"}, provider: zhipu, says: quota(""),
			reason: "the plan has ended, is spent or does not include it", source: "https://github.com/hugalafutro/model-hotel/pull/955",
		},
		{codes: []string{"1301"}, provider: zhipu, says: verdict{retry: retryNo}, reason: "content filter", source: docs},
		{codes: []string{"1234"}, provider: zhipu, says: verdict{retry: retryYes}, reason: "their network", source: docs},
	}
}
