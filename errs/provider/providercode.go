package provider

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// maxCode bounds a code of a provider: some put a sentence there.
const maxCode = 128

// awsException finds the name of an exception of AWS in a text, and not those that clients name after a provider.
var awsException = regexp.MustCompile(`\b(?:(?i:Throttling|Validation|AccessDenied|ModelTimeout|ModelError|ModelNotReady|` +
	`ModelStreamError|ServiceUnavailable|InternalServer|ServiceQuotaExceeded|ResourceNotFound|Conflict|UnrecognizedClient|` +
	`ExpiredToken|InvalidSignature|MissingAuthenticationToken|IncompleteSignature)Exception)\b|` +
	`\bInvalidClientTokenId\b|\bUnauthorizedSSOTokenError\b`)

// textNames find the names that clients write into their texts.
var textNames = sync.OnceValue(func() []wording {
	return []wording{
		// an error where the SDKs of AWS put it
		named(`\b(?:An error occurred \(|api error )(\w{3,64})(?:\) when calling|:)`),
		// the errors of RFC 6749 and RFC 6750
		named(`\b(invalid_grant|invalid_client|unauthorized_client|unsupported_grant_type|invalid_scope|invalid_token|insufficient_scope)\b`),
		// Node and undici, of connections that failed
		named(`\b(ECONN(?:RESET|REFUSED|ABORTED)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|E(?:NET|HOST)UNREACH|UND_ERR_[A-Z_]+)\b`),
		// the members of an error that a client printed one by one
		named(`\b(?:[Ee]rror[ _]?)?[Cc]ode['"]?(?:: ?| ?= ?)['"]?([A-Za-z]+(?:_[A-Za-z]+)+)\b`),
		named(`\b(?:[Ee]rror[ _]?)?[Tt]ype['"]?(?:: ?| ?= ?)['"]?([A-Za-z]+(?:_[A-Za-z]+)+)\b`),
	}
})

func named(pattern string) wording {
	return wording{needle: needleOf(pattern), re: regexp.MustCompile(pattern)}
}

// googleStatus finds a canonical status of google.rpc in a text.
var googleStatus = regexp.MustCompile(`\b(?:INVALID_ARGUMENT|FAILED_PRECONDITION|OUT_OF_RANGE|UNAUTHENTICATED|PERMISSION_DENIED|` +
	`NOT_FOUND|ALREADY_EXISTS|RESOURCE_EXHAUSTED|CANCELLED|DATA_LOSS|INTERNAL|UNIMPLEMENTED|UNAVAILABLE|DEADLINE_EXCEEDED)\b`)

// providerCode is the provider's own code, in the order that DECISIONS.md calls code-order.
func (v *view) providerCode() string {
	for _, l := range v.layers {
		for _, name := range []string{l.code, l.kind, l.reason, l.status} {
			if name != "" && !isPhrase(name) {
				return head(name, maxCode)
			}
		}
	}
	for _, l := range v.layers {
		if l.exception != "" {
			return head(l.exception, maxCode)
		}
	}
	if name := v.headerException(); name != "" {
		return head(name, maxCode)
	}
	if name := v.textException(); name != "" {
		return name
	}
	return v.bedrockException()
}

// isPhrase reports whether a name is no more than an HTTP status: its phrase, or the number of a success.
func isPhrase(name string) bool {
	if name == "200" {
		return true
	}
	if !strings.Contains(name, " ") {
		return false
	}
	for status := 400; status < 600; status++ {
		if strings.EqualFold(name, http.StatusText(status)) {
			return true
		}
	}
	return false
}

// headerException is the name in x-amzn-errortype, without the address after it.
func (v *view) headerException() string {
	name, _, _ := strings.Cut(v.get("X-Amzn-Errortype"), ":")
	return strings.TrimSpace(name)
}

// textException is a name that a text carries in a form nobody else uses.
func (v *view) textException() string {
	for _, text := range v.texts {
		text = head(text, maxStatusWords)
		if name := awsException.FindString(text); name != "" {
			return name
		}
		if name := googleStatus.FindString(text); name != "" {
			return name
		}
		for _, name := range textNames() {
			if !name.needle.in(text) {
				continue
			}
			if found := name.re.FindStringSubmatch(text); found != nil {
				return found[1]
			}
		}
	}
	return ""
}
