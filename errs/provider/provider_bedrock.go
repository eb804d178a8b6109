package provider

import (
	"strings"

	"github.com/remedyrpc/remedy/errs"
)

// bedrockCodes are the exceptions of AWS.
func bedrockCodes() []codeRule {
	return []codeRule{
		{
			codes:  []string{"throttlingexception", "toomanyrequestsexception", "throttling"},
			says:   verdict{limit: errs.LimitRate, retry: retryYes},
			reason: "a quota of the account per minute or day",
			source: "https://github.com/aws-samples/amazon-bedrock-client-for-mac/issues/99",
		},
		{
			codes:  []string{"servicequotaexceededexception"},
			says:   verdict{limit: errs.LimitQuota, retry: retryNo},
			reason: "a quota of the account that does not refill",
			source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html",
		},
		{
			codes: []string{
				"modelerrorexception", "modelstreamerrorexception", "modeltimeoutexception", "modelnotreadyexception",
				"internalserverexception", "serviceunavailableexception",
			},
			says:   verdict{retry: retryYes},
			reason: "a fault of the model or of the service, whatever the status of the stream",
			source: "https://github.com/can1357/oh-my-pi/pull/12449",
		},
		{
			codes:  []string{"expiredtokenexception", "expiredtoken", "unauthorizedssotokenerror"},
			says:   verdict{auth: errs.AuthExpired},
			reason: "the session is over",
			source: "https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html",
		},
		{
			codes:  []string{"missingauthenticationtokenexception", "missingauthenticationtoken"},
			says:   verdict{auth: errs.AuthMissing},
			reason: "nothing was sent",
			source: "https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html",
		},
		{
			codes: []string{
				"unrecognizedclientexception", "invalidsignatureexception", "incompletesignatureexception",
				"invalidclienttokenid", "signaturedoesnotmatch",
			},
			says:   verdict{auth: errs.AuthRejected},
			reason: "the key or its signature is wrong",
			source: "https://github.com/Arize-ai/openinference/issues/2358",
		},
	}
}

// bedrockStatuses are the exceptions of Bedrock by status.
// Source: https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html.
func bedrockStatuses() map[int]string {
	return map[int]string{
		400: "ValidationException", 403: "AccessDeniedException", 404: "ResourceNotFoundException", 408: "ModelTimeoutException",
		424: "ModelErrorException", 429: "ThrottlingException", 500: "InternalServerException", 503: "ServiceUnavailableException",
	}
}

// bedrockException is the exception that a status stands for: the name comes in a header, which many clients drop. That of
// a credential shares its status, and has a fixed sentence.
func (v *view) bedrockException() string {
	switch {
	case !strings.Contains(strings.ToLower(v.failure.Provider), "bedrock"), len(v.layers) != 1, v.layers[0] != layer{}:
		return "" // no object with a message and without a name
	case v.status == 403 && strings.Contains(v.text, "security token included in the request is expired"):
		return "ExpiredTokenException"
	case v.status == 403 && strings.Contains(v.text, "security token included in the request is invalid"):
		return "UnrecognizedClientException"
	default:
		return bedrockStatuses()[v.status]
	}
}
