package provider

import "strings"

const (
	maxDepth = 24
	maxNodes = 4096
)

type nodeKind int8

const (
	nodeWord   nodeKind = iota // a number, a constant or a bare word
	nodeString                 // a quoted string, unescaped
	nodeList
	nodeObject
)

// node is a value of a body.
type node struct {
	kind   nodeKind
	text   string
	items  []node
	fields []field
	// cut says that the input ended inside a string, so that it is no name.
	cut bool
}

type field struct {
	name  string
	value node
}

// loose reads values as JSON, Python, Rust or JavaScript print them, invalid and cut ones too. It never fails, goes over
// its input once, and keeps a bounded number of values.
type loose struct {
	in    string
	at    int
	nodes int
}

// value reads the value at the position, and consumes at least one byte where there is one.
func (l *loose) value(depth int) node {
	l.blank()
	if l.at >= len(l.in) {
		return node{}
	}
	l.nodes++
	switch c := l.in[l.at]; {
	case (c == '{' || c == '[' && strings.HasSuffix(l.in[:l.at], "map")) && depth < maxDepth:
		return l.object(depth)
	case (c == '[' || c == '(') && depth < maxDepth:
		return l.list(depth)
	case c == '"' || c == '\'':
		if depth < maxDepth && l.unescaped() {
			return l.object(depth)
		}
		return l.quoted()
	default:
		return l.word(depth)
	}
}

func (l *loose) object(depth int) node {
	n := node{kind: nodeObject}
	isMap := l.in[l.at] == '['
	for l.at++; l.at < len(l.in); {
		l.blank()
		if l.at >= len(l.in) || l.closes() {
			break
		}
		name := l.value(maxDepth) // a name is no container
		if !l.takes(':', '=') {
			continue
		}
		value := l.member(depth, &name, isMap)
		if name.text != "" && l.nodes < maxNodes {
			n.fields = append(n.fields, field{name: name.text, value: value})
		}
	}
	return n
}

func (l *loose) list(depth int) node {
	n := node{kind: nodeList}
	for l.at++; l.at < len(l.in); {
		l.blank()
		if l.at >= len(l.in) || l.closes() {
			break
		}
		if value := l.value(depth + 1); l.nodes < maxNodes {
			n.items = append(n.items, value)
		}
	}
	return n
}

// closes consumes the end of a container, of whatever kind.
func (l *loose) closes() bool {
	switch l.in[l.at] {
	case '}', ']', ')':
		l.at++
		return true
	default:
		return false
	}
}

// takes consumes one of two bytes after blanks, if it is there.
func (l *loose) takes(a, b byte) bool {
	for l.at < len(l.in) && l.in[l.at] <= ' ' {
		l.at++
	}
	if l.at < len(l.in) && (l.in[l.at] == a || l.in[l.at] == b) {
		l.at++
		if l.at < len(l.in) && l.in[l.at-1] == '=' && l.in[l.at] == '>' { // of Ruby and Elixir
			l.at++
		}
		return true
	}
	return false
}

// blank skips what separates values, escapes of blanks among them.
func (l *loose) blank() {
	for l.at < len(l.in) {
		switch c := l.in[l.at]; {
		case c <= ' ', c == ',', c == ';':
			l.at++
		case c == '\\' && l.at+1 < len(l.in) && (l.in[l.at+1] == 'n' || l.in[l.at+1] == 'r' || l.in[l.at+1] == 't'):
			l.at += 2
		default:
			return
		}
	}
}

// unescaped reports whether a quote opens an object that somebody put into a string without escaping its quotes, and goes to
// its brace.
func (l *loose) unescaped() bool {
	rest := loose{in: l.in, at: l.at + 1}
	rest.blank()
	brace := rest.at
	if brace >= len(l.in) || l.in[brace] != '{' {
		return false
	}
	rest.at++
	rest.blank()
	if rest.at+1 >= len(l.in) || l.in[rest.at] != l.in[l.at] || !isLower(l.in[rest.at+1]|0x20) || rest.endsEscaped() {
		return false
	}
	l.at = brace
	return true
}

// endsEscaped reports whether the name that a quote at the position opens ends with an escaped quote: whoever put the object
// into a string left out some of its escapes.
func (l *loose) endsEscaped() bool {
	name := head(l.in[l.at+1:], maxCode)
	i := strings.IndexByte(name, l.in[l.at])
	return i > 0 && name[i-1] == '\\'
}

// word reads a bare word. One that names a container, such as Some(…) or ApiError { … }, is that container; a list of one
// is its item, and the b of a Python string is dropped.
func (l *loose) word(depth int) node {
	start := l.at
	for l.at < len(l.in) && !strings.ContainsRune(",;:={}[]()\"' \t\r\n", rune(l.in[l.at])) {
		l.at++
	}
	if l.at == start {
		l.at++ // a stray byte
		return node{text: l.in[start:l.at]}
	}
	word := l.in[start:l.at]
	if n, ok := l.named(len(word), depth); ok {
		return n
	}
	return node{text: word}
}

// named reads the container or the string that a word of a length is the name of.
func (l *loose) named(length, depth int) (node, bool) {
	next := l.at
	for next < len(l.in) && l.in[next] == ' ' {
		next++
	}
	switch {
	case next == len(l.in) || depth >= maxDepth:
		return node{}, false
	case l.in[next] == '{', l.in[next] == '[' && l.in[next-1] == 'p' && strings.HasSuffix(l.in[:next], "map"):
		l.at = next
		return l.object(depth), true
	case next > l.at:
		return node{}, false
	case l.in[next] == '(':
		n := l.list(depth)
		if len(n.items) == 1 {
			return n.items[0], true
		}
		return n, true
	case length == 1 && (l.in[next] == '"' || l.in[next] == '\''):
		return l.quoted(), true
	default:
		return node{}, false
	}
}

// quoted reads a string in quotes, to the end of the input where they are not closed.
func (l *loose) quoted() node {
	quote := l.in[l.at]
	l.at++
	start := l.at
	for l.at < len(l.in) && (l.in[l.at] != quote || l.opensName()) {
		if l.in[l.at] == '\\' {
			l.at++
		}
		l.at++
	}
	l.at = min(l.at, len(l.in))
	s := l.in[start:l.at]
	cut := l.at == len(l.in)
	if !cut {
		l.at++
	}
	return node{kind: nodeString, text: unescape(s), cut: cut}
}

// opensName reports whether a quote opens the name of a member with its end escaped, so that it does not end a string.
func (l *loose) opensName() bool {
	return l.in[l.at-1] == '{' && l.endsEscaped()
}
