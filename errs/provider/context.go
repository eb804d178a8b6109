package provider

import (
	"strings"
	"sync"
)

// contextRules are the wordings of a window that was exceeded. Those of the first table name the context or the window of
// the model, so that only a rate, a price or an entitlement speaks against them.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese, and clients translate them
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
				`(?:prompt|input|context|tokens?)_(?:\w+_)?too_(?:long|large|many)`,
			},
			reason: "a code that names the window, or the stop reason that surfaced as an error",
			source: "https://github.com/chathub-dev/chathub/issues/126",
		},
		{
			any: []string{
				`maximum context length is [\d,]+ tokens`,
				`(?:context|model|sequence) (?:length|window|size|limit|len) (?:\S+ ){0,3}(?:has been |was |is )?exceed`,
				`context overflow`,
				`filled the context`,
				`(?:exceed\w*|longer than|larger than|greater than|>) (?:the )?(?:n_ctx|context (?:window|length|size|limit))`,
				`context (?:size|window|length) (?:is )?too small for`,
				`max(?:imum)? context (?:of )?[\d,]+ tokens (?:reached|exceeded)`,
			},
			reason: "LM Studio, Ollama and clients say what was exceeded first",
			source: "https://github.com/cline/cline/issues/3664",
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
				`(?:too (?:large|long|big) for|does not fit|no longer fits?|doesnt fit|cannot fit|wont fit|not fit) (?:\S+ ){0,10}?context`,
			},
			reason: "Mistral: a prompt too large for a model with that maximum context length",
			source: "https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts",
		},
		{
			any: []string{
				`(?:ran|run|running) out of (?:room in (?:\S+ ){0,3})?(?:the )?(?:models? )?context`,
				`context (?:window |length )?is full`,
				`context window (?:is )?(?:full|too large)`,
				`supports (?:at most|up to|only) [\d,.]+k? tokens of context`,
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
				`(?:prompt|input) is ?[\d,]+ ?tokens?,? (?:and|but|while) the (?:context window|window|limit) is ?[\d,]+`,
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
			source: "https://github.com/earendil-works/pi/issues/4477",
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
		{
			any: []string{
				`コンテキスト[^、。]{0,24}(?:超|長すぎ|大きすぎ|オーバー|不足)`,
				`(?:컨텍스트|문맥)[^,.]{0,24}(?:초과|너무 (?:길|큽|깁))`,
				`[Пп]ревы\S+ (?:\S+ ){0,4}?контекст`,
				`контекст\S* (?:\S+ ){0,4}?(?:превы\S+|слишком)`,
			},
			reason: "the same in other languages, which clients translate it into",
			source: "https://github.com/RooCodeInc/Roo-Code/blob/main/src/core/context/context-management/__tests__/context-error-handling.test.ts",
		},
	})
})

// context never believes a status that means a limit or a credential. Where a client wrote the status into its text, it
// hides no cause that names the window.
func (v *view) context() (verdict, bool) {
	ok := saysContextExceeded(v.text)
	switch v.status {
	case 401, 402, 403, 429, 503, 529:
		return verdict{kind: KindContextExceeded}, ok && v.written && contextRules().matches(v.text)
	}
	for _, name := range v.names() {
		ok = ok || contextCode(strings.ToLower(name))
	}
	return verdict{kind: KindContextExceeded}, ok
}

// contextCode reports whether a code says by itself that the window was exceeded.
func contextCode(code string) bool {
	switch code {
	case "tokens_limit_reached", "message_length_exceeds_limit":
		return true
	default:
		return contextRules().matches(code)
	}
}
