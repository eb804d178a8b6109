package catalog

import (
	"strings"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

// Text writes the rows for people, one section a row.
func Text(p *term.Printer, rows []*Row) {
	for _, r := range rows {
		title := r.Code
		if condition := r.condition(); condition != "" && r.name() != r.Code {
			title += " (" + condition + ")"
		}
		p.Title(title)
		if !r.builtin {
			p.Field("domain", r.Domain)
			p.Field("message", r.Type)
		}
		p.Field("Go type", r.GoType)
		if r.name() == r.Code {
			p.Field("case", r.condition())
		}
		p.Field("status", r.Status)
		p.Field("retry", r.Retry)
		p.Field("effect", r.Effect)
		p.Field("headline", r.headline())
		p.Field("when", r.When)
		p.Field("about", r.About)
		p.Field("doc", r.Doc)
		p.Field("declared in", r.File)
		p.Field("returned by", strings.Join(r.Methods, ", "))
		if r.Plan != nil {
			report.PlanText(p, 1, r.Plan)
		}
	}
}

// Text writes the errors, the methods and what is to be known of both.
func (l *Listing) Text(p *term.Printer) {
	Text(p, l.Errors)
	for _, m := range l.Methods {
		p.Title(m.Name)
		p.Field("tool", m.Tool)
		p.Field("effect", m.effect())
		p.Field("key field", m.KeyField)
		p.Field("errors", strings.Join(m.Errors, ", "))
	}
	remarks(p, "What is missing", l.Gaps)
	remarks(p, "What is not known", l.Notes)
}

func remarks(p *term.Printer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.Title(title)
	for _, line := range lines {
		p.Item(1, line)
	}
}
