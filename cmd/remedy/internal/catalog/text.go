package catalog

import (
	"strconv"
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
		p.Field("Go type", r.GoType)
		if r.name() == r.Code {
			p.Field("case", r.condition())
		}
		p.Field("status", r.Status)
		p.Field("retry", r.Retry)
		p.Field("effect", r.Effect)
		p.Field("headline", r.headline())
		p.Field("when", r.When)
		if r.Plan != nil {
			report.PlanText(p, 1, r.Plan)
		}
	}
}

const intro = `# Errors

Every error that Remedy itself returns. Each arrives as the Go type named here, as a google.rpc.Status with this status
code, and with a google.rpc.ErrorInfo whose reason is the code in upper case and whose domain is remedy.v1. The errors
of a tool's own are a ToolError or a generated type, with a code that is none of these.

Retry rules: **never** send the call again; **as_is**, send the same call again under the same operation key;
**after_repair**, send it again once the plan has been carried out.
`

// Markdown returns the rows as a page: a table of contents, and a section with an anchor for every code.
func Markdown(rows []*Row) string {
	var b strings.Builder
	b.WriteString(intro)
	b.WriteString("\n| code | Go type | status | retry |\n|---|---|---|---|\n")
	for _, r := range rows {
		name := "[" + r.Code + "](#" + r.Code + ")"
		if r.name() != r.Code {
			name += " (" + r.condition() + ")"
		}
		b.WriteString("| " + name + " | `" + r.GoType + "` | " + r.Status + " | " + r.Retry + " |\n")
	}
	last := ""
	for _, r := range rows {
		if r.Code != last {
			// The anchor is written out, because renderers make different ones from a heading with underscores.
			b.WriteString("\n<a id=\"" + r.Code + "\"></a>\n\n## " + strings.ReplaceAll(r.Code, "_", `\_`) + "\n")
		}
		last = r.Code
		if r.name() != r.Code {
			b.WriteString("\n### " + strings.ReplaceAll(r.condition(), "_", `\_`) + "\n")
		}
		section(&b, r)
	}
	return b.String()
}

func section(b *strings.Builder, r *Row) {
	b.WriteString("\n> " + r.headline() + "\n\n" + r.When + "\n\n")
	b.WriteString("`" + r.GoType + "`, " + r.Status + ", retry: **" + r.Retry + "**")
	if r.Effect != "" {
		b.WriteString(", effect: **" + r.Effect + "**")
	}
	if r.name() == r.Code && r.Case != nil {
		b.WriteString(", `" + r.condition() + "`")
	}
	b.WriteString("\n")
	if r.Plan == nil {
		return
	}
	b.WriteString("\n")
	for i, step := range r.Plan.Steps {
		b.WriteString(strconv.Itoa(i+1) + ". `" + step.Action + "`")
		if step.Tool != "" {
			b.WriteString(" `" + step.Tool + "`")
		}
		if step.Instruction != "" {
			b.WriteString(": " + step.Instruction)
		}
		b.WriteString("\n")
	}
	list(b, "Keep unchanged", r.Plan.Preserve)
	list(b, "Replace from repair output", r.Plan.Update)
}

func list(b *strings.Builder, lead string, names []string) {
	if len(names) > 0 {
		b.WriteString("\n" + lead + ": `" + strings.Join(names, "`, `") + "`\n")
	}
}
