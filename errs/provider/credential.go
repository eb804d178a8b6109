package provider

import (
	"strings"

	"github.com/remedyrpc/remedy/errs"
)

// credential finds the failure of a credential in a text, a code or a challenge. A limit has other words, and so has a server
// that is not available; only a proxy that found no key to send says 503.
func (v *view) credential() (verdict, bool) {
	said, ok := authRules().find(v.text)
	if !v.failure.Token {
		switch v.status {
		case 402, 429, 529:
			return verdict{}, false
		case 503:
			return said.says, ok && said.says.auth == errs.AuthMissing && !v.isTransient()
		}
	}
	coded, known := v.codeOf(codeRules())
	challenged, asked := v.challenge()
	switch known = known && coded.auth != ""; {
	case ok && !said.general && (!known || !isMorePrecise(coded.auth, said.says.auth)):
		return said.says, true
	case known:
		return coded, true
	case asked:
		return challenged, true
	default:
		return said.says, ok && v.status <= 403
	}
}

// isMorePrecise reports whether a code says more of a credential than a text, which may only call it invalid.
func isMorePrecise(code, text errs.AuthKind) bool {
	return text == errs.AuthRejected && code != errs.AuthRejected
}

// challenge reads WWW-Authenticate, as RFC 6750 and the authorization of MCP have it.
func (v *view) challenge() (verdict, bool) {
	switch header := v.get("Www-Authenticate"); {
	case strings.Contains(header, "invalid_token"):
		return verdict{auth: errs.AuthExpired}, true
	case strings.Contains(header, "insufficient_scope"):
		return verdict{auth: errs.AuthRejected}, true
	case v.status == 401 && isChallenge(header) && v.source() == errs.AuthMCP:
		return verdict{auth: errs.AuthMissing}, true // the first answer of a server that wants a sign-in
	default:
		return verdict{}, false
	}
}

// isChallenge reports whether a WWW-Authenticate header asks for a token without complaining of one.
func isChallenge(header string) bool {
	return len(header) >= len("bearer") && strings.EqualFold(header[:len("bearer")], "bearer") && !strings.Contains(header, "error=")
}

// rejection is a 401 without a word about money or a rate.
func (v *view) rejection() (verdict, bool) {
	if v.status != 401 || quotaRules().matches(v.text) || overloadRules().matches(v.text) {
		return verdict{}, false
	}
	if found, ok := authRules().find(v.text); ok && found.says.auth == "" {
		return found.says, true
	}
	return verdict{auth: errs.AuthRejected}, true
}
