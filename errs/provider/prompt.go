package provider

import "sync"

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
				`input token limit is [\d,]+`,
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
				`[\d,]+ (?:input )?tokens,? but (?:the |this )?model (?:only )?(?:supports|allows|accepts)`,
				`(?:over|above|exceed\w*) the [\d,]+[ -]token limit`,
				`maximum length supported by (?:this|the) model`,
				`prompt exceeds [\d,]+ tokens`,
				`slot context: [\d,]+ tokens, prompt`,
				`max(?:imum)? prompt (?:tokens?|length)[^.]{0,30}(?:exceed|but)`,
				`[\d,]+ tokens,? which is (?:more|larger|greater|longer|over|above)`,
				`(?:input|prompt)[^.;]{0,30} token count (?:of |is )?\(?[\d,]+\)? (?:is )?(?:over|above|more than|larger than)`,
				`[\d,]+ tokens,? (?:but )?(?:the |this )?model (?:only )?(?:supports|allows|accepts)`,
				`(?:prompt|input|sequence) (?:length|size|tokens?)\b[^.;]{0,60}(?:exceed\w*|(?:greater|larger|longer) than|>)[^.;]{0,30}` +
					`(?:max|limit|length|context)`,
				`exceed(?:s|ed|ing)? (?:(?:the|this|its|models?|max|maximum|available|allowed|supported|token|[\d,.]+k?) ){0,5}context\b`,
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
				`[\d,]+ tokens,? but (?:the |its |this )?(?:\w+ )?(?:window|limit) is (?:only )?[\d,]+`,
				`total number of tokens[^.;]{0,40} (?:must|can|may) ?not exceed [\d,]+`,
			},
			reason: "Cerebras",
			source: "https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/exception_mapping_utils.py",
		},
		{
			any: []string{
				`exceed(?:s|ed|ing)? (?:the )?(?:models? )?(?:model )?(?:max(?:imum)? )?(?:model )?token (?:limit|capacity)`,
				`token limit (?:is |was )?exceeded`,
				`exceed(?:s|ed|ing)? (?:the )?max(?:imum)? (?:number of )?(?:input |message )?tokens?`,
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
			source: "https://github.com/cline/cline/issues/6055",
		},
		{
			any: []string{
				`(?:prompt|input|request|conversation|sequence)s? (?:has|have|contains?|is|of|length(?: of)?|` +
					`with) [\d,]+(?: tokens?)?[^.;]{0,40}(?:but|while|exceed|max|limit|>)[^;]{0,60}[\d,]+`,
			},
			reason: "the length of the prompt beside a smaller number",
			source: "https://github.com/earendil-works/pi/issues/4477",
		},
		{
			any: []string{
				`(?:conversation|chat|thread|history) (?:is |are |has become |got )?too (?:long|large|big)`,
				`make the prompt shorter`,
				`shorten (?:the |your )?(?:prompt|input|messages|conversation)`,
			},
			reason: "the cure, or the conversation as a whole",
			source: "decision: context-status",
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
			source: "https://github.com/eslint/tsc-meetings/pull/593",
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
				`tokens?(?:数量?|长度)?[^,。;]{0,6}(?:超过|超出|超长|超限)`,
				`超过(?:模型)?(?:的)?最大(?:长度|输入)`,
			},
			reason: "Zhipu 1261, MiniMax, Ernie and relays in Chinese",
			source: "https://docs.bigmodel.cn/cn/faq/api-code",
		},
	})
})
