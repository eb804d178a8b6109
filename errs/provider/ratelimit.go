package provider

import (
	"sync"

	"github.com/remedyrpc/remedy/errs"
)

// rateRules are the wordings of rate limits that name no window.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var rateRules = sync.OnceValue(func() table {
	rate := verdict{limit: errs.LimitRate, retry: retryYes}
	return compile([]rule{
		{
			any: []string{
				`too many requests`,
				`too many tokens`,
				`throttl`,
				`limiting requests`,
				`error (?:code: )?1015\b`,
				`rate increased too quickly`,
				`rate[ _-]limit`,
				`ratelimiterror`,
				`request limit (?:reached|exceeded)`,
				`daily (?:\w+ )?limit`,
				`requests? (?:has |have )?(?:been )?(?:limited|throttled)`,
				`resource[ _]?(?:has been |was )?exhausted`,
				`model_cooldown`,
				`frequency`,
				`too frequent`,
				`too fast`,
			},
			says:   rate,
			reason: "the same, and nothing about money",
			source: "https://github.com/google-gemini/gemini-cli/issues/2020",
		},
		{
			any: []string{
				`请求(?:过于|太|次数过)?(?:频繁|过多|过快)`,
				`限流`,
				`限频`,
				`限速`,
				`频率(?:过|超)`,
				`速率`,
				`次数(?:超|已达)`,
				`达到(?:\S{0,8})上限`,
			},
			says:   rate,
			reason: "the same in Chinese",
			source: "https://docs.bigmodel.cn/cn/faq/api-code",
		},
	})
})

func (v *view) rate() (verdict, bool) {
	found, ok := rateRules().find(v.text)
	if coded, known := v.codeOf(codeRules()); known && coded.limit == errs.LimitRate {
		return coded, true
	}
	return found.says, ok
}
