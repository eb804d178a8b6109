package provider

import (
	"strconv"
	"strings"
)

// value reads a value, and reports whether it was an envelope of a failure.
func (v *view) value(n *node, level int) bool {
	if n.kind == nodeObject {
		return v.object(n, level)
	}
	found := false
	for i := range n.items {
		if kind := n.items[i].kind; kind == nodeObject || kind == nodeList {
			found = v.value(&n.items[i], level) || found
		}
	}
	return found
}

// object reads an error object: its layer stands before those of the objects inside it.
func (v *view) object(n *node, level int) bool {
	own := len(v.layers)
	v.layers = append(v.layers, layer{})
	if n.member("@type") != "" { // a detail of google.rpc that a client printed without its error
		v.google(own, n)
		return true
	}
	found, inner := false, false
	for i := range n.fields {
		name, value := n.fields[i].name, &n.fields[i].value
		switch r := roles()[nameOf(name)]; {
		case r.is(isContent):
		case value.kind == nodeObject || value.kind == nodeList:
			ok := v.container(own, name, value, level)
			found, inner = found || ok, inner || ok
		case v.scalar(own, name, value, level):
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
func (v *view) container(own int, name string, value *node, level int) bool {
	switch r := roles()[nameOf(name)]; {
	case strings.HasSuffix(nameOf(name), "headers"):
		v.headers(value)
		return false
	case strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "exception") && !r.is(holds): // of AWS, around its message
		v.layers = append(v.layers, layer{exception: name})
		v.value(value, level)
		return true
	case r.is(details) && value.kind == nodeList:
		return v.details(own, value, level)
	case r.is(isPart):
		return v.part(value, level)
	case r.is(holds | details):
		return v.value(value, level)
	case level == 0 && value.kind == nodeObject: // an unknown wrapper
		return v.value(value, level+1)
	default:
		return false
	}
}

// part reads why an answer ended, and nothing of what a model wrote.
func (v *view) part(n *node, level int) bool {
	found := false
	for i := range n.items {
		found = v.part(&n.items[i], level) || found
	}
	for i := range n.fields {
		name, value := n.fields[i].name, &n.fields[i].value
		switch {
		case name == "error":
			found = v.object(&node{kind: nodeObject, fields: n.fields[i : i+1]}, level) || found
		case roles()[nameOf(name)].is(endsAnswer) && isFailure(value.text):
			v.add(name + ": " + value.text)
			found = true
		}
	}
	return found
}

// details reads a list of details: strings, validation errors, or the messages of google.rpc.
func (v *view) details(own int, n *node, level int) bool {
	for i := range n.items {
		switch item := &n.items[i]; {
		case item.kind == nodeString:
			v.say(item.text, level+1)
		case item.member("@type") != "":
			v.google(own, item)
		default:
			v.add(item.member("msg"))
			v.add(item.member("message"))
		}
	}
	return len(n.items) > 0
}

// scalar reads a member that holds a text or a number, and reports whether it tells of a failure.
func (v *view) scalar(own int, name string, value *node, level int) bool {
	r, text := roles()[nameOf(name)], value.said()
	number := value.kind == nodeWord
	switch {
	case text == "":
		return false
	case r.is(isStatus) && isHTTP(text):
		if v.status == 0 {
			v.status, _ = strconv.Atoi(text) // it is a number, as isHTTP says
		}
		return name == "code" || name == "status"
	case r.is(namesDelay):
		v.delays = append(v.delays, member{name: nameOf(name), value: text})
		return false
	case r.is(endsAnswer) && isFailure(text):
		v.add(name + ": " + text)
		return true
	case !value.cut && v.named(own, r, name, text, number):
		return true
	case r.is(saysText) && !number, r.is(wrapsText | namesReason):
		v.say(text, level+1)
		return true
	default:
		return false
	}
}

// said is the text of a string, or of a number that is not zero.
func (n *node) said() string {
	if n.kind == nodeWord && (isNull(n.text) || n.text == "0") {
		return ""
	}
	return strings.TrimSpace(n.text)
}

// named reads a member that names the failure, and reports whether it does.
func (v *view) named(own int, r role, name, text string, number bool) bool {
	l := &v.layers[own]
	switch {
	case name == "status" && isConstant(text):
		l.status = text
	case r.is(namesReason) && isConstant(text):
		l.reason = text
	case r.is(namesCode) && !isNull(text), r.is(isStatus) && number && name != "status":
		l.code = text
	case r.is(namesType) && !number && typeOf(text) != "":
		l.kind = typeOf(text)
	case name == "error" && isName(text):
		l.code = text
		v.add(text)
	default:
		return false
	}
	return true
}

func (v *view) headers(n *node) {
	for i := range n.fields {
		name, value := n.fields[i].name, n.fields[i].value
		if name == ":exception-type" {
			v.layers = append(v.layers, layer{exception: value.text})
			continue
		}
		if len(value.items) > 0 {
			value = value.items[0]
		}
		v.header.Set(name, value.text)
	}
}

// holdsObject reports whether a value is an object with members, or a list of one.
func (n *node) holdsObject() bool {
	return len(n.fields) > 0 || len(n.items) > 0 && n.items[0].holdsObject()
}

// isAnswer reports whether an object is part of what a model wrote, or of what it was sent.
func (n *node) isAnswer() bool {
	for i := range n.fields {
		name, value := n.fields[i].name, &n.fields[i].value
		if name == "choices" || roles()[nameOf(name)].is(isContent) || value.member("role") != "" {
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
