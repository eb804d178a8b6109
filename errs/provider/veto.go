package provider

import "sync"

// softVetoes speak against any wording of a window: what was exceeded is a rate or money, or a longer window is not for
// this account.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var softVetoes = sync.OnceValue(func() table {
	return compile([]rule{
		{
			any: []string{
				`per[ -]?(?:min|minute|day|hour|second)\b`,
				`per_(?:minute|day)`,
				`/min\b`,
				`\b(?:tpm|rpm|tpd|rpd|qpm|qps)\b`,
				`rate[ _-]?limit`,
				`too many requests`,
				`throttl`,
				`每分钟`,
				`速率`,
				`频率`,
			},
			reason: "a rate in tokens, not a window",
			source: "https://github.com/cline/cline/issues/252",
		},
		{
			any: []string{
				`quota`,
				`额度`,
				`配额`,
				`credit`,
				`afford`,
				`balance`,
				`余额`,
				`billing`,
				`\bspend`,
				`(?:usage|session) limit`,
				`monthly limit`,
			},
			reason: "money or an allotment",
			source: "https://github.com/anomalyco/opencode/issues/12219",
		},
		{
			any: []string{
				`extra usage`,
				`\bupgrade\b`,
				`only available (?:to|for|on|in)`,
				`long[ -]context (?:beta|requests?|tier|pricing)`,
				`not (?:yet )?available for (?:this|your) (?:subscription|plan)`,
			},
			reason: "an entitlement to a longer window",
			source: "https://github.com/anthropics/claude-code/issues/29584",
		},
		{
			any:    []string{`gpu_memory_utilization`, `max_position_embeddings`},
			reason: "vLLM did not start: its window does not fit its own memory, or the model",
			source: "https://github.com/vllm-project/vllm/issues/2418",
		},
		{
			any: []string{
				`(?:while|when|error|failed to|panic|exception)[: ]+(?:\w+ ){0,2}?(?:truncat|comput|check|calculat|load|pars|estimat|count|` +
					`validat|determin|read)(?:ing|e|t)? (?:\S+ ){0,2}?(?:context|prompt|token)[ _](?:length|window|size|limit|count)s? ?` +
					`(?:check|configuration|config|exceeded(?:: | flag)|settings?|$)`,
			},
			reason: "a crash of code that looks after the window",
			source: "https://github.com/can1357/oh-my-pi/blob/main/packages/ai/test/auth-gateway-classify-error.test.ts",
		},
	})
})

// hardVetoes speak against wordings that do not name the window.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var hardVetoes = sync.OnceValue(func() table {
	return compile([]rule{
		{
			any: []string{
				`please wait`,
				`wait before`,
				`slow down`,
				`try again (?:later|in \d|tomorrow)`,
				`concurren`,
				`(?:last|current|this) (?:minute|hour|day)`,
				`(?:dai|hour|week|month)ly`,
				`(?:free|anonymous|guest|trial) users?`,
				`please (?:sign|log) ?in`,
				`\bprices?\b`,
				`[单每]日|每天|每月|今日|使用量`,
				`\bupgrade\b`,
				`your (?:plan|subscription)`,
			},
			reason: "what a wait cures is no window",
			source: "https://github.com/anthropics/claude-code/issues/236",
		},
		{
			any: []string{
				`\bbytes?\b`,
				`\b[\d.,]+ ?[kmg]i?b\b`,
				`pixel`,
				`images? (?:generation|dimension|size|exceed|too)`,
				`payload`,
				`upload`,
				`entity too large`,
				`request_too_large`,
				`file (?:size|too|is)`,
				`audio`,
				`video`,
				`图片|图像|音频|视频|文件`,
				`pages`,
			},
			reason: "bytes, pictures and files, not tokens",
			source: "https://github.com/anthropics/claude-code/issues/24630",
		},
		{
			any: []string{
				`file content`,
				`pagination`,
				`\bmcp tool \S+ (?:response|result|output)`,
				`use offset`,
				`\btool\b[^.]{0,30}returned`,
				`context caches?\b`,
				`fine-?tun|training`,
			},
			reason: "a client that caps what one of its tools may return",
			source: "https://github.com/anthropics/claude-code/issues/33514",
		},
		{
			any: []string{
				`string[ _](?:too[ _]long|above[ _]max)`,
				`array[ _](?:too[ _]long|above|exceeds|is too)`,
				`too long (?:for (?:the )?field|for sms|to export)`,
				`must be an? (?:integer|number|positive)`,
				`[\d,]+ characters`,
				`characters? (?:long|limit|allowed|max)`,
				`max(?:imum)? (?:\w+ )?characters`,
				`字符`,
				`maxlength`,
				`maximum length \d+ ?,`,
				`max(?:imum)? items`,
				`at most \d+ (?:items|messages|tools|images)`,
				`too many (?:tools|functions|images|messages|stop)`,
				`stop sequence`,
				`(?:tool|function|schema|metadata|user|name|description|id)s?(?: name| description)? (?:is )?too long`,
			},
			reason: "the cap of one string or one list",
			source: "https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/exception_mapping_utils.py",
		},
		{
			any: []string{
				`max_(?:completion_|output_|new_)?tokens (?:is |are )?(?:too (?:large|big|high|many)|exceed|must be (?:less|` +
					`at most|between|<=)|out of range|> ?\d|: ?\d+ ?>)`,
				`max_(?:completion_|output_|new_)?tokens: ?\d+ ?>`,
				`maximum tokens you requested`,
				`tokens requested in (?:the )?completion`,
				`allowed number of output tokens`,
				`at most [\d,]+ (?:completion|output) tokens`,
				`max(?:imum)?[ _]?(?:output|completion)[ _]tokens (?:allowed|is|of|exceed|supported|limit)`,
				`range of max_tokens`,
				`(?:thinking|reasoning)[ _]budget`,
				`(?:integer|decimal|number) above maximum`,
				`expected a value`,
				`exceed\w* (?:the )?max_?(?:output|completion|new)`,
				`(?:output|completion) (?:token )?limit`,
				`max_tokens[^a-z]{0,8}(?:参数|非法|超)`,
				`(?:output|completion|generated|response|thinking|reasoning|budget)[ _](?:tokens?|` +
					`length)(?: \S+){0,4} (?:exceed|limit|too|must|is greater)`,
				`max_?(?:output|completion|new)?_?tokens (?:value )?(?:\S+ ){0,3}(?:exceed|greater|larger|above)`,
				`(?:输出|生成)[^,。;]{0,12}(?:超|限制|上限)`,
			},
			reason: "the cap of the output alone: less history would not help",
			source: "https://github.com/ChatGPTNextWeb/NextChat/issues/3199",
		},
		{
			any: []string{
				`minimum`,
				`at least \d+ tokens`,
				`too small`,
				`batch`,
				`per[ -](?:request|file|string|item|document|chunk|key|user|account|session)`,
				`enqueued`,
				`cached content`,
			},
			reason: "a minimum, or the cap of a batch of separate inputs",
			source: "https://github.com/OpenHands/software-agent-sdk/blob/main/tests/sdk/llm/test_exception_classifier.py",
		},
		{
			any: []string{
				`(?:has|have|had|was|were|been|being|is|are|will be) (?:automatically )?truncated`,
				`[,;.] ?truncating\b`,
				`kv ?cache tokens`,
			},
			reason: "a warning that the prompt was cut, so that nothing failed; the memory of the server",
			source: "https://github.com/AUTOMATIC1111/stable-diffusion-webui/issues/375",
		},
	})
})
