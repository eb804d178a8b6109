package provider

import (
	"net/http"
	"strconv"
	"strings"
)

// What the members of envelopes mean. Names are compared in lower case without underscores and hyphens.
var (
	textMembers      = set("message msg detail details title errormsg errormessage errordescription statusmsg description error err hint " +
		"returnmsg errmsg userfacingmessage")
	codeMembers      = set("code errorcode errcode")
	typeMembers      = set("type errortype")
	httpMembers      = set("httpcode httpstatus httpstatuscode statuscode status code")
	containerMembers = set("error errors err response body cause data detail details metadata baseresp innererror innerexception raw value " +
		"fault exception upstreamerror providererror lasterror originalerror result message choices errordetails lasterror payload")
	delayMembers = set("resetsinseconds resetsat retryafter retryafterms retryafterseconds retrydelay quotaresetdelay quotaresettimestamp " +
		"resetafterseconds resetinseconds estimatedtime resetat resettime retryafterinseconds")
	callerMembers = set("messages input prompt content failedgeneration tools output usage candidates role toolcalls")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		m[word] = true
	}
	return m
}

// nameOf is a member's name as the sets above have it.
func nameOf(name string) string {
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

// value reads a value, and reports whether it was an envelope of a failure.
func (v *view) value(n *node, level int) bool {
	switch n.kind {
	case nodeObject:
		return v.object(n, level)
	case nodeList:
		found := false
		for i := range n.items {
			if n.items[i].kind != nodeWord && n.items[i].kind != nodeString {
				found = v.value(&n.items[i], level) || found
			}
		}
		return found
	default:
		return false
	}
}

// object reads an error object: those inside it first, for they are more precise, then its own members.
func (v *view) object(n *node, level int) bool {
	own := len(v.layers)
	v.layers = append(v.layers, layer{})
	if n.member("@type") != "" { // a detail of google.rpc that a client printed without its error
		v.google(own, n)
		return true
	}
	found, inner := false, false
	for i := range n.fields {
		name, value := nameOf(n.fields[i].name), &n.fields[i].value
		switch {
		case callerMembers[name] && !(name == "content" && level > 0):
		case name == "headers" && value.kind == nodeObject:
			v.headers(value)
		case value.kind == nodeObject || value.kind == nodeList:
			ok := v.container(own, n.fields[i].name, value, level)
			found, inner = found || ok, inner || ok
		case v.scalar(&v.layers[own], name, value, level):
			found = true
		}
	}
	if inner { // its type is that of the event or of the answer
		v.layers[own].kind = ""
	}
	if !found {
		v.layers = v.layers[:own]
	}
	return found
}

// container reads a member that holds others.
func (v *view) container(own int, spelled string, value *node, level int) bool {
	name := nameOf(spelled)
	switch {
	case strings.HasSuffix(name, "exception") && name != "exception":
		v.layers = append(v.layers, layer{exception: spelled})
		v.value(value, level)
		return true
	case name == "details" || name == "detail" || name == "errordetails":
		return v.details(own, value, level)
	case name == "choices" || name == "result" || name == "message" || name == "delta":
		return v.choices(value, level)
	case containerMembers[name]:
		return v.value(value, level)
	case level == 0 && value.kind == nodeObject && len(v.layers) < maxLevels:
		return v.value(value, level+1) // an unknown wrapper
	default:
		return false
	}
}

// choices reads the parts of an answer that say why it ended, and nothing of what a model wrote.
func (v *view) choices(n *node, level int) bool {
	found := false
	for i := range n.items {
		found = v.choices(&n.items[i], level) || found
	}
	for i := range n.fields {
		switch name := nameOf(n.fields[i].name); name {
		case "error":
			found = v.value(&node{kind: nodeObject, fields: n.fields[i : i+1]}, level) || found
		case "finishreason", "stopreason":
			if reason := n.fields[i].value.text; isFailure(reason) {
				v.add(name + ": " + reason)
				found = true
			}
		}
	}
	return found
}

// isFailure reports whether an answer that ended for a reason failed.
func isFailure(reason string) bool {
	return strings.Contains(reason, "context") || strings.Contains(reason, "error")
}

// details reads a list of details: strings, validation errors, or the messages of google.rpc.
func (v *view) details(own int, n *node, level int) bool {
	if n.kind == nodeObject {
		return v.value(n, level)
	}
	found := false
	for i := range n.items {
		item := &n.items[i]
		switch {
		case item.kind == nodeString:
			v.say(item.text, level+1)
			found = true
		case item.kind == nodeObject && item.member("@type") != "":
			v.google(own, item)
			found = true
		case item.kind == nodeObject:
			v.add(item.member("msg"))
			v.add(item.member("message"))
			found = true
		}
	}
	return found
}

// holdsObject reports whether a value is an object with members, or a list of one.
func (n *node) holdsObject() bool {
	return len(n.fields) > 0 || len(n.items) > 0 && n.items[0].holdsObject()
}

// isAnswer reports whether an object is part of what a model wrote, or of what it was sent.
func (n *node) isAnswer() bool {
	for i := range n.fields {
		if name := nameOf(n.fields[i].name); name == "choices" || callerMembers[name] {
			return true
		}
		if n.fields[i].value.member("role") != "" {
			return true
		}
	}
	return len(n.items) > 0 && n.items[0].isAnswer()
}

// member returns the text of a member; empty where there is none.
func (n *node) member(name string) string {
	for i := range n.fields {
		if n.fields[i].name == name {
			return n.fields[i].value.text
		}
	}
	return ""
}

// scalar reads a member that holds a text or a number, and reports whether it tells of a failure.
func (v *view) scalar(l *layer, name string, value *node, level int) bool {
	text := strings.TrimSpace(value.text)
	if text == "" || value.kind == nodeWord && isNull(text) {
		return false
	}
	number := value.kind == nodeWord
	if httpMembers[name] && isHTTP(text) {
		v.status = max(v.status, 0)
		if v.status == 0 {
			v.status, _ = strconv.Atoi(text) //nolint:errcheck // it is a number, as isHTTP says
		}
		return name == "code" || name == "status"
	}
	switch {
	case delayMembers[name]:
		v.delays = append(v.delays, member{name: name, value: text})
		return false
	case name == "status" && isConstant(text):
		l.status = text
	case name == "reason" && isConstant(text):
		l.reason = text
	case codeMembers[name], name == "statuscode" && number:
		if !number || text != "0" {
			l.code = text
		}
	case typeMembers[name] && !number:
		l.kind = typeOf(text)
		return l.kind != ""
	case name == "type", name == "__type":
		return false
	case name == "error" && isName(text):
		l.code = text
		v.add(text)
	case textMembers[name] && !number, name == "raw", name == "value", name == "body", name == "reason", name == "exception":
		v.say(text, level+1)
	case (name == "finishreason" || name == "stopreason") && isFailure(text):
		v.add(name + ": " + text)
	default:
		return false
	}
	return true
}

// typeOf leaves out types that say no more than that it is an error.
func typeOf(text string) string {
	if i := strings.LastIndexByte(text, '#'); i >= 0 {
		text = text[i+1:]
	}
	switch lower := strings.ToLower(text); {
	case lower == "error", lower == "none", lower == "null", lower == "message", strings.HasPrefix(lower, "response."),
		strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"), lower == "about:blank", isHTTP(lower):
		return ""
	default:
		return text
	}
}

func (v *view) headers(n *node) {
	for i := range n.fields {
		name, value := n.fields[i].name, n.fields[i].value
		if name == ":exception-type" {
			v.layers = append(v.layers, layer{exception: value.text})
			continue
		}
		if value.kind == nodeList && len(value.items) > 0 {
			value = value.items[0]
		}
		v.header.Set(http.CanonicalHeaderKey(name), value.text)
	}
}

func isNull(word string) bool {
	switch word {
	case "null", "None", "none", "nil", "undefined", "false", "False", "true", "True":
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
