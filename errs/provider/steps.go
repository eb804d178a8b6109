package provider

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/remedyrpc/remedy/errs"
)

func (v *view) pairing() (verdict, bool) {
	ok := pairingRules().matches(v.text) && !pairingVetoes().matches(v.text)
	return verdict{kind: KindToolPairing}, ok
}

// context never believes a status that means a limit or a credential. Where a client wrote the status into its text, it
// hides no cause that names the window.
func (v *view) context() (verdict, bool) {
	ok := saysContextExceeded(v.text)
	switch v.status {
	case 401, 402, 403, 429, 503, 529:
		return verdict{kind: KindContextExceeded}, ok && v.written && contextRules().matches(v.text)
	}
	for _, name := range v.names() {
		ok = ok || contextCode(strings.ToLower(name))
	}
	return verdict{kind: KindContextExceeded}, ok
}

// tooLongCode finds the codes that name what is too long.
var tooLongCode = regexp.MustCompile(`(?:prompt|input|context|tokens?)(?:_\w+)?_too_(?:long|large|many)`)

// contextCode reports whether a code says by itself that the window was exceeded.
func contextCode(code string) bool {
	switch code {
	case "tokens_limit_reached", "message_length_exceeds_limit":
		return true
	default:
		return contextRules().matches(code) || tooLongCode.MatchString(code)
	}
}

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

func quotaIsRate(text string) bool {
	found, ok := quotaRules().find(text)
	return ok && found.says.limit == errs.LimitRate
}

// money finds a spent quota in a text.
func (v *view) money() (verdict, bool) {
	if v.spentQuota() {
		return verdict{limit: errs.LimitQuota, retry: retryNo, endless: true}, true
	}
	if len(v.quotas) > 0 || v.points(dashscopeThrottle) {
		return verdict{}, false
	}
	found, ok := quotaRules().find(v.text)
	return found.says, ok && (found.says.limit == errs.LimitQuota || found.says.limit == "")
}

// points reports whether a text links to a place, which folding leaves out.
func (v *view) points(place string) bool {
	return slices.ContainsFunc(v.texts, func(text string) bool { return strings.Contains(text, place) })
}

// spentQuota reports whether one of Google's quotas is zero: the plan has none of it.
func (v *view) spentQuota() bool {
	for _, q := range v.quotas {
		if q.value == "0" {
			return true
		}
	}
	return false
}

// credential finds the failure of a credential in a text, a code or a challenge. A limit has other words.
func (v *view) credential() (verdict, bool) {
	if !v.failure.Token {
		switch v.status {
		case 402, 429, 529:
			return verdict{}, false
		}
	}
	said, ok := authRules().find(v.text)
	if v.status == 503 && !v.failure.Token { // of a proxy that found no key to send
		return said.says, ok && said.says.auth == errs.AuthMissing && !v.isTransient()
	}
	coded, known := v.codeOf(codeRules())
	known = known && coded.auth != ""
	if ok && !said.general && !(known && said.says.auth == errs.AuthRejected && coded.auth != errs.AuthRejected) {
		return said.says, true
	}
	if known { // a code that says expired or revoked is more precise than a text that says invalid
		return coded, true
	}
	if challenged, known := v.challenge(); known {
		return challenged, true
	}
	return said.says, ok && v.status <= 403
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

// quota finds rates with their window, quotas by their code, and the windows of plans in headers.
func (v *view) quota() (verdict, bool) {
	if len(v.quotas) > 0 || v.points(dashscopeThrottle) {
		return verdict{limit: errs.LimitRate, retry: retryYes}, true
	}
	if found, ok := v.headerLimit(); ok {
		return found, true
	}
	found, ok := quotaRules().find(v.text)
	coded, known := v.codeOf(codeRules())
	switch {
	case !ok:
		return coded, known && coded.limit == errs.LimitQuota
	case overloadRules().matches(v.text) && !strings.Contains(v.text, "rate"):
		return verdict{}, false
	case v.tooLarge():
		return verdict{limit: errs.LimitRate, retry: retryNo}, true
	case known && coded.limit == found.says.limit && coded.window != "":
		return coded, true
	default:
		return found.says, true
	}
}

// bucketSize finds the size of a bucket and of the request that does not fit into it.
var bucketSize = regexp.MustCompile(`limit:? ([\d,]+), ?(?:used:? [\d,]+, ?)?requested:? ([\d,]+)`)

// tooLarge reports whether a single request is larger than a whole bucket, so that no wait helps.
func (v *view) tooLarge() bool {
	found := bucketSize.FindStringSubmatch(v.text)
	if found == nil {
		return strings.Contains(v.text, "request too large")
	}
	size, err1 := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
	request, err2 := strconv.ParseFloat(strings.ReplaceAll(found[2], ",", ""), 64)
	return err1 == nil && err2 == nil && request > size
}

func (v *view) overload() (verdict, bool) {
	if v.status >= 520 && v.status <= 527 { // of Cloudflare, which lists overload among what may be the cause
		return verdict{}, false
	}
	if coded, known := v.codeOf(codeRules()); known && coded.limit == errs.LimitOverload {
		return coded, true
	}
	found, ok := overloadRules().find(v.text)
	return found.says, ok
}

func (v *view) rate() (verdict, bool) {
	found, ok := rateRules().find(v.text)
	if coded, known := v.codeOf(codeRules()); known && coded.limit == errs.LimitRate {
		return coded, true
	}
	return found.says, ok
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

// transport reads how the connection failed, where no status tells more.
func (v *view) transport() (verdict, bool) {
	if v.status != 0 {
		return verdict{}, false
	}
	if found, ok := transportOf(v.failure.Err); ok {
		return found, true
	}
	said := strings.ToLower(strings.Join(v.names(), " ")) + "\n" + v.text // Node and Bun name them by code
	if found, ok := socketRules().find(said); ok {
		return found.says, true
	}
	found, ok := abortRules().find(v.text)
	return found.says, ok
}

func (v *view) generic() (verdict, bool) {
	if v.failure.InStream && v.text == "" {
		return verdict{retry: retryYes}, true // a stream that was cut
	}
	if found, ok := genericRules().find(v.text); ok {
		return found.says, true
	}
	return v.codeOf(genericCodes())
}
