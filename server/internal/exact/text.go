package exact

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// string takes a string with its quotation marks. The text is known to be valid UTF-8.
func (p *parser) string() (string, *Fault) {
	p.at++
	begin := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return p.text[begin : p.at-1], nil
		case c == '\\':
			return p.escaped(begin)
		case c < ' ':
			return "", syntax(p.at)
		}
		p.at++
	}
	return "", syntax(p.at)
}

// escaped goes on with a string in which the first escape has been seen.
func (p *parser) escaped(begin int) (string, *Fault) {
	var b strings.Builder
	b.WriteString(p.text[begin:p.at])
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case c == '"':
			p.at++
			return b.String(), nil
		case c < ' ':
			return "", syntax(p.at)
		case c != '\\':
			b.WriteByte(c)
			p.at++
			continue
		}
		r, fault := p.escape()
		if fault != nil {
			return "", fault
		}
		b.WriteRune(r)
	}
	return "", syntax(p.at)
}

// escape takes one escape, or the two of a surrogate pair.
func (p *parser) escape() (rune, *Fault) {
	const short = "\"\\/bfnrt"
	const meaning = "\"\\/\b\f\n\r\t"
	if p.at+1 >= len(p.text) {
		return 0, syntax(p.at)
	}
	c := p.text[p.at+1]
	if i := strings.IndexByte(short, c); i >= 0 {
		p.at += 2
		return rune(meaning[i]), nil
	}
	first, ok := p.unit()
	if !ok {
		return 0, syntax(p.at)
	}
	if !utf16.IsSurrogate(first) {
		return first, nil
	}
	if second, ok := p.unit(); ok {
		if r := utf16.DecodeRune(first, second); r != '\uFFFD' {
			return r, nil
		}
	}
	return 0, notUnicode()
}

// unit takes one \uXXXX.
func (p *parser) unit() (rune, bool) {
	const size = len(`\uXXXX`)
	if p.at+size > len(p.text) || p.text[p.at] != '\\' || p.text[p.at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[p.at+2:p.at+size], 16, 16)
	if err != nil {
		return 0, false
	}
	p.at += size
	return rune(n), true
}
