package provider

import (
	"strings"

	"github.com/remedyrpc/remedy/errs"
)

// proxy is a proxy on the way that wants a credential of its own.
func (v *view) proxy() (verdict, bool) {
	return verdict{retry: retryNo}, v.status == 407 || v.status == 0 && strings.Contains(v.text, "proxy authentication required")
}

// byStatus is what an HTTP status means where nothing was said. Texts come first, for a status is often that of a proxy.
func (v *view) byStatus() (verdict, bool) {
	switch s := v.status; {
	case s == 401:
		return verdict{auth: errs.AuthRejected}, true
	case s == 402:
		return verdict{limit: errs.LimitQuota, retry: retryNo}, true
	case s == 408, s == 409, s == 425: // the SDKs of OpenAI and Anthropic retry a conflict too: it is a lock that was held
		return verdict{retry: retryYes}, true
	case s == 429:
		return verdict{limit: errs.LimitRate, retry: retryYes}, true
	case s == 498, s == 529: // of Groq and of Anthropic
		return verdict{limit: errs.LimitOverload, retry: retryYes}, true
	case s == 424, s == 499: // what it depended on failed, or who asked was gone
		return verdict{}, true
	case s == 501, s == 505:
		return verdict{retry: retryNo}, true
	case s >= 500 && s < 600:
		if said, ok := v.codeOf(genericCodes()); ok && said.retry == retryNo {
			return verdict{}, true // a fault of the server that is one of the request: contradictory
		}
		return verdict{retry: retryYes}, true
	case s >= 400 && s < 500:
		return verdict{retry: retryNo}, true
	default:
		return verdict{}, false
	}
}
