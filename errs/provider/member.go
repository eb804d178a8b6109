package provider

import (
	"strings"
	"sync"
)

// role is what a member of an envelope is for; some are for several, depending on their value.
type role uint16

const (
	saysText    role = 1 << iota // a text for a reader
	namesCode                    // the code of the failure
	namesType                    // the type of the failure
	isStatus                     // a status of HTTP, where the value is one
	holds                        // other members
	details                      // a list of details
	isPart                       // a part of an answer that may say why it ended
	namesDelay                   // a wait or a reset
	isContent                    // what a model wrote, or was sent
	endsAnswer                   // why an answer ended
	wrapsText                    // a text inside which a failure may stand
	namesReason                  // a reason, of google.rpc if in capitals
)

// roles are the members of envelopes. Names are compared in lower case without underscores and hyphens, see nameOf.
var roles = sync.OnceValue(func() map[string]role {
	m := map[string]role{}
	add := func(r role, names string) {
		for name := range strings.FieldsSeq(names) {
			m[name] |= r
		}
	}
	add(saysText, "message msg detail details title errormsg errormessage errordescription statusmsg description error err hint "+
		"returnmsg errmsg usermessage userfacingmessage displaymessage")
	add(namesCode, "code errorcode errcode")
	add(namesType, "type errortype __type")
	add(isStatus, "httpcode httpstatus httpstatuscode statuscode status code errorcode")
	add(holds, "error errors err response body cause data metadata baseresp innererror innerexception raw value fault exception "+
		"upstreamerror providererror lasterror originalerror payload responsebody rawbody errorbody apierror")
	add(details, "detail details errordetails")
	add(isPart, "choices result message delta")
	add(namesDelay, "resetsinseconds resetsat retryafter retryafterms retryafterseconds retrydelay quotaresetdelay quotaresettimestamp "+
		"resetafterseconds resetinseconds estimatedtime resetat resettime retryafterinseconds resetseconds")
	add(isContent, "messages input prompt content failedgeneration tools output usage candidates role toolcalls flaggedinput")
	add(endsAnswer, "finishreason stopreason")
	add(wrapsText, "raw value body exception responsebody rawbody errorbody")
	add(namesReason, "reason")
	return m
})

// nameOf is the name of a member as roles have it.
func nameOf(name string) string {
	plain := true
	for i := range len(name) {
		if !isLower(name[i]) {
			plain = false
		}
	}
	if plain || name == "__type" {
		return name
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-':
			return -1
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		default:
			return r
		}
	}, name)
}

// is reports whether a role is among those of a member.
func (r role) is(other role) bool { return r&other != 0 }

func isNull(word string) bool {
	switch strings.ToLower(word) {
	case "null", "none", "nil", "<nil>", "undefined", "false", "true":
		return true
	default:
		return false
	}
}

// isHTTP reports whether a text is the status of an HTTP answer that failed, and nothing else.
func isHTTP(text string) bool {
	return len(text) == 3 && (text[0] == '4' || text[0] == '5') && isDigit(text[1]) && isDigit(text[2])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isConstant reports whether a text is a name in capitals, as google.rpc has them.
func isConstant(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < 'A' || c > 'Z') && c != '_' && !isDigit(c) {
			return false
		}
	}
	return len(text) > 1 && text[0] >= 'A' && text[0] <= 'Z'
}

// isName reports whether a text is a code such as invalid_grant: words in lower case with underscores between them.
func isName(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isLower(c) && c != '_' && !isDigit(c) {
			return false
		}
	}
	return strings.Contains(text, "_")
}

// typeOf leaves out types that say no more than that it is an error, and the address before those of AWS.
func typeOf(text string) string {
	if i := strings.LastIndexByte(text, '#'); i >= 0 {
		text = text[i+1:]
	}
	switch lower := strings.ToLower(text); {
	case lower == "error", lower == "message", lower == "about:blank", isNull(lower), isHTTP(lower),
		strings.HasPrefix(lower, "response."), strings.HasPrefix(lower, "content_block_"), strings.HasPrefix(lower, "message_st"),
		strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"):
		return ""
	default:
		return text
	}
}

// isFailure reports whether an answer that ended for a reason failed.
func isFailure(reason string) bool {
	return strings.Contains(reason, "context") || strings.Contains(reason, "error")
}
