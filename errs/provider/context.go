package provider

import "sync"

// contextRules are the wordings of a window that was exceeded. Those of the first table name the context or the window of
// the model, so that only a rate, a price or an entitlement speaks against them.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var contextRules = sync.OnceValue(func() table {
	return compile([]rule{
		{
			any: []string{
				`context_length_exceeded`,
				`context_window_exceeded`,
				`exceed_context_size`,
				`max_prompt_tokens_exceeded`,
				`prompt is too long: [\d,]+ tokens > [\d,]+`,
				`contextwindowexceeded`,
			},
			reason: "a code that names the window, or the stop reason that surfaced as an error",
			source: "https://github.com/chathub-dev/chathub/issues/126",
		},
		{
			any: []string{
				`(?:context|model|sequence) (?:length|window|size|limit|len) (?:\S+ ){0,3}(?:has been |was |is )?exceed`,
				`context overflow`,
				`filled the context`,
				`(?:exceed\w*|longer than|larger than|greater than|>) (?:the )?(?:n_ctx|context (?:window|length|size|limit))`,
				`context (?:size|window|length) (?:is )?too small for`,
				`max(?:imum)? context (?:of )?[\d,]+ tokens (?:reached|exceeded)`,
			},
			reason: "LM Studio, Ollama and clients say what was exceeded first",
			source: "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/237",
		},
		{
			any: []string{
				`(?:exceed|exceeds|exceeded|exceeding|overflow|overflows|overflowed|` +
					`over) (?:\S+ ){0,8}?context[ _-](?:length|window|size|limit|budget)`,
			},
			reason: "the input or the sum of input and output against the window",
			source: "https://github.com/continuedev/continue/issues/8454",
		},
		{
			any: []string{
				`(?:longer|larger|greater|bigger|more) than (?:\S+ ){0,6}?(?:context|maximum model) (?:length|window|size|len)`,
			},
			reason: "SGLang, LM Studio and vLLM compare lengths",
			source: "https://github.com/QwenLM/Qwen3/issues/1321",
		},
		{
			any: []string{
				`max(?:imum)? (?:context|sequence) (?:length|window|size|len|limit)(?:,? (?:is|of)|:|` +
					`=)? ?\(?[\d,]+[\w ]*[).,;:]*.{0,40}?(?:however|but|requested|resulted|your|you |input|prompt|reduce|please|` +
					`got|given|contains|\()`,
			},
			reason: "OpenAI and all that speak its API say the length of the window, then that of the request",
			source: "https://github.com/refly-ai/refly/issues/1177",
		},
		{
			any: []string{
				`(?:too (?:large|long|big) for|does not fit|doesnt fit|cannot fit|wont fit|not fit) (?:\S+ ){0,10}?context`,
			},
			reason: "Mistral: a prompt too large for a model with that maximum context length",
			source: "https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts",
		},
		{
			any: []string{
				`(?:ran|run|running) out of (?:room in (?:\S+ ){0,3})?(?:the )?(?:models? )?context`,
				`context (?:window |length )?is full`,
				`context window (?:is )?(?:full|too large)`,
				`no models? (?:have|has) context window`,
			},
			reason: "clients and proxies that count for themselves",
			source: "https://github.com/openai/codex/issues/19269",
		},
		{
			any: []string{
				`context the overflows`,
				`when the context overflows`,
				`context length of only [\d,]+ tokens`,
				`not enough context(?: (?:length|window|size|space|room)|:)`,
				`mid-generation context overflow`,
			},
			reason: "LM Studio, the slip in its words included",
			source: "https://github.com/cline/cline/issues/3664",
		},
		{
			any: []string{
				`context window is [\d,.]+k? tokens,? (?:but )?(?:you )?requested`,
				`(?:model )?max length exceeded, max length`,
			},
			reason: "Moonshot and others say window and request in one sentence",
			source: "https://github.com/MoonshotAI/MoonshotAI-Cookbook/issues/18",
		},
		{
			any: []string{
				`(?:but|while|whereas) (?:the |its |this |models? ){0,3}(?:\S+ ){0,2}?context (?:size|length|window|limit)`,
				`context (?:size|length|window|limit)(?: \S+){0,5}? (?:is|of) [\d,.]+k?(?: tokens?)?,? (?:but|however|and your|while)`,
			},
			reason: "local servers compare the prompt with the context they were started with",
			source: "https://github.com/earendil-works/pi/issues/6262",
		},
		{
			any: []string{
				`context (?:limit|window|length|size) (?:has been |was |is )?(?:reached|exhausted|hit|full)`,
			},
			reason: "clients that count for themselves",
			source: "https://github.com/openai/codex/issues/19269",
		},
		{
			any: []string{
				`inputs tokens \+ max_new_tokens must be`,
				`(?:prompt|input)s?(?: length| tokens?)?[^.;]{0,20}\+ max_(?:\w+_)?tokens`,
				`sum of prompt length`,
				`inputs must have less than [\d,]+ tokens`,
				`n_keep[^.]{0,40}n_ctx`,
				`n_ctx (?:\S+ )?too small`,
				`prompt is too (?:big|large|long) compared to kv size`, // https://github.com/gpustack/llama-box/issues/25
			},
			reason: "Hugging Face TGI and Together: input plus output over the window; llama.cpp: the prompt against its cache",
			source: "https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/exception_mapping_utils.py",
		},
		{
			any: []string{
				`(?:上下文|context)[^,。;]{0,24}(?:超|过长|溢出|不足)`,
				`(?:超过|超出|超越|大于|长于)[^,。;]{0,24}(?:上下文|context|最大模型长度)`,
			},
			reason: "the same in Chinese: over the length of the context",
			source: "https://github.com/NousResearch/hermes-agent/blob/main/agent/error_classifier.py",
		},
	})
})

// promptRules are wordings that name the prompt, the input or its tokens. A rate, a price, bytes, characters and the cap of
// the output have the same wordings and speak against them.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var promptRules = sync.OnceValue(func() table {
	return compile([]rule{
		{
			any: []string{
				`prompt(?: is|s are)? too (?:long|large)`,
				`prompt tokens? (?:is |are )?too (?:long|large|many)`,
				`(?:prompt|input|request|conversation|message)s? (?:is |are )?too (?:long|large) for`,
			},
			reason: "Anthropic, Ernie, Fireworks and Bedrock",
			source: "https://github.com/PaddlePaddle/ERNIE-SDK/issues/336",
		},
		{
			any: []string{
				`(?:prompt|input|message)s? (?:\S+ ){0,3}?(?:exceed|exceeds|exceeded) (?:\S+ ){0,3}?(?:max length|` +
					`maximum length|max_model_len|context|model(?:s)? (?:limit|maximum))`,
			},
			reason: "Zhipu 1261 and vLLM",
			source: "https://github.com/zeroclaw-labs/zeroclaw/issues/4124",
		},
		{
			any: []string{
				`input (?:length|tokens?|token count|is|text|prompt|\(?\d)(?: [^ ]+){0,8}? (?:exceed|exceeds|exceeded|` +
					`too long|too large|longer than|greater than|larger than) ?(?:\S+ ){0,6}?(?:max|maximum|limit|allowed|` +
					`supported|configured|context|model|length|\d)`,
			},
			reason: "Gemini, Nova, SGLang, Ark and OpenAI name the input and its maximum",
			source: "https://github.com/google-gemini/gemini-cli/issues/6678",
		},
		{
			any: []string{
				`input (?:is )?too (?:long|large|big)`,
				`(?:message|text|content) you (?:have )?(?:submitted|provided|sent) (?:was|is) too (?:long|large)`,
				`input tokens exceeded`,
				`too many input tokens`,
				`max(?:imum)? input (?:length|tokens?) (?:is|of|:) ?[\d,]+`,
			},
			reason: "Bedrock: input is too long for requested model; OpenAI embeddings: maximum input length is N tokens",
			source: "https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts",
		},
		{
			any: []string{
				`(?:input|prompt) token count (?:is |of )?[\d,(]* ?(?:\S+ )?(?:but|exceeds|exceed|is larger|is greater)`,
				`token count (?:of [\d,]+ )?exceeds (?:the )?(?:limit|max|models? max)`,
			},
			reason: "Copilot and Vertex",
			source: "https://github.com/microsoft/vscode/issues/289219",
		},
		{
			any: []string{
				`maximum prompt length is [\d,]+`,
				`exceed(?:s|ed)? (?:\S+ ){0,4}?max(?:imum)? (?:sequence|model|input|prompt|token) (?:length|len|limit|count|window)`,
				`[\d,]+ tokens,? but (?:the |this )?model (?:only )?(?:supports|allows|accepts)`,
				`max(?:imum)? prompt (?:tokens?|length)[^.]{0,30}(?:exceed|but)`,
				`[\d,]+ tokens,? (?:but )?(?:the |this )?model (?:only )?(?:supports|allows|accepts)`,
				`(?:prompt|input|sequence) (?:length|size|tokens?)\b[^.;]{0,60}(?:exceed\w*|(?:greater|larger|longer) than|>)[^.;]{0,30}` +
					`(?:max|limit|length|context)`,
				`exceed(?:s|ed|ing)? (?:\S+ ){0,5}?context\b`,
				`context (?:is |was )?too (?:long|large|big)`,
			},
			reason: "xAI",
			source: "https://github.com/cline/cline/issues/3120",
		},
		{
			any: []string{
				`reduce (?:the )?(?:length of (?:the |your )?(?:messages?|prompt|input|conversation|either one)|your prompt|` +
					`input length)`,
			},
			reason: "Groq, Cerebras and OpenRouter say the cure only",
			source: "https://github.com/thepersonalaicompany/amurex-backend/issues/51",
		},
		{
			any: []string{
				`current length is [\d,]+ while (?:the )?limit is [\d,]+`,
			},
			reason: "Cerebras",
			source: "https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/exception_mapping_utils.py",
		},
		{
			any: []string{
				`exceed(?:s|ed|ing)? (?:the )?(?:models? )?(?:model )?(?:max(?:imum)? )?(?:model )?token limit`,
				`token limit (?:is |was )?exceeded`,
				`exceeds? (?:the )?max(?:imum)? (?:number of )?(?:input |message )?tokens?`,
			},
			reason: "Kimi: your request exceeded model token limit; Ark: exceed max message tokens",
			source: "https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts",
		},
		{
			any: []string{
				`too many tokens`,
				`prompt (?:contains|has) [\d,]+ tokens[^.]{0,60}(?:too (?:large|long)|exceed|max)`,
			},
			reason: "Cohere and Mistral; a rate in tokens has the same words and vetoes",
			source: "https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts",
		},
		{
			any: []string{
				`length of prompt_tokens`,
				`prompt_tokens[^.]{0,40}must be less than max_seq_len`,
				`max_seq_len`,
				`max_model_len`,
			},
			reason: "SiliconFlow and engines that name their own setting",
			source: "https://github.com/NousResearch/hermes-agent/blob/main/agent/error_classifier.py",
		},
		{
			any: []string{
				`(?:prompt|request|sequence|conversation|input)s?(?: \([^)]*\))? (?:\S+ ){0,4}?(?:longer|larger|` +
					`greater) than (?:\S+ ){0,5}?(?:length|limit|max|maximum|model|window)`,
			},
			reason: "vLLM: the decoder prompt is longer than the maximum model length",
			source: "https://github.com/vllm-project/vllm/issues/2393",
		},
		{
			any: []string{
				`(?:^|[^_])tokens?\b[^.;]{0,80}\b(?:exceed|exceeds|exceeded|more than|larger than|greater than|longer than|` +
					`above|surpass\w*) [^.;]{0,60}(?:max|limit|allowed|supported|capacity)`,
			},
			reason: "the tokens of a request against a limit, in the words of servers nobody has listed",
			source: "https://github.com/anomalyco/opencode/issues/27519",
		},
		{
			any: []string{
				`(?:prompt|input|request|conversation|sequence)s? (?:has|have|contains?|is|of|length(?: of)?|` +
					`with) [\d,]+(?: tokens?)?[^.;]{0,40}(?:but|while|exceed|max|limit|>)[^;]{0,60}[\d,]+`,
			},
			reason: "the length of the prompt beside a smaller number",
			source: "https://github.com/earendil-works/pi/issues/6262",
		},
		{
			any: []string{
				`(?:conversation|chat|thread|history) (?:is |are |has become |got )?too (?:long|large|big)`,
				`make the prompt shorter`,
				`shorten (?:the |your )?(?:prompt|input|messages|conversation)`,
			},
			reason: "the cure, or the conversation as a whole",
			source: "https://github.com/stanford-crfm/helm/issues/1571",
		},
		{
			any: []string{
				`range of input length should be`,
			},
			reason: "DashScope names the range that the input left",
			source: "https://help.aliyun.com/zh/model-studio/error-code",
		},
		{
			any: []string{
				`tokens_limit_reached`,
				`request body too large for \S+ model\. max size: [\d,]+ tokens`,
			},
			reason: "GitHub Models: 413, but the size is in tokens of the model",
			source: "https://github.com/cline/cline/issues/2115",
		},
		{
			any: []string{
				`(?:conversation|chat|thread|request|prompt) (?:\S+ ){0,3}?(?:length )?limit (?:reached|` +
					`exceeded)[^.]{0,40}(?:token|new (?:chat|thread|conversation))`,
				`(?:requested|request) [\d,]+ tokens[^.]{0,60}(?:exceed|maximum|but)`,
			},
			reason: "other servers that count tokens of a request",
			source: "https://github.com/BerriAI/litellm/pull/38368",
		},
		{
			any: []string{
				`(?:输入|提示词?|prompt|请求|消息|对话|文本)[^,。;]{0,16}(?:过长|超长|太长|超过[^,。;]{0,12}(?:长度|限制|上限|token)|超出[^,。;]{0,12}(?:长度|` +
					`限制|上限|token))`,
				`tokens?(?:数量?|长度)?[^,。;]{0,6}(?:超过|超出|超长)`,
				`超过(?:模型)?(?:的)?最大(?:长度|输入)`,
			},
			reason: "Zhipu 1261, MiniMax, Ernie and relays in Chinese",
			source: "https://docs.bigmodel.cn/cn/faq/api-code",
		},
	})
})

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
			},
			reason: "a client that caps what one of its tools may return",
			source: "https://github.com/anthropics/claude-code/issues/69982",
		},
		{
			any: []string{
				`string[ _](?:too[ _]long|above[ _]max)`,
				`array[ _](?:too[ _]long|above)`,
				`[\d,]+ characters`,
				`characters? (?:long|limit|allowed|max)`,
				`max(?:imum)? (?:\w+ )?characters`,
				`字符`,
				`maxlength`,
				`maximum length \d+ ?,`,
				`max(?:imum)? items`,
				`at most \d+ (?:items|messages|tools|images)`,
				`too many (?:tools|functions|images|messages|stop)`,
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
				`allowed number of output tokens`,
				`at most [\d,]+ (?:completion|output) tokens`,
				`max(?:imum)?[ _]?(?:output|completion)[ _]tokens (?:allowed|is|of|exceed|supported|limit)`,
				`range of max_tokens`,
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
				`per (?:request|file|string|item|document|chunk|key)`,
				`enqueued`,
				`cached content`,
			},
			reason: "a minimum, or the cap of a batch of separate inputs",
			source: "https://github.com/OpenHands/software-agent-sdk/blob/main/tests/sdk/llm/test_exception_classifier.py",
		},
	})
})
