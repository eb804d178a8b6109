package provider

// groqCodes are the codes of Groq that others do not have.
func groqCodes() []codeRule {
	return []codeRule{
		{
			codes:  []string{"tool_use_failed", "json_validate_failed", "output_parse_failed"},
			says:   verdict{},
			reason: "what the model wrote was wrong: another attempt may pass, and may not",
			source: "https://github.com/pydantic/pydantic-ai/blob/main/tests/models/cassettes/test_groq/test_tool_use_failed_error.yaml",
		},
	}
}
