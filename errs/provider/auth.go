package provider

import (
	"sync"

	"github.com/remedyrpc/remedy/errs"
)

// authRules are the wordings of a credential that failed. Whatever speaks of an entitlement stands first: there the
// credential is fine, and signing in again would not help.
//
//nolint:gosmopolitan // providers in China word their errors in Chinese
var authRules = sync.OnceValue(func() table {
	var (
		entitlement = verdict{retry: retryNo}
		expired     = verdict{auth: errs.AuthExpired}
		revoked     = verdict{auth: errs.AuthRevoked}
		missing     = verdict{auth: errs.AuthMissing}
		rejected    = verdict{auth: errs.AuthRejected}
	)
	return compile([]rule{
		{
			any: []string{
				`(?:public|network|model) access (?:is|was|has been) disabled`,
				`configure (?:a )?private endpoint`,
			},
			says:   entitlement,
			reason: "an administrator closed a way or a model, not the account",
			source: "https://learn.microsoft.com/en-us/azure/ai-services/cognitive-services-virtual-networks",
		},
		{
			any: []string{
				`signature expired:? [^.]{0,60}is now earlier than`,
				`signature not yet current`,
			},
			says:   rejected,
			reason: "AWS: the clock of the caller is wrong; a new credential would be signed by it, too",
			source: "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html",
		},
		{
			any: []string{
				`refresh (?:cached )?sso token`,
				`sso session (?:\S+ ){0,5}?(?:has |is )?expired`,
			},
			says:   expired,
			reason: "AWS: the session of a sign-in that ended is worded as a grant that is invalid",
			source: "https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-sso.html",
		},
		{
			any: []string{
				`^api key not found`,
				`[^o] api key not found`,
			},
			says:   rejected,
			reason: "Google: what was sent is no key of theirs",
			source: "https://docs.rs/gcp-sdk-api/0.2.0/gcp_sdk_api/model/error_reason",
		},
		{
			any: []string{
				`(?:token|key|credentials?) (?:is |are |was )?missing, invalid,`,
				`401 authorization required`,
			},
			says:   rejected,
			reason: "Azure and nginx: one sentence for every way a token can be wrong",
			source: "decision: auth-rejected",
		},
		{
			any: []string{
				`(?:api[ _-]?key|x-api-key|token|credentials?|bearer|authorization)(?: header)?:? (?:(?:is |was |cannot be |must not be |` +
					`may not be )(?:an )?(?:empty|blank)|(?:an )?empty string)`,
				`empty (?:api[ _-]?key|bearer|authorization|access token|credentials?\b)`,
				`illegal header value b?bearer $`,
			},
			says:   missing,
			reason: "what was sent is the empty string",
			source: "https://github.com/170-carry/codex-tools/issues/165",
		},
		{
			any: []string{
				`refresh[ _]token[^.:]{0,40}(?:already (?:been )?used|reused|was revoked|been revoked|is revoked|` +
					`no longer valid|not found|invalid)`,
				`refresh_token_(?:reused|invalidated|revoked)`,
				`invalid refresh token`,
				`bad_refresh_token`,
			},
			says:   revoked,
			reason: "a refresh token that was used twice or taken back is dead",
			source: "https://github.com/Loongphy/codex-auth/issues/104",
		},
		{
			any: []string{
				`(?:token|key|credential|session|access|grant|authorization|account|consent)s? (?:you provided |provided )?(?:has been|have been|was|` +
					`were|is|been) (?:revoked|invalidated|deactivated|disabled|deleted|suspended|reported as leaked|banned)`,
				`token_(?:revoked|invalidated)`,
				`(?:api[ _]?key|token|account|organization|user|project|workspace)[ _](?:revoked|deactivated|disabled|suspended|banned)`,
				`(?:organization|account|user|workspace|project|consumer)(?: \S+)? (?:has been|have been|is|was) (?:disabled|` +
					`deactivated|suspended|banned|terminated|blocked)`,
				`account_deactivated`,
				`deactivated_workspace`,
				`consumer_suspended`,
				`reported as leaked`,
				`oauth token revoked`,
				`(?:since|been|have|you|was|were) (?:logged|signed) out\b`,
				`(?:signed|logged) in to another account`,
				`(?:organization|account|user|workspace|project|api key|key) (?:has been |was )restricted`,
				`(?:invalidated|revoked|deactivated) (?:\w+ )?(?:token|key|credential)`,
				`(?:disabled|suspended|banned) (?:\S+ ){0,4}?(?:for|due to) (?:a |the |repeated )?violati(?:on|ng)`,
				`token could not be refreshed\. please log ?out`,
			},
			says:   revoked,
			reason: "somebody took the key, the grant or the account back",
			source: "https://github.com/ChatGPTNextWeb/NextChat/issues/4176",
		},
		{
			any: []string{
				`(?:令牌|密钥|账户|账号|用户|api ?key)[^,。;]{0,10}(?:已被(?:禁用|封禁|注销|冻结|删除)|被(?:禁用|封禁)|已禁用|状态不可用)`,
			},
			says:   revoked,
			reason: "relays in Chinese: the token or the account was disabled",
			source: "https://github.com/QuantumNous/new-api/issues/3301",
		},
		{
			any: []string{
				`invalid_grant`,
			},
			says:   revoked,
			reason: "RFC 6749 section 5.2; of what it lists, revoked is the most likely",
			source: "https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2",
		},
		{
			any: []string{
				`(?:token|key|credential|session|login|signature|sign-in|authorization)s?(?:\S* ){0,6}?(?:has |have |is |` +
					`are |was )?(?:been )?expired?\b`,
				`expired[ _]?(?:access |bearer |oauth |security |api |id )?(?:token|key|credential|session)`,
				`access_token_expired`,
				`token_expired`,
				`jwt (?:has |is )?expired`,
				`invalid_token`,
				`invalid,? (?:or )?expired`,
				`expired or`,
				`re-?authenticate to continue`,
				`re-?authentication (?:is )?(?:needed|required)`,
				`sign-?in (?:has )?expired`,
			},
			says:   expired,
			reason: "the text says expired, or RFC 6750 invalid_token",
			source: "https://www.rfc-editor.org/rfc/rfc6750.html#section-3.1",
		},
		{
			any: []string{
				`(?:令牌|token|密钥|授权|登录)[^,。;]{0,6}(?:已过期|过期|已失效)`,
			},
			says:   expired,
			reason: "relays and Zhipu in Chinese",
			source: "https://docs.bigmodel.cn/cn/faq/api-code",
		},
		{
			any: []string{
				`(?:do(?:es)? not|dont|doesnt) have (?:access|permission) to`,
				`not (?:allowed|permitted|authorized|entitled) to (?:use|access|call|invoke) (?:\S+ ){0,4}?model`,
				`not authorized to perform`,
				`model access is denied`,
				`access to (?:the |this )?model`,
				`must be verified`,
				`(?:country|region|location)[^.]{0,40}not (?:supported|available|allowed)`,
				`not (?:supported|available|allowed) (?:in|for) (?:your|this) (?:country|region|location)`,
				`user location is not supported`,
				`unsupported_country`,
				`service_disabled`,
				`has not been used in project`,
				`only available for`,
				`not included in your`,
				`permission (?:\S+ )?denied on`,
				`not enabled for`,
				`has not enabled`,
				`model_not_found`,
				`无权(?:访问|使用)`,
				`没有权限`,
				`无权限`,
			},
			says:   entitlement,
			reason: "the account may not use this, whatever the credential",
			source: "https://github.com/yym68686/uni-api/issues/41",
		},
		{
			any: []string{
				`(?:didnt|did not) (?:provide|pass|send|supply|include) (?:an? |any |the |your )?(?:valid )?(?:api|auth|access|token|` +
					`credential|bearer)`,
				`(?:no|missing|without)(?: a| an| any| the| valid| required| cookie| usable| stored)* (?:api[ _-]?key|auth credentials?|credentials?|` +
					`access token|bearer|authorization|authentication|x-api-key|token|auth)(?: header| token|` +
					` credentials?)*(?: (?:was|were|is|are|provided|passed|found|supplied|sent|in|available|or)|[.,:!]|$)`,
				`(?:api[ _-]?key|x-api-key|authorization|credentials?|authentication|bearer token|access token|refresh_token|` +
					`login)(?: header| token| credentials)? (?:(?:is|are|was|were) )?(?:required|missing|not (?:provided|found|set|configured|supplied))`,
				`missing required authentication`,
				`_(?:api_?key|secret_key|access_key|(?:auth|access|api)_token|secret) (?:(?:environment variable |env var )?(?:is |was )?` +
					`(?:not (?:set|configured|found|defined)|` +
					`missing|required|unset)|in (?:the |your )?environment)`,
				`credential refresh failed`,
				`missing (?:required )?environment variable:? \w+_key`,
				`please carry `,
				`failed to retrieve a token from`,
				`default credentials were not found`,
				`missing (?:required )?(?:parameter|field|value)s?:? (?:refresh_token|api_?key|access_token|client_id|authorization)`,
				`must provide (?:an )?api key`,
				`unregistered callers`,
				`unable to (?:locate|load|find) credentials`,
				`could not (?:load|find|resolve)(?: the)?(?: default)? (?:credentials|authentication)`,
				`failed to refresh cached credentials`,
				`no ec2 imds role`,
				`credentials_missing`,
				`api_key client option must be set`,
				`could not resolve authentication method`,
				`missing_(?:api_key|authorization|token|credentials)`,
				`not logged in`,
				`not_authed`,
				`^not authenticated$`,
			},
			says:   missing,
			reason: "nothing was sent, or nothing was found to send",
			source: "https://github.com/stackblitz-labs/bolt.diy/issues/156",
		},
		{
			any: []string{
				`未提供(?:令牌|密钥|api|token|认证)`,
				`缺少(?:令牌|密钥|api ?key|token|认证|authorization)`,
				`(?:未|没有)登录`,
			},
			says:   missing,
			reason: "relays in Chinese",
			source: "decision: auth-missing",
		},
		{
			any: []string{
				`(?:invalid|incorrect|wrong|bad|malformed|unrecognized|illegal)[ _](?:(?:or|` +
					`and) )?(?:\S+ (?:or )?)?(?:api[ _-]?keys?|x-api-key|apikey|bearer|auth(?:entication|orization)?|` +
					`credentials?|access[ _]token|token\b|security token|client[ _](?:id|secret)|client\b|username)`,
				`bad credentials`,
				`(?:api[ _-]?key|token|credential|authorization header)s?(?: \S+)?(?: provided)? (?:is |was |` +
					`are )?(?:not valid|invalid|incorrect|malformed|rejected|not recognized|wrong|unauthorized)`,
				`api_key_invalid`,
				`invalid_api_key`,
				`unrecognizedclient`,
				`security token included in the request is invalid`,
				`invalidsignature`,
				`request signature we calculated`,
				`authorization failed`,
				`authentication (?:failed|failure|error|fails|unsuccessful)`,
				`failed to authenticate`,
				`could not (?:authenticate|validate credentials)`,
				`cannot authenticate`,
				`authentication is (?:disabled|not (?:enabled|allowed|permitted))`,
				`not authenticated`,
				`authenticatetoken`,
				`user not found`,
				`invalid_client`,
				`unauthorized_client`,
				`mismatched_project`,
				`organization header should match`,
			},
			says:   rejected,
			reason: "the provider knows the credential and refuses it",
			source: "https://github.com/Arize-ai/openinference/issues/2358",
		},
		{
			any: []string{
				`insufficient[_ ](?:authentication )?(?:scopes?|permissions?)`,
				`missing scopes?`,
				`scope requirement`,
				`access_token_scope_insufficient`,
				`personal access tokens? (?:are|is) not supported`,
				`not accessible by (?:personal access token|integration)`,
				`oauth (?:authentication|tokens?|access)[^.]{0,40}not (?:allowed|supported|permitted)`,
				`(?:credential|token|key) is (?:only|not) (?:authorized|valid|allowed) for`,
				`api_key_(?:service|http_referrer|ip_address|android_app|ios_app)_blocked`,
				`api keys? (?:is|are) not supported by this api`,
				`ip (?:address )?(?:is )?not (?:allowed|authorized|whitelisted)`,
			},
			says:   rejected,
			reason: "the scope or the kind of the credential is refused",
			source: "https://github.com/anthropics/claude-code/issues/65714",
		},
		{
			any: []string{
				`(?:无效|非法|错误)的?(?:令牌|密钥|api ?key|token|apikey|身份)`,
				`(?:令牌|密钥|api ?key|身份|token|鉴权|认证|authorization)[^,。;]{0,8}(?:无效|错误|不正确|非法|验证失败|认证失败|校验失败|失败)`,
				`鉴权失败`,
				`认证失败`,
				`身份验证失败`,
			},
			says:   rejected,
			reason: "Zhipu 1000 to 1004 and relays in Chinese",
			source: "https://docs.bigmodel.cn/cn/faq/api-code",
		},
		{
			any: []string{
				`please (?:run )?/?log ?in`,
				`login required`,
			},
			says:   missing,
			reason: "a client that found nothing says what to do; what was wrong with something was read before",
			source: "https://github.com/anthropics/claude-code/issues/9635",
		},
		{
			any: []string{
				`\bunauthorized\b`,
				`\bunauthenticated\b`,
				`authentication_error`,
			},
			says:    rejected,
			reason:  "said without a reason; the wordings above are more precise",
			source:  "decision: auth-rejected",
			general: true,
		},
	})
})
