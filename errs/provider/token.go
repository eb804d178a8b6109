package provider

import (
	"strings"

	"github.com/remedyrpc/remedy/errs"
)

// tokenEndpoint reads the failure of a sign-in or a refresh.
func (v *view) tokenEndpoint() (verdict, bool) {
	if !v.failure.Token {
		return verdict{}, false
	}
	said := func(kind errs.AuthKind) (verdict, bool) { return verdict{auth: kind}, true }
	found, credential := v.credential()
	switch {
	case v.status == 429, rateRules().matches(v.text), quotaIsRate(v.text):
		return said(errs.AuthBusy)
	case credential && found.auth != "" && v.status < 500:
		return found, true
	case v.unreachable() && madeUpStatus(v.text):
		return said(errs.AuthNetwork)
	case v.status >= 500, overloadRules().matches(v.text), v.isTransient():
		return said(errs.AuthBusy)
	case v.status == 404, v.status == 405, v.status == 410:
		return verdict{retry: retryNo}, true // a retired endpoint is no dead credential
	case v.status == 0 && v.unreachable():
		return said(errs.AuthNetwork)
	case v.status >= 400 && !v.html:
		return said(errs.AuthRejected)
	default:
		return verdict{}, false
	}
}

// isTransient reports whether the code is one of a fault of the server.
func (v *view) isTransient() bool {
	found, ok := v.codeOf(genericCodes())
	return ok && found.retry == retryYes
}

func (v *view) unreachable() bool {
	_, typed := transportOf(v.failure.Err)
	return typed || socketRules().matches(v.text)
}

// madeUpStatus reports whether a status is that of a library that got no answer, such as the 503 of gRPC whose plugin found
// no token.
func madeUpStatus(text string) bool {
	return strings.Contains(text, "metadata from plugin failed") || strings.Contains(text, "failed to establish a new connection")
}

func quotaIsRate(text string) bool {
	found, ok := quotaRules().find(text)
	return ok && found.says.limit == errs.LimitRate
}
