package provider

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/remedyrpc/remedy/errs"
)

// quotaRules tell money and allotments, which no wait of a caller refills, from rates. What names a rate per minute or day
// stands before the words of money, since rate limits advertise larger plans.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var quotaRules = sync.OnceValue(func() table {
	var (
		spent = verdict{limit: errs.LimitQuota, retry: retryNo}
		rate  = verdict{limit: errs.LimitRate, retry: retryYes}
	)
	return compile([]rule{
		{
			any: []string{
				`being reconciled`,
				`(?:charge|payment|transaction|billing)s? (?:\S+ ){0,4}?(?:pending|in progress|processing|unresolved)[^.]{0,20}\.? (?:please )?` +
					`(?:try again|retry)`,
			},
			says:   verdict{},
			reason: "money that asks for a retry contradicts itself",
			source: "https://github.com/FerroxLabs/wayland/issues/545",
		},
		{
			any: []string{
				`free tier is not available in your (?:country|region)`,
			},
			says:   verdict{retry: retryNo},
			reason: "Google: a country is no allowance that was spent",
			source: "https://ai.google.dev/gemini-api/docs/troubleshooting",
		},
		{
			any: []string{
				`quota.*limit: 0(?:[^.\d]|$)`,
			},
			says:   verdict{limit: errs.LimitQuota, retry: retryNo, endless: true},
			reason: "a plan without any allowance for the model: no wait helps, whatever delay is offered",
			source: "https://github.com/continuedev/continue/issues/10062",
		},
		{
			any:    []string{`limit of [\d,]+ (?:requests?|tokens?|calls?) ?(?:per|/|a) ?(?:min|minute|day|hour|second)\b`},
			says:   rate,
			reason: "a rate with its number, also of a free tier",
			source: "https://github.com/ago19800/HomeMind/issues/29",
		},
		{
			any: []string{
				`extra usage`,
				`long[ -]context (?:beta|requests?|tier)`,
				`not (?:yet )?available for (?:this|your) (?:subscription|plan)`,
			},
			says:   spent,
			reason: "an entitlement of the plan",
			source: "https://github.com/anthropics/claude-code/issues/29584",
		},
		{
			any: []string{
				`(?:usage|session|plan|cost|budget|weekly|monthly|daily|5[- ]?hours?|five[- ]hour|hourly|spending|spend|` +
					`prompt) (?:usage )?(?:limit|cap|quota|allowance|allocation)s?[^.]{0,40}(?:reached|exceeded|hit|exhausted|` +
					`used up)`,
				`(?:reached|hit|exceeded|exhausted|used up|used all)[^.]{0,40}(?:usage|session|plan|weekly|monthly|` +
					`5[- ]?hours?|spending|spend|free|billing cycle|premium)[^.]{0,24}(?:limit|cap|quota|allowance|allocation|` +
					`requests|usage)`,
				`limit reached [^a-z0-9]{0,3} ?resets`,
				`hit your (?:\w+ )?limit`,
				`used (?:up )?(?:100%|all) of your`,
				`inference limit`,
				`(?:calls?|requests?|queries) ?(?:/|per) ?month`,
				`(?:reached|limit|exceeded|exhausted|used)[^.;]{0,40} (?:for )?this month`,
				`(?:^|: )you(?:ve| have) reached (?:the|your) limit\b`,
				`monthly_request_count`,
				`safe experience mode`,
				`使用上限`,
				`限额[^。;]{0,30}重置`,
				`free limit reached`,
				`用量上限`,
				`usage_limit_reached`,
				`usage_not_included`,
			},
			says:   spent,
			reason: "the allotment of a plan; its reset is kept",
			source: "https://github.com/hugalafutro/model-hotel/pull/955",
		},
		{
			any: []string{
				`insufficient[_ -](?:balance|credits?|funds?)`,
				`balance (?:is )?(?:too low|insufficient|not enough)`,
				`余额不足`,
				`欠费`,
				`arrearage`,
				`overdue`,
				`suspended due to`,
				`exceeded_current_quota_error`,
			},
			says:   spent,
			reason: "money by its own words, also where a proxy in between calls it a rate limit",
			source: "https://github.com/Aider-AI/aider/issues/4851",
		},
		{
			any: []string{
				`quota exceeded for (?:quota )?metric`,
				`quota exceeded for \S+\.googleapis`,
				`allocated quota exceeded`,
				`requests? (?:rate )?(?:quota|limit) exceeded`,
			},
			says:   rate,
			reason: "quotas that are rates: Google's metrics, DashScope's allocation",
			source: "https://github.com/anthropics/claude-code/issues/1440",
		},
		{
			any: []string{
				`per[ _-]?(?:min|minute|day|second|sec)\b`,
				`per_(?:minute|day)`,
				`/ ?min\b`,
				`\b(?:tpm|rpm|tpd|rpd|qpm|qps)\b`,
				`too many concurren`,
				`concurren\w*[^.]{0,40}(?:limit|exceed|reach|reduc|high|max|quota|:)`,
				`(?:limit|exceed|reach|reduc|high|max)[^.]{0,40}concurren`,
				`并发`,
				`每分钟`,
				`每秒`,
				`rate[ _-]?limit(?:ed|ing|s)?\b`,
				`速率限制`,
				`频率限制`,
			},
			says:   rate,
			reason: "a rate by its own words, also where it names billing or a larger plan",
			source: "https://github.com/ago19800/HomeMind/issues/29",
		},
		{
			any: []string{
				`insufficient[_ -](?:\S+ )?(?:quota|balance|credits?|funds?|user_quota)`,
				`(?:credit )?balance (?:is )?(?:too low|insufficient|depleted|exhausted|not enough|negative)`,
				`not enough (?:credits?|balance|funds|quota)`,
				`(?:doesnt|does not|dont|do not) have (?:any |enough |sufficient )?(?:credits?|balance|funds)\b`,
				`(?:out of|run out of|ran out of|more|add|purchase|buy|requires? \w+) (?:\w+ )?credits?\b`,
				// and not "no credits were charged", which moderation adds
				`no (?:\w+ )?credits?(?:$|[^ \w]| (?:left|remain(?:ing)?|available|on|in|for|to|or|and|found)\b)`,
				`credits? (?:have been |are |is |has been )?(?:exhausted|depleted|used up|required|insufficient|too low)`,
				`can only afford`,
				`payment[ _]required`,
				`billing[_ ](?:hard[_ ]limit|error|not[_ ]active)`,
				`hard limit[^.]{0,20}reached`,
				`in good standing`,
				`arrearage`,
				`overdue`,
				`exceeded (?:your |the )?(?:current )?quota`,
				`exceeded current quota`,
				`quota (?:has been |is |was )?(?:exceeded|exhausted|depleted|used up|reached)`,
				`exhausted your (?:\S+ )?(?:capacity|quota)`,
				`quota_exceeded`,
				`quota_exhausted`,
				`out of (?:quota|budget|funds)`,
				`balance_depleted`,
				`budget(?:_| has been | )exceeded`,
				`exceeded ?budget`,
				`over budget`,
				`spend(?:ing)?[- _](?:limit|cap)`,
				`(?:monthly|higher|key|spending) limit`,
				`free (?:tier|trial|quota|credits?)[^.]{0,40}(?:exhausted|expired|ended|used|over)`,
				`top up`,
				`recharge`,
				`billing to be enabled`,
				`enable billing`,
				`add a payment`,
				`upgrade to (?:a )?(?:paid|continue|pro|plus)`,
				`subscription (?:has )?(?:expired|ended|required)`,
				`prompt tokens limit exceeded`,
			},
			says:   spent,
			reason: "money, credits and allotments",
			source: "https://github.com/anomalyco/opencode/issues/12219",
		},
		{
			any: []string{
				`余额不足`,
				`余额(?:已)?(?:用尽|耗尽)`,
				`欠费`,
				`充值`,
				`额度(?:已)?(?:不足|用尽|耗尽|用完|超出|超限)`,
				`配额(?:已)?(?:不足|用尽|耗尽|用完|超)`,
				`资源包`,
				`账户(?:已)?欠`,
				`套餐[^,。;]{0,10}(?:到期|过期|用完|用尽|耗尽)`,
				`剩余额度`,
				`预扣费`,
			},
			says:   spent,
			reason: "the same in Chinese; a token of a relay is an API key with an allotment",
			source: "https://github.com/continuedev/continue/issues/11823",
		},
	})
})

// money finds a spent quota in a text.
func (v *view) money() (verdict, bool) {
	if v.spentQuota() {
		return verdict{limit: errs.LimitQuota, retry: retryNo, endless: true}, true
	}
	if v.isRate() {
		return verdict{}, false
	}
	found, ok := quotaRules().find(v.text)
	return found.says, ok && (found.says.limit == errs.LimitQuota || found.says.limit == "")
}

// isRate reports whether something says that a quota is a rate, whatever the text calls it: the quotas of Google or their
// reason, or a link.
func (v *view) isRate() bool {
	return len(v.quotas) > 0 || v.points(dashscopeThrottle) ||
		slices.ContainsFunc(v.layers, func(l layer) bool { return l.reason == "RATE_LIMIT_EXCEEDED" })
}

// points reports whether a text links to a place, which folding leaves out.
func (v *view) points(place string) bool {
	return slices.ContainsFunc(v.texts, func(text string) bool { return strings.Contains(text, place) })
}

// spentQuota reports whether one of Google's quotas is zero: the plan has none of it.
func (v *view) spentQuota() bool {
	for _, q := range v.quotas {
		if q.value == "0" {
			return true
		}
	}
	return false
}

// quota finds rates with their window, quotas by their code, and the windows of plans in headers.
func (v *view) quota() (verdict, bool) {
	if v.isRate() {
		return verdict{limit: errs.LimitRate, retry: retryYes}, true
	}
	if found, ok := v.headerLimit(); ok {
		return found, true
	}
	found, ok := quotaRules().find(v.text)
	coded, known := v.codeOf(codeRules())
	switch {
	case !ok:
		return coded, known && coded.limit == errs.LimitQuota && !overloadRules().matches(v.text)
	case overloadRules().matches(v.text) && !strings.Contains(v.text, "rate"):
		return verdict{}, false
	case v.tooLarge():
		return verdict{limit: errs.LimitRate, retry: retryNo}, true
	case known && coded.limit == found.says.limit && coded.window != "":
		return coded, true
	default:
		return found.says, true
	}
}

// bucketSize finds the size of a bucket and of the request that does not fit into it.
var bucketSize = regexp.MustCompile(`limit:? ([\d,]+), ?(?:used:? [\d,]+, ?)?requested:? ([\d,]+)`)

// tooLarge reports whether a single request is larger than a whole bucket, so that no wait helps.
func (v *view) tooLarge() bool {
	found := bucketSize.FindStringSubmatch(v.text)
	if found == nil {
		return strings.Contains(v.text, "request too large")
	}
	size, err1 := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
	request, err2 := strconv.ParseFloat(strings.ReplaceAll(found[2], ",", ""), 64)
	return err1 == nil && err2 == nil && request > size
}
