package provider

import "github.com/remedyrpc/remedy/errs"

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
