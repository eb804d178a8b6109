package provider

import (
	"strings"
	"sync"
)

// The windows of limits, as [errs.ProviderLimit] names them.
//
//nolint:gosec // tokens of text are no credentials
const (
	windowRequestsMinute = "requests_per_minute"
	windowTokensMinute   = "tokens_per_minute"
	windowInputMinute    = "input_tokens_per_minute"
	windowOutputMinute   = "output_tokens_per_minute"
	windowRequestsDay    = "requests_per_day"
	windowTokensDay      = "tokens_per_day"
	windowConcurrent     = "concurrent_requests"
	windowFiveHours      = "plan_5h"
	windowWeek           = "plan_week"
)

// rateWindows are the wordings of the windows of rates, the more precise ones first.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var rateWindows = sync.OnceValue(func() table {
	const source = "https://github.com/ago19800/HomeMind/issues/29"
	return compile([]rule{
		{
			any: []string{
				`output[ _]tokens?(?:[ _](?:usage|limit|rate))?[ _-]per[ _-]?min`,
				`output[ _-]tpm`,
				`\botpm\b`,
			},
			says: verdict{window: windowOutputMinute}, reason: "Anthropic and Vertex", source: "https://github.com/cline/cline/issues/252",
		},
		{
			any: []string{
				`(?:input|prompt)[ _]tokens?(?:[ _](?:usage|limit|rate))?[ _-]per[ _-]?min`,
				`input[ _-]tpm`,
				`\bitpm\b`,
			},
			says: verdict{window: windowInputMinute}, reason: "Anthropic and Vertex",
			source: "https://github.com/anthropics/claude-code/issues/1440",
		},
		{
			any: []string{
				`tokens?[ _-]per[ _-]?day`,
				`for tokens?\. limit: [\d.,]+ ?/ ?day`,
				`\btpd\b`,
				`(?:daily|per[ -]day)[ _](?:\w+ )?token`,
				`tokens?[^.]{0,30}(?:per[ -]day|daily)`,
			},
			says: verdict{window: windowTokensDay}, reason: "tokens of a day", source: source,
		},
		{
			any: []string{
				`requests?[ _-](?:\w+ )?per[ _-]?day`,
				`for requests?\. limit: [\d.,]+ ?/ ?day`,
				`\brpd\b`,
				`models?-per-day`,
				`per[ _-]day`,
				`daily (?:api )?(?:requests?|limit|rate)`,
				`requests? (?:of|in|for) (?:the|a|one) day`,
				`bymodelbyday`,
				`每天`,
				`每日`,
				`今日`,
			},
			says: verdict{window: windowRequestsDay}, reason: "requests of a day", source: "https://github.com/cline/cline/issues/5301",
		},
		{
			any: []string{
				`tokens?[ _-]per[ _-]?min`,
				`for tokens?\. limit: [\d.,]+ ?/ ?min`,
				`\btpm\b`,
				`tokens?[ _](?:\S+ ){0,6}?per[ -]minute`,
				`per[ -]minute (?:\S+ ){0,2}?token`,
				`每分钟[^,。;]{0,6}token`,
			},
			says: verdict{window: windowTokensMinute}, reason: "tokens of a minute", source: source,
		},
		{
			any: []string{
				`requests?[ _-](?:\w+ )?per[ _-]?min`,
				`for requests?\. limit: [\d.,]+ ?/ ?min`,
				`\brpm\b`,
				`\bqpm\b`,
				`models?-per-min`,
				`per[ -]minute[ _]request`,
				`requests?/min`,
				`requests? (?:\S+ ){0,4}?per[ -]minute`,
				`calls? ?(?:per|/) ?min`,
				`bymodelbyminute`,
				`每分钟[^,。;]{0,6}请求`,
			},
			says: verdict{window: windowRequestsMinute}, reason: "requests of a minute", source: source,
		},
		{
			any: []string{
				`concurren`,
				`并发`,
				`parallel requests`,
				`\b(?:one|1|a single) (?:message|request|generation|call)(?: in flight)? at (?:a|the same) time`,
				`requests? in flight`,
				`simultaneous (?:requests|connections)`,
			},
			says: verdict{window: windowConcurrent}, reason: "requests at a time", source: "https://github.com/kaitranntt/ccs/issues/402",
		},
		{
			any: []string{
				`too many tokens, please wait`,
			},
			says: verdict{window: windowTokensMinute}, reason: "Bedrock does not say the window; its quota is one of a minute",
			source: "https://github.com/aws-samples/amazon-bedrock-client-for-mac/issues/99",
		},
	})
})

// planWindows are the wordings of the windows of plans.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var planWindows = sync.OnceValue(func() table {
	return compile([]rule{
		{
			any: []string{
				`(?:^|[(/:-]|[^n0-9] )5[ -]?(?:hours?|hrs?|h)\b`,
				`five[ _-]hours?`,
				`5 ?小时`,
				`五小时`,
			},
			says: verdict{window: windowFiveHours}, reason: "the short window of coding plans",
			source: "https://github.com/hugalafutro/model-hotel/pull/955",
		},
		{
			any:  []string{`(?:hit|reached) your session limit`},
			says: verdict{window: windowFiveHours}, reason: "a session of Claude Code is five hours",
			source: "https://github.com/anthropics/claude-code/issues/74079",
		},
		{
			any: []string{
				`\bweekly\b`,
				`(?:per|this|a|each) week\b`,
				`week limit`,
				`\b7[ -]day\b`,
				`\b7d\b`,
				`seven[ _-]days?`,
				`每周`,
				`一周`,
				`周限`,
				`本周`,
				`周使用`,
			},
			says: verdict{window: windowWeek}, reason: "the long window of coding plans",
			source: "https://github.com/openclaw/openclaw/pull/142656",
		},
	})
})

// windowIn finds the window that a text names.
func windowIn(t table, text string) string {
	found, _ := t.find(text)
	return found.says.window
}

// window reads a quota of Google by its id, or else by its metric: longer windows count for more.
func (q googleQuota) window() (window string, length int) {
	id := strings.ToLower(q.id + " " + q.metric)
	input := strings.Contains(id, "input") && strings.Contains(id, "token")
	output := strings.Contains(id, "output") && strings.Contains(id, "token")
	tokens := strings.Contains(id, "token")
	switch {
	case strings.Contains(id, "perday") || strings.Contains(id, "per_day"):
		if tokens {
			return windowTokensDay, 2
		}
		return windowRequestsDay, 2
	case !strings.Contains(id, "perminute") && !strings.Contains(id, "per_minute"):
		return "", 0
	case input:
		return windowInputMinute, 1
	case output:
		return windowOutputMinute, 1
	case tokens:
		return windowTokensMinute, 1
	default:
		return windowRequestsMinute, 1
	}
}
