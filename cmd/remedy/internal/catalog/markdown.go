package catalog

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	"github.com/remedyrpc/remedy/internal/authored"
)

const intro = `# Errors

Every error that Remedy itself returns. Each arrives as the Go type named here, as a google.rpc.Status with this status
code, and with a google.rpc.ErrorInfo whose reason is the code in upper case and whose domain is remedy.v1. The errors
of a tool's own are a ToolError or a generated type, with a code that is none of these.
`

const declaredIntro = `# Errors

Each error arrives as a google.rpc.Status with this status code, and with a google.rpc.ErrorInfo whose reason is the code in
upper case and whose domain is named here; in Go, as the type named here.
`

const rules = `
Retry rules: **never** send the call again; **as_is**, send the same call again under the same operation key;
**after_repair**, send it again once the plan has been carried out.
`

// Markdown returns the rows as a page: a table of contents, and a section with an anchor for every code.
func Markdown(rows []*Row) string {
	p := newPage(rows, func(r *Row) string { return r.Code })
	p.text(intro + rules)
	p.table(rows, []string{"code", "Go type", "status", "retry"}, func(r *Row) []string {
		return []string{p.link(r), code(r.GoType), escape(r.Status), escape(r.Retry)}
	})
	p.sections(rows)
	return p.b.String()
}

// Markdown returns the listing as a page. The anchor of a code is domain.code, so that it stays when others come and go, and
// two packages may have the same code; that of a method is its full name.
func (l *Listing) Markdown() string {
	p := newPage(l.Errors, func(r *Row) string { return r.Domain + "." + r.Code })
	p.text(declaredIntro + rules)
	p.remarks("What is missing", l.Gaps)
	p.remarks("What is not known", l.Notes)
	if len(l.Errors) > 0 {
		p.table(l.Errors, []string{"code", "domain", "Go type", "status", "retry"}, func(r *Row) []string {
			return []string{p.link(r), escape(r.Domain), code(r.GoType), escape(r.Status), escape(r.Retry)}
		})
	}
	if len(l.Methods) > 0 {
		p.text("\n| method | tool | effect | errors |\n|---|---|---|---|\n")
		for _, m := range l.Methods {
			p.row([]string{"[" + escape(m.Name) + "](#" + m.Name + ")", code(m.Tool), m.effect(), strconv.Itoa(len(m.Errors))})
		}
	}
	p.sections(l.Errors)
	for _, m := range l.Methods {
		p.method(m)
	}
	return p.b.String()
}

// page is a page of Markdown (CommonMark, with the tables of GitHub). Nothing that it is given is taken for markup.
type page struct {
	b       strings.Builder
	anchors map[string]string // by the key of a row
	types   map[string]*Row   // the first row of a message
}

// newPage gives every code its anchor. A malformed code, and a second message with the same code, which checks refuse, have an
// anchor made of the name of the message.
func newPage(rows []*Row, anchor func(*Row) string) *page {
	p := &page{anchors: make(map[string]string), types: make(map[string]*Row)}
	used := make(map[string]bool)
	for _, r := range rows {
		if p.types[r.Type] == nil {
			p.types[r.Type] = r
		}
		if p.anchors[r.key()] != "" {
			continue
		}
		name := anchor(r)
		if used[name] || strings.Trim(r.Code, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || r.Code == "" {
			name = r.Type + "-error"
		}
		for used[name] {
			name += "-"
		}
		used[name] = true
		p.anchors[r.key()] = name
	}
	return p
}

// key is what the rows under one anchor have in common.
func (r *Row) key() string { return r.Type + "\x00" + r.Code }

func (p *page) text(s string) { p.b.WriteString(s) }

func (p *page) row(cells []string) { p.text("| " + strings.Join(cells, " | ") + " |\n") }

func (p *page) link(r *Row) string {
	text := "[" + escape(r.Code) + "](#" + p.anchors[r.key()] + ")"
	if r.name() != r.Code {
		text += " (" + escape(r.condition()) + ")"
	}
	return text
}

func (p *page) table(rows []*Row, head []string, cells func(*Row) []string) {
	p.text("\n")
	p.row(head)
	p.text("|" + strings.Repeat("---|", len(head)) + "\n")
	for _, r := range rows {
		p.row(cells(r))
	}
}

// heading writes an anchor and a heading. The anchor is written out, because renderers make different ones from a heading with
// underscores.
func (p *page) heading(anchor, text string) {
	p.text("\n<a id=\"" + anchor + "\"></a>\n\n## " + text + "\n")
}

func (p *page) sections(rows []*Row) {
	last := ""
	for _, r := range rows {
		if r.key() != last {
			p.heading(p.anchors[r.key()], escape(r.Code))
		}
		last = r.key()
		if r.name() != r.Code {
			p.text("\n### " + escape(r.condition()) + "\n")
		}
		p.section(r)
	}
}

func (p *page) section(r *Row) {
	p.text("\n> " + escape(r.headline()) + "\n")
	if about := r.When + r.About; about != "" {
		p.text("\n" + escape(about) + "\n")
	}
	p.text("\n")
	if r.GoType != "" {
		p.text(code(r.GoType) + ", ")
	}
	if !r.builtin {
		p.text("message " + code(r.Type) + ", domain " + code(r.Domain) + ", ")
	}
	p.text(escape(r.Status) + ", retry: **" + escape(r.Retry) + "**")
	if r.Effect != "" {
		p.text(", effect: **" + r.Effect + "**")
	}
	if r.name() == r.Code && r.Case != nil {
		p.text(", " + code(r.condition()))
	}
	p.text("\n")
	p.plan(r)
	if r.Doc != "" {
		p.text("\nRead on: " + link(r.Doc) + "\n")
	}
	if len(r.Methods) > 0 {
		links := make([]string, 0, len(r.Methods))
		for _, name := range r.Methods {
			links = append(links, "["+escape(name)+"](#"+name+")")
		}
		p.text("\nReturned by " + strings.Join(links, ", ") + "\n")
	}
}

func (p *page) plan(r *Row) {
	if r.Plan == nil {
		return
	}
	p.text("\n")
	for i, step := range r.Plan.Steps {
		p.text(strconv.Itoa(i+1) + ". " + code(step.Action))
		if step.Tool != "" {
			p.text(" " + code(step.Tool))
		}
		if step.Instruction != "" {
			p.text(": " + escape(step.Instruction))
		}
		p.text("\n")
	}
	p.names("Keep unchanged", r.Plan.Preserve)
	p.names("Replace from repair output", r.Plan.Update)
}

func (p *page) names(lead string, names []string) {
	spans := make([]string, 0, len(names))
	for _, name := range names {
		spans = append(spans, code(name))
	}
	if len(spans) > 0 {
		p.text("\n" + lead + ": " + strings.Join(spans, ", ") + "\n")
	}
}

func (p *page) method(m *Method) {
	p.heading(m.Name, escape(m.Name))
	p.text("\nTool " + code(m.Tool) + ", effect: **" + m.effect() + "**")
	if m.KeyField != "" {
		p.text(", operation key in " + code(m.KeyField))
	}
	p.text("\n")
	if len(m.Errors) > 0 {
		p.text("\n")
	}
	for _, name := range m.Errors {
		if r := p.types[name]; r != nil {
			p.text("- [" + escape(r.Code) + "](#" + p.anchors[r.key()] + ") " + code(name) + "\n")
		} else {
			p.text("- " + code(name) + "\n")
		}
	}
}

func (p *page) remarks(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.text("\n**" + title + "**\n\n")
	for _, line := range lines {
		p.text("- " + escape(line) + "\n")
	}
}

// escape makes text of what could be markup.
func escape(s string) string {
	var b strings.Builder
	runes := []rune(term.Safe(s))
	for i, r := range runes {
		inWord := i > 0 && i < len(runes)-1 && isWord(runes[i-1]) && isWord(runes[i+1])
		if strings.ContainsRune("\\`*[]<>|&~", r) || r == '_' && !inWord || i == 0 && strings.ContainsRune("#+-=", r) ||
			strings.ContainsRune(".)", r) && isNumber(runes[:i]) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// isNumber reports whether text would begin a list if a dot came next.
func isNumber(text []rune) bool {
	return len(text) > 0 && strings.Trim(string(text), "0123456789") == ""
}

// code is a span of code that holds s; in a table too.
func code(s string) string {
	s = term.Safe(s)
	switch {
	case s == "":
		return ""
	case strings.ContainsAny(s, "`|"):
		return escape(s)
	default:
		return "`" + s + "`"
	}
}

// link is text that may be a link.
func link(s string) string {
	if authored.IsLink(s) && !strings.ContainsAny(s, "<>|") {
		return "<" + s + ">"
	}
	return escape(s)
}
