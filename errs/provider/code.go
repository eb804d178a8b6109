package provider

import (
	"slices"
	"strings"
	"sync"
)

// codeRule is a code of a provider and what it means.
type codeRule struct {
	// codes are the spellings, compared without regard to case.
	codes []string
	// provider is a part of the provider's name, for codes that mean something at one provider only, such as numbers.
	provider string
	// says is what the code means.
	says verdict
	// reason says why, and source where it is documented or was seen.
	reason, source string
}

// codeRules are the codes of all providers: a new provider is one more file with its own.
var codeRules = sync.OnceValue(func() []codeRule {
	return slices.Concat(
		openaiCodes(), anthropicCodes(), googleCodes(), bedrockCodes(), oauthCodes(), relayCodes(),
		zhipuCodes(), minimaxCodes(), ernieCodes(), dashscopeCodes(), arkCodes(), cloudflareCodes(), groqCodes(),
	)
})

// genericCodes say in general what a status says too, so that they decide only where no status does.
var genericCodes = sync.OnceValue(func() []codeRule {
	return []codeRule{
		{
			codes: []string{
				"invalid_request_error", "invalid_argument", "invalid_argument_error", "invalid_request",
				"bad_request_error", "badrequesterror", "validationexception", "not_found_error", "not_found",
				"permission_error", "permission_denied", "failed_precondition", "invalidparameter",
				"invalid_parameter_error", "invalid_prompt", "unprocessable_entity", "resourcenotfoundexception",
				"accessdeniedexception", "model_not_found", "model_decommissioned", "unsupported_value", "invalid_value", "content_filter",
			},
			says:   verdict{retry: retryNo},
			reason: "what was sent is wrong, and stays so",
			source: "https://docs.anthropic.com/en/api/errors",
		},
		{
			codes: []string{
				"api_error", "server_error", "internal_server_error", "internal_error", "internal", "unavailable",
				"unknown", "internalerror", "internalserverexception", "serviceunavailableexception",
				"modelstreamerrorexception", "modeltimeoutexception", "modelnotreadyexception", "service_unavailable",
				"timeout_error", "upstream_error", "bad_gateway", "internal_failure", "deadline_exceeded", "timeout",
				"gateway_timeout", "temporarily_unavailable",
			},
			says:   verdict{retry: retryYes},
			reason: "a fault of the server",
			source: "https://docs.anthropic.com/en/api/errors",
		},
	}
})

// codeOf finds what the codes of a failure mean, those of the outermost layer first.
func (v *view) codeOf(rules []codeRule) (verdict, bool) {
	provider := strings.ToLower(v.failure.Provider)
	for _, name := range v.names() {
		for i := range rules {
			if rules[i].provider != "" && !strings.Contains(provider, rules[i].provider) {
				continue
			}
			for _, code := range rules[i].codes {
				if strings.EqualFold(code, name) {
					return rules[i].says, true
				}
			}
		}
	}
	return verdict{}, false
}

// names are the codes of all layers, in the order in which one is the code of the provider.
func (v *view) names() []string {
	var names []string
	for _, l := range v.layers {
		for _, name := range []string{l.code, l.kind, l.reason, l.status, l.exception} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	if name := v.headerException(); name != "" {
		names = append(names, name)
	}
	return append(names, v.textException())
}

func (v *view) code() (verdict, bool) {
	found, ok := v.codeOf(codeRules())
	if !ok && v.status != 429 {
		if local, crashed := localRules().find(v.text); crashed {
			return local.says, true
		}
	}
	return found, ok
}
