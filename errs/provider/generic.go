package provider

import (
	"strings"
	"sync"
)

// localRules are the failures of a runner on the caller's own machine: whether it comes back cannot be told, whatever the
// status.
var localRules = sync.OnceValue(func() table {
	return compile([]rule{
		{
			any: []string{
				`runner (?:process )?(?:has |is )?(?:unexpectedly )?(?:terminated|stopped|crashed|exited|no longer running)`,
				`error was encountered while running the model`,
				`cuda (?:error|out of memory)`,
				`out of memory`,
				`requires more system memory`,
				`(?:not enough|insufficient) (?:system |gpu )?(?:memory|vram)`,
				`\boom\b`,
				`failed to (?:load|allocate)`,
				`model (?:has )?(?:crashed|unloaded)`,
				`segmentation fault`,
				`exit (?:status|code):? \d`,
			},
			reason: "a local runner crashed",
			source: "https://github.com/use-agent-os/agent-os/issues/2214",
		},
	})
})

// genericRules are the wordings of failures that nothing before them explains, for failures without a status.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var genericRules = sync.OnceValue(func() table {
	var (
		again = verdict{retry: retryYes}
		never = verdict{retry: retryNo}
	)
	return compile([]rule{
		{
			any: []string{
				`invalid character <`,
				`unexpected token <`,
				`is not valid json`,
				`context deadline exceeded`,
			},
			says:   verdict{},
			reason: "a page where JSON was expected, or a deadline of nobody knows whom",
			source: "https://github.com/sashabaranov/go-openai/issues/165",
		},
		{
			any: []string{
				`model[^.]{0,80}(?:not found|does not exist|doesnt exist|not supported|not available|unavailable for|` +
					`is invalid|decommissioned|deprecated)`,
				`(?:unknown|invalid|no such|unsupported) model`,
				`not a valid model`,
				`模型不存在`,
				`content[_ ](?:filter|policy)`,
				`safety`,
				`moderation`,
				`sensitive`,
				`flagged (?:for|as|by) `,
			},
			says:   never,
			reason: "an unknown model, or content that is refused",
			source: "decision: retry-no",
		},
		{
			any: []string{
				`internal (?:server )?error`,
				`code = (?:unavailable|internal|unknown|aborted|deadlineexceeded)`,
				`server error`,
				`bad gateway`,
				`service (?:temporarily )?unavailable`,
				`gateway time-?out`,
				`temporarily unavailable`,
				`something went wrong`,
				`an error occurred while processing your request`,
				`please (?:try again|retry)`,
				`try again later`,
				`服务(?:器)?(?:内部)?(?:错误|异常|不可用)`,
				`系统(?:错误|异常)`,
				`稍后(?:再试|重试)`,
			},
			says:   again,
			reason: "a fault of the server in words",
			source: "https://github.com/PublicAffairs/openai-gemini/issues/15",
		},
		{
			any: []string{
				`invalid[_ ](?:request|argument|param|value|json|input|prompt|type)`,
				`bad request`,
				`badrequesterror`,
				`validation (?:error|exception)`,
				`not found`,
				`unsupported`,
				`not (?:supported|allowed|permitted)`,
				`does not support`,
				`missing (?:required )?(?:parameter|field)`,
				`must (?:be|have|start|end|contain|match|include|not|only)\b`,
				`expected [^.;]{0,60}(?:but|found|got|received)`,
				`(?:cannot|can not|may not|should not) be (?:modified|empty|null|blank|used|set|both)`,
				`thinking blocks?`,
				`is required`,
				`malformed`,
				`unprocessable`,
				`unknown (?:parameter|field)`,
				`forbidden`,
				`permission denied`,
				`access denied`,
				`参数(?:错误|非法|无效)`,
				`max_(?:\w+_)?tokens`,
				`maximum tokens you requested`, // https://github.com/RooCodeInc/Roo-Code/issues/248
			},
			says:   never,
			reason: "what was sent is wrong",
			source: "https://github.com/langchain-ai/langchain-cohere/pull/15",
		},
		{
			any: []string{
				`upstream (?:error|request failed)`,
				`provider returned error`,
			},
			says:   again,
			reason: "what relays set around a cause, where they name none",
			source: "https://github.com/PublicAffairs/openai-gemini/issues/15",
		},
	})
})

func (v *view) generic() (verdict, bool) {
	if found, ok := genericRules().find(v.text); ok {
		return found.says, true
	}
	if found, ok := v.codeOf(genericCodes()); ok {
		return found, true
	}
	return verdict{retry: retryYes}, v.failure.InStream && isCutStream(v.text)
}

// isCutStream reports whether the text of a stream is that of events without an end and without a failure.
func isCutStream(text string) bool {
	events := strings.HasPrefix(text, "data:") || strings.HasPrefix(text, "event: ")
	return text == "" || events && !strings.Contains(text, "[done]") && !strings.Contains(text, "message_stop")
}
