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

// bedrockException is the exception of Bedrock that a status and a message stand for. The name comes in a header, which many
// clients drop, and each status has one; 403 has three, and two of them fixed sentences.
// Source: https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html.
func (v *view) bedrockException() string {
	if !strings.Contains(strings.ToLower(v.failure.Provider), "bedrock") ||
		len(v.layers) != 1 || v.layers[0] != (layer{}) { // an object with a message and no name
		return ""
	}
	switch v.status {
	case 400:
		return "ValidationException"
	case 403:
		switch {
		case strings.Contains(v.text, "security token included in the request is expired"):
			return "ExpiredTokenException"
		case strings.Contains(v.text, "security token included in the request is invalid"):
			return "UnrecognizedClientException"
		default:
			return "AccessDeniedException"
		}
	case 404:
		return "ResourceNotFoundException"
	case 408:
		return "ModelTimeoutException"
	case 424:
		return "ModelErrorException"
	case 429:
		return "ThrottlingException"
	case 500:
		return "InternalServerException"
	case 503:
		return "ServiceUnavailableException"
	default:
		return ""
	}
}
