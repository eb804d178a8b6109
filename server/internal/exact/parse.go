package exact

import (
	"strings"
	"unicode/utf8"
)

// Parse reads a JSON text (RFC 8259), all of it, in time linear in its length. It stops at the first fault.
func Parse(text string) (any, *Fault) {
	if len(text) > MaxBytes {
		return nil, tooLarge()
	}
	if !utf8.ValidString(text) {
		return nil, notUnicode()
	}
	p := parser{text: text}
	v, fault := p.value(0)
	if fault != nil {
		return nil, fault
	}
	p.space()
	if p.at < len(text) {
		return nil, syntax(p.at)
	}
	return v, nil
}

type parser struct {
	text   string
	at     int
	values int
}

// space skips the four characters that JSON calls white space.
func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// after skips white space and reports whether c follows, and takes it.
func (p *parser) after(c byte) bool {
	p.space()
	return p.next(c)
}

// next reports whether the next character is c, and takes it.
func (p *parser) next(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value(depth int) (any, *Fault) {
	p.values++
	if p.values > MaxValues {
		return nil, tooMany()
	}
	p.space()
	if p.at >= len(p.text) {
		return nil, syntax(p.at)
	}
	switch c := p.text[p.at]; {
	case c == '{':
		return p.object(depth + 1)
	case c == '[':
		return p.list(depth + 1)
	case c == '"':
		return p.string()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	default:
		return p.word()
	}
}

func (p *parser) word() (any, *Fault) {
	for _, word := range []struct {
		text  string
		value any
	}{{"true", true}, {"false", false}, {"null", nil}} {
		if strings.HasPrefix(p.text[p.at:], word.text) {
			p.at += len(word.text)
			return word.value, nil
		}
	}
	return nil, syntax(p.at)
}

func (p *parser) object(depth int) (any, *Fault) {
	if depth > MaxDepth {
		return nil, tooDeep()
	}
	p.at++
	object := make(map[string]any)
	if p.after('}') {
		return object, nil
	}
	for {
		p.space()
		if p.at >= len(p.text) || p.text[p.at] != '"' {
			return nil, syntax(p.at)
		}
		name, fault := p.string()
		if fault != nil {
			return nil, fault
		}
		if !p.after(':') {
			return nil, syntax(p.at)
		}
		if _, given := object[name]; given {
			return nil, twice().At(name)
		}
		v, fault := p.value(depth)
		if fault != nil {
			return nil, fault.At(name)
		}
		object[name] = v
		if p.after(',') {
			continue
		}
		if p.next('}') {
			return object, nil
		}
		return nil, syntax(p.at)
	}
}

func (p *parser) list(depth int) (any, *Fault) {
	if depth > MaxDepth {
		return nil, tooDeep()
	}
	p.at++
	list := []any{}
	if p.after(']') {
		return list, nil
	}
	for {
		v, fault := p.value(depth)
		if fault != nil {
			return nil, fault.At(index(len(list)))
		}
		list = append(list, v)
		if p.after(',') {
			continue
		}
		if p.next(']') {
			return list, nil
		}
		return nil, syntax(p.at)
	}
}

// number takes -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?.
func (p *parser) number() (any, *Fault) {
	begin := p.at
	p.next('-')
	if zero := p.at; !p.digits() || p.text[zero] == '0' && p.at > zero+1 {
		return nil, syntax(p.at)
	}
	if p.next('.') && !p.digits() {
		return nil, syntax(p.at)
	}
	if p.next('e') || p.next('E') {
		if !p.next('+') {
			p.next('-')
		}
		if !p.digits() {
			return nil, syntax(p.at)
		}
	}
	n, fault := number(p.text[begin:p.at])
	if fault != nil {
		return nil, fault
	}
	return n, nil
}

func (p *parser) digits() bool {
	begin := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at > begin
}
