package authored

import "strings"

// Template is a headline with {field} placeholders, parsed once. The zero value is an empty one.
type Template struct {
	text  string
	parts []part
}

// part is literal text, or the name of a placeholder.
type part struct {
	text  string
	field bool
}

// ParseTemplate splits text; a brace that belongs to no placeholder is literal.
func ParseTemplate(text string) Template {
	t := Template{text: text}
	literal := 0 // where the literal text begins that is not in parts yet
	for at := 0; at < len(text); at++ {
		if text[at] != '{' {
			continue
		}
		end := strings.IndexByte(text[at:min(len(text), at+MaxName+len("{}"))], '}')
		if end < 0 || !IsField(text[at+1:at+end]) {
			continue
		}
		name := text[at+1 : at+end]
		if literal < at {
			t.parts = append(t.parts, part{text: text[literal:at]})
		}
		t.parts = append(t.parts, part{text: name, field: true})
		at += end
		literal = at + 1
	}
	if literal < len(text) {
		t.parts = append(t.parts, part{text: text[literal:]})
	}
	return t
}

// Text returns the template as it was written.
func (t Template) Text() string { return t.text }

// Fields returns the names of the placeholders, in order.
func (t Template) Fields() []string {
	var names []string
	for _, p := range t.parts {
		if p.field {
			names = append(names, p.text)
		}
	}
	return names
}

// Fill renders the template; value returns what to show for a placeholder, already made safe.
func (t Template) Fill(value func(name string) string) string {
	if len(t.parts) == 1 && !t.parts[0].field {
		return t.parts[0].text
	}
	var b strings.Builder
	for _, p := range t.parts {
		if p.field {
			b.WriteString(value(p.text))
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// Literals returns the text around the placeholders, in order.
func (t Template) Literals() []string {
	var texts []string
	for _, p := range t.parts {
		if !p.field {
			texts = append(texts, p.text)
		}
	}
	return texts
}
