package provider

import "sync"

// pairingRules are the wordings of a transcript whose tool calls and results do not pair up.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var pairingRules = sync.OnceValue(func() table {
	return compile([]rule{
		{
			any: []string{
				`tool_use\b[^.]{0,80}without [^.]{0,40}tool_result`,
				`tool_result\b[^.]{0,80}without [^.]{0,40}tool_use`,
				`unexpected tool_use_id`,
				`tool_use block must have a corresponding`,
				`tool_result block must have a corresponding`,
				`tool_use ids must be unique`,
				`each tool_use must have a single result`,
				`multiple tool_result blocks`,
				`tool use concurrency issues`, // https://github.com/anthropics/claude-code/issues/54638
				`tool_use_id[^.]{0,60}not found`,
				`did not find \d+ tool_result`,
				`matching number of tool_result`,
			},
			reason: "Anthropic: a call without a result, a result without a call, or two of one",
			source: "https://github.com/anthropics/claude-code/issues/8612",
		},
		{
			any: []string{
				`tool_calls must be followed by tool messages`,
				`insufficient tool messages following`,
				`tool_call_ids? did not have response`,
				`not have response messages`,
				`(?:tool|function)[_ ]?(?:calls?|use|call_\w+)\b[^.;]{0,60}(?:has|have|had|with) no (?:corresponding |matching |following )?` +
					`(?:tool|function)?[_ ]?(?:results?|responses?|outputs?)\b`,
				`(?:tool|function)[_ ]?(?:calls?|use)\b (?:\S+ ){0,4}?(?:is |are )?missing (?:a |an |its |the |their )?(?:corresponding |matching )?` +
					`(?:tool|function)[_ ]?(?:results?|responses?|outputs?)`,
				`(?:tool|function)[_ ]?(?:call |use |call_)?(?:results?|responses?|outputs?) (?:is|are|was|were) missing`,
				`must be followed by (?:\S+ ){0,3}?tool (?:messages?|results?|responses?)`,
			},
			reason: "OpenAI, DeepSeek, Moonshot: calls without results",
			source: "https://github.com/sdcb/chats/pull/132",
		},
		{
			any: []string{
				`role:? tool must (?:be a response|follow|be preceded|have a preceding)`,
				`messages? with role:? (?:tool|function) must be a response`,
				`messages? with role:? tool must`,
				`(?:role:? tool|tool (?:message|result|response)s?|tool_results?|function_call_outputs?|function responses?)\b[^.;]{0,60}` +
					`(?:(?:has|have|with) no|(?:does|do) not match|must match|not preceded by|without)` +
					`[^.;]{0,40}(?:tool|function)[_ ]?(?:calls?|use)\b`,
				`tool (?:result|response|message)[^.;]{0,40}previous message is not an? assistant`,
				`missing (?:the )?(?:corresponding|matching|preceding) (?:tool|function)[_ ]?(?:call|use)`,
				`tool messages? must (?:be a response|follow|have a prec)`,
				`(?:tool|function)[_ ]?(?:call )?(?:results?|responses?|outputs?|messages?) (?:must|should|needs? to|has to|have to) ` +
					`(?:be (?:preceded|a response|immediately)|(?:(?:immediately|directly) )?(?:follow|come after)|have a (?:preced|correspond|match))`,
				`tool messages? (?:\S+ ){0,4}?without (?:\S+ ){0,4}?(?:tool[_ ]calls?\b|preceding)`,
				`role:? tool needs a matching`,
				`tool[_ ]?results?(?: blocks?)? (?:\S+ ){0,2}?(?:for|of|with) (?:an? )?unknown (?:tool|call)`,
			},
			reason: "OpenAI: a result without a call",
			source: "https://github.com/itmisx/deepx-code/issues/94",
		},
		{
			any: []string{
				`no (?:tool|function)(?: call)? (?:output|result|response)s? (?:was |were )?found for`,
				`no tool call found for`,
				`no (?:matching |corresponding )?(?:tool|function) call (?:found|with)`,
				`no (?:matching|corresponding|preceding) (?:tool|function)[_ ]?(?:calls?|use)\b`,
				`function_call_output (?:\S+ ){0,4}?without`,
				`of type:? function_call (?:\S+ ){0,3}?without its required`,
				`without (?:its |a )?(?:required |matching |corresponding )?function_call(?:_output)?`,
			},
			reason: "the Responses API and its relatives",
			source: "https://github.com/bytedance/trae-agent/issues/245",
		},
		{
			any: []string{
				`toolinvocation must have a result`,
				`no tool[_ ]?invocation found for`,
				`(?:unprocessed|unanswered|unresolved|incomplete) tool[_ ]?calls?\b`,
				`expected tool outputs for call_ids`,
			},
			reason: "clients that look before they send: the AI SDK, Pydantic AI and the Assistants API",
			source: "https://github.com/vercel/ai/issues/4584",
		},
		{
			any: []string{
				`(?:tool|function)_?(?:calls?|use)\b[^.;]{0,40} (?:do|does|did|must|should|to) (?:not )?have [^.;]{0,24}` +
					`(?:tool|function)[_ ]?(?:call )?(?:message|result|response|output)`,
				`tool[_ ]?(?:results?|responses?|outputs?|messages?)\b[^.;]{0,60} (?:do|does|did) not have [^.;]{0,24}tool[_ ]?(?:call|use)`,
				`tool_?use (?:blocks?|ids?) must be (?:immediately )?followed by`,
				`tool[_ ]?(?:results?|responses?|messages?)(?: blocks?)? (?:can|may|must) only (?:follow|come after|appear after|be sent after)`,
				`previous (?:message|turn) (?:does|did) not (?:contain|have|include) (?:any )?(?:tool|function)[_ ]?(?:calls?|use)`,
				`each (?:tool|function)[_ ]?(?:call|use) must have [^.;]{0,24}(?:result|response|output)`,
			},
			reason: "LangGraph and servers that state the rule: every call has its result, every result its call",
			source: "https://github.com/langchain-ai/langgraph-swarm-py/issues/94",
		},
		{
			any: []string{
				`duplicate (?:value for )?tool[_ ](?:call|use|result)[_ ]?(?:id)?`,
				`duplicate (?:value for )?(?:function )?call[_ ]id`,
				`tool[_ ]call[_ ]ids? (?:must be|is not|are not) unique`,
				`(?:found|has) duplicate[^.]{0,20}tool`,
				`(?:tooluse|toolresult|tool_use|tool_result|tool_call)[^.]{0,10} blocks? at [^ ]+ contain duplicate`,
				`duplicate items? found with id (?:fco?|call|toolu|tool)_`,
				`duplicate[^.]{0,30}(?:tool_call|tool_use|toolu|tooluse|tool call|tool result)`,
			},
			reason: "one id for two calls or two results",
			source: "https://github.com/agno-agi/agno/issues/5116",
		},
		{
			any: []string{
				`tool results? tool id ?\([^)]*\) not found`,
				`tool (?:call )?results? (?:does|do) not follow tool call`,
				`tool call and (?:tool )?result[^.]{0,20}(?:not match|mismatch)`,
				`mismatch between tool calls? and tool results?`,
			},
			reason: "MiniMax and Ollama",
			source: "https://github.com/anomalyco/opencode/issues/32608",
		},
		{
			any: []string{
				`number of function response parts`,
				`function[ _]responses?[^.]{0,60}(?:match|equal|correspond)[^.]{0,40}function[ _]calls?`,
				`(?:not the same|different|mismatched) number of (?:function|tool) calls and (?:responses|results)`,
				`number of (?:tool|function) (?:calls|results|responses)[^.]{0,40}(?:not (?:match|equal)|mismatch|differ|` +
					`must (?:match|equal))`,
				`number of toolresult blocks`,
				`expected \d+ (?:tool|function)[_ ](?:results?|responses?|outputs?),? (?:but )?(?:got|found|received)`,
				`(?:results?|responses?)(?:\(s\))? (?:was |were |is |are )?expected after (?:the |an? )?(?:tool|function)[_ ]?call`,
				`(?:call|use)_ids?\b[^.;]{0,60} (?:do|does) not match [^.;]{0,40}(?:tool|result|response)`,
			},
			reason: "Gemini, Mistral and Bedrock count calls and results",
			source: "https://github.com/google-gemini/gemini-cli/issues/5443",
		},
		{
			any: []string{
				`function (?:call|response) turn comes immediately after`,
			},
			reason: "Gemini: the turn of a call or of a response has lost its neighbour; call/response turn order is pairing",
			source: "https://github.com/continuedev/continue/issues/11047",
		},
		{
			any: []string{
				`expected toolresult blocks`,
				`toolresult (?:\S+ ){0,6}?(?:without|exceeds|no matching|not match)`,
				`tooluse (?:\S+ ){0,6}?(?:without|no matching|not match)[^.]{0,40}toolresult`,
				`toolresult blocks at`,
			},
			reason: "Bedrock Converse",
			source: "https://github.com/strands-agents/harness-sdk/issues/1435",
		},
		{
			any: []string{
				`unexpected role (?:roleenum\.)?tool(?: after role (?:user|system|assistant))?(?:$|[^a-z_])`,
				`unexpected tool call id`,
			},
			reason: "Mistral: a result that answers no call",
			source: "https://github.com/mistralai/mistral-inference/issues/135",
		},
		{
			any: []string{
				`tool[_ ]call[_ ]?(?:id)?s?[^.]{0,60}(?:not found|(?:does not|doesnt) exist in|no matching|no corresponding|` +
					`does not match|not match any|` +
					`is not found|missing (?:a )?(?:corresponding |matching )?(?:tool )?(?:result|response|output)|` +
					`without (?:a )?(?:matching |corresponding )?(?:tool )?(?:result|response|output))`,
			},
			reason: "an id that stands on one side only",
			source: "https://github.com/agent0ai/agent-zero/issues/1754",
		},
		{
			any: []string{
				`tool (?:call |use )?(?:result|response|output|message)s?[^.]{0,60}(?:no matching|no corresponding|` +
					`does not match|not match any|does not correspond|without (?:a |any )?(?:matching |corresponding |` +
					`preceding )?(?:tool[_ ])?(?:calls?|uses?)\b|not preceded by|orphan)`,
				`orphan(?:ed)? (?:tool|function)`,
				`(?:missing|unmatched|unpaired|dangling) (?:tool|function)[_ ](?:result|response|output|call|use)s? (?:for|` +
					`in|block|message|with)`,
			},
			reason: "the same in the words of other servers",
			source: "https://github.com/agno-agi/agno/issues/5116",
		},
		{
			any: []string{
				`(?:tool_calls?|工具调用|函数调用)[^,。;]{0,24}(?:不匹配|未匹配|缺少[^,。;]{0,8}(?:结果|响应|tool)|没有对应|必须紧跟)`,
				`(?:tool|工具) ?(?:消息|结果|响应)[^,。;]{0,24}(?:不匹配|没有对应|找不到|必须)`,
				`(?:tool|工具)[^,。;]{0,20}数量?[^,。;]{0,6}(?:不一致|不匹配|不相等)`,
				`tool[^,。;]{0,12}消息[^,。;]{0,4}前必须`,
			},
			reason: "the same in Chinese",
			source: "https://github.com/lobehub/lobehub/issues/1398",
		},
	})
})

// pairingVetoes speak against them: what is broken is no pair.
var pairingVetoes = sync.OnceValue(func() table {
	return compile([]rule{
		{
			any: []string{
				`reasoning item`,
				`type:? reasoning`,
				`thinking block`,
				`thought_signature`,
				`thinking_block`,
				`redacted_thinking`,
				`did not match schema`,
				`not in request\.tools`,
				`validation failed: (?:attempted|parameters)`,
				`arguments (?:json|string)`,
			},
			reason: "reasoning blocks, arguments and tools that were not offered",
			source: "https://github.com/pydantic/pydantic-ai/blob/main/tests/models/cassettes/test_groq/test_tool_use_failed_error.yaml",
		},
	})
})

func (v *view) pairing() (verdict, bool) {
	ok := pairingRules().matches(v.text) && !pairingVetoes().matches(v.text)
	return verdict{kind: KindToolPairing}, ok
}
