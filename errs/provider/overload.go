package provider

import (
	"sync"

	"github.com/remedyrpc/remedy/errs"
)

// overloadRules are the wordings of servers that have no room, whoever asks.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var overloadRules = sync.OnceValue(func() table {
	busy := verdict{limit: errs.LimitOverload, retry: retryYes}
	return compile([]rule{
		{
			any: []string{
				`overloaded`,
				`over[- ]?load\b`,
				`\bat (?:full |max(?:imum)? )?capacity`,
				`over capacity`,
				`capacity (?:is )?(?:exceeded|temporarily|constraints?|limits?|exhausted)`,
				`(?:no|insufficient|not enough|lack of|out of) (?:\w+ )?capacity`,
				`nocapacity`,
				`model_capacity_exhausted`,
				`high (?:demand|traffic|load)`,
				`heavy (?:load|traffic)`,
				`(?:server|model|service|engine|system|api)s? (?:is |are )?(?:currently |temporarily |too )*busy`,
				`too busy`,
				`too many connections`,
				`worker local total request limit`,
				`no instances? available`,
				`(?:insufficient|not enough) (?:compute|gpu|server) resources`,
				`(?:compute|gpu|server) resources (?:are |is )?(?:currently |temporarily )*(?:exhausted|insufficient|unavailable)`,
				`too many (?:people|users) (?:are |is |\w+ing |right |online)`,
				`no available (?:workers?|instances?|servers?|capacity)`,
				`queue (?:is )?(?:full|too long)`,
				`maximum (?:number of )?(?:queued|pending) requests`,
				`instances? (?:\S+ ){0,5}?(?:are|is) (?:\w+ )?(?:occupied|busy|in use)`,
				`(?:remaining|not enough|no|insufficient) (?:\S+ ){0,2}?kv ?cache[^.;]{0,80}(?:later|again|retry)`,
				`server_is_overloaded`,
				`slow_down`,
			},
			says:   busy,
			reason: "capacity of the servers, not a limit of the caller",
			source: "https://github.com/google-gemini/gemini-cli/issues/27548",
		},
		{
			any: []string{
				`过载`,
				`负载(?:已)?(?:饱和|过高|较高)`,
				`繁忙`,
				`访问量过大`,
				`拥挤`,
				`服务器忙`,
				`(?:算力|资源)(?:不足|紧张)`,
				`人数过多`,
				`排队`,
			},
			says:   busy,
			reason: "the same in Chinese",
			source: "https://github.com/songquanpeng/one-api/issues/1061",
		},
	})
})

func (v *view) overload() (verdict, bool) {
	if v.status >= 520 && v.status <= 527 { // of Cloudflare, which lists overload among what may be the cause
		return verdict{}, false
	}
	if coded, known := v.codeOf(codeRules()); known && coded.limit == errs.LimitOverload {
		return coded, true
	}
	found, ok := overloadRules().find(v.text)
	return found.says, ok
}
