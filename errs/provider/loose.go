package provider

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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

// member reads the value of a member. In what Go prints of structs and maps, and Java of objects, it has no quotes, and ends
// before the next name.
func (l *loose) member(depth int, name *node, isMap bool) node {
	separator := l.in[l.at-1]
	printed := l.at < len(l.in) && name.kind == nodeWord && isGoName(name.text, isMap || separator == '=')
	if !printed || strings.IndexByte(`"'`+"`{[(&<>\t\r\n", l.in[l.at]) >= 0 || strings.HasPrefix(l.in[l.at:], "map[") ||
		separator == '=' && l.in[l.at] == ' ' {
		return l.value(depth + 1)
	}
	l.nodes++
	start, word := l.at, l.at
	for ; l.at < len(l.in); l.at++ {
		switch c := l.in[l.at]; {
		case c == ' ':
			word = l.at + 1
		case c == '}', c == ']':
			return printedNode(l.in[start:l.at])
		case c == separator && word > start && isGoName(l.in[word:l.at], isMap || separator == '='):
			l.at = word
			return printedNode(l.in[start:word])
		}
	}
	return printedNode(l.in[start:])
}

// printedNode is a value that was printed without quotes: a word if it is a number, or else a string.
func printedNode(text string) node {
	text = strings.TrimRight(strings.TrimSpace(text), ",")
	if strings.Trim(text, "0123456789.-") == "" {
		return node{text: text}
	}
	return node{kind: nodeString, text: text}
}

// isGoName reports whether a word is the name of a field, or a key of a map.
func isGoName(word string, isMap bool) bool {
	for i := range len(word) {
		if c := word[i]; !isLower(lower(c)) && c != '_' && (i == 0 || !isDigit(c)) {
			return false
		}
	}
	return word != "" && (isMap || word[0] >= 'A' && word[0] <= 'Z')
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
	if rest.at+1 >= len(l.in) || l.in[rest.at] != l.in[l.at] || !isLower(l.in[rest.at+1]|0x20) {
		return false
	}
	l.at = brace
	return true
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
	for l.at < len(l.in) && l.in[l.at] != quote {
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

// unescape undoes one level of backslashes.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n', 'r':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'u':
			r, n := codePoint(s[i+1:])
			b = utf8.AppendRune(b, r)
			i += n
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}

// codePoint reads the hexadecimal digits of a \u escape, and a second one where they are half of a pair.
func codePoint(s string) (r rune, n int) {
	r, ok := hex4(s)
	if !ok {
		return utf8.RuneError, 0
	}
	if utf16.IsSurrogate(r) && len(s) >= 10 && s[4] == '\\' && s[5] == 'u' {
		if low, ok := hex4(s[6:]); ok {
			return utf16.DecodeRune(r, low), 10
		}
	}
	return r, 4
}

func hex4(s string) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for i := range 4 {
		c := s[i] | 0x20
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
