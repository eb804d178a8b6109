package provider

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// awsException finds the name of an exception of AWS in a text, and not those that clients name after a provider.
var awsException = regexp.MustCompile(`\b(?:(?i:Throttling|Validation|AccessDenied|ModelTimeout|ModelError|ModelNotReady|` +
	`ModelStreamError|ServiceUnavailable|InternalServer|ServiceQuotaExceeded|ResourceNotFound|Conflict|UnrecognizedClient|` +
	`ExpiredToken|InvalidSignature|MissingAuthenticationToken|IncompleteSignature)Exception)\b|` +
	`\bInvalidClientTokenId\b|\bUnauthorizedSSOTokenError\b`)

// textNames find the names that clients write into their texts.
var textNames = sync.OnceValue(func() []textName {
	return []textName{
		// an error where the SDKs of AWS put it
		printed(`\b(?:An error occurred \(|api error )(\w{3,64})(?:\) when calling|:)`),
		// the errors of RFC 6749 and RFC 6750
		named(`\b(invalid_grant|invalid_client|unauthorized_client|unsupported_grant_type|invalid_scope|invalid_token|insufficient_scope)\b`),
		// Node and undici, of connections that failed
		named(`\b(ECONN(?:RESET|REFUSED|ABORTED)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|E(?:NET|HOST)UNREACH|UND_ERR_[A-Z_]+)\b`),
		// the members of an error that a client printed one by one
		printed(`\b(?:[Ee]rror[ _]?)?[Cc]ode['"]?(?:: ?| ?= ?)['"]?([A-Za-z]+(?:_[A-Za-z]+)+)\b`),
		printed(`\b(?:[Ee]rror[ _]?)?[Tt]ype['"]?(?:: ?| ?= ?)['"]?([A-Za-z]+(?:_[A-Za-z]+)+)\b`),
	}
})

// textName finds names in a text.
type textName struct {
	wording
	// open says that any word may stand where it finds one.
	open bool
}

func named(pattern string) textName {
	return textName{wording: wording{needle: needleOf(pattern), re: regexp.MustCompile(pattern)}}
}

func printed(pattern string) textName {
	name := named(pattern)
	name.open = true
	return name
}

// googleStatus finds a canonical status of google.rpc in a text.
var googleStatus = regexp.MustCompile(`\b(?:INVALID_ARGUMENT|FAILED_PRECONDITION|OUT_OF_RANGE|UNAUTHENTICATED|PERMISSION_DENIED|` +
	`NOT_FOUND|ALREADY_EXISTS|RESOURCE_EXHAUSTED|CANCELLED|DATA_LOSS|INTERNAL|UNIMPLEMENTED|UNAVAILABLE|DEADLINE_EXCEEDED)\b`)

// providerCode is the provider's own code, in the order that DECISIONS.md calls code-order.
func (v *view) providerCode() string {
	for _, l := range v.layers {
		for _, name := range []string{l.code, l.kind, l.reason, l.status} {
			if name = codeName(name); name != "" && !isPhrase(name) {
				return name
			}
		}
	}
	for _, l := range v.layers {
		if name := codeName(l.exception); name != "" {
			return name
		}
	}
	if name := codeName(v.headerException()); name != "" {
		return name
	}
	if name := codeName(v.textException()); name != "" {
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

// maxNames is how many words of a text are asked for a name.
const maxNames = 8

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
			for _, found := range name.re.FindAllStringSubmatch(text, maxNames) {
				if !name.open || isKnownName(found[1]) {
					return found[1]
				}
			}
		}
	}
	return ""
}
