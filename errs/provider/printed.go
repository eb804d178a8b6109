package provider

import "strings"

// member reads the value of a member. In what Go prints of structs and maps, and Java of objects, it has no quotes, and ends
// before the next name.
func (l *loose) member(depth int, name *node, isMap bool) node {
	separator := l.in[l.at-1]
	anyName := isMap || separator == '='
	if name.kind != nodeWord || !isPrintedName(name.text, anyName) || !l.opensPrinted(separator) {
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
		case c == separator && word > start:
			if isPrintedName(l.in[word:l.at], anyName) {
				l.at = word
				return printedNode(l.in[start:word])
			}
			word = start // the rest of the word is no name either
		}
	}
	return printedNode(l.in[start:])
}

// opensPrinted reports whether what follows a separator may be a text without quotes.
func (l *loose) opensPrinted(separator byte) bool {
	rest := l.in[l.at:]
	switch {
	case rest == "", strings.HasPrefix(rest, "map["), separator == '=' && rest[0] == ' ':
		return false
	default:
		return strings.IndexByte("\"'`{[(&<>\t\r\n", rest[0]) < 0
	}
}

// printedNode is a value that was printed without quotes: a word if it is a number, or else a string.
func printedNode(text string) node {
	text = strings.TrimRight(strings.TrimSpace(text), ",")
	if strings.Trim(text, "0123456789.-") == "" {
		return node{text: text}
	}
	return node{kind: nodeString, text: text}
}

// isPrintedName reports whether a word is the name of a field: in a struct of Go, one in capitals.
func isPrintedName(word string, anyName bool) bool {
	for i := range len(word) {
		if c := word[i]; !isLower(lower(c)) && c != '_' && (i == 0 || !isDigit(c)) {
			return false
		}
	}
	return word != "" && (anyName || word[0] >= 'A' && word[0] <= 'Z')
}
