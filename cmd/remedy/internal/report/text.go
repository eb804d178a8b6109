package report

import (
	"fmt"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/plain"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

// Text writes the whole report.
func (r *Report) Text(p *term.Printer) {
	if r.Typed {
		p.Title(r.Headline)
	} else {
		p.Title("A foreign status: " + r.Foreign + ".")
	}
	r.fields(p)
	r.plan(p)
	if len(r.Values) > 0 {
		p.Title("What Go code gets")
		for _, v := range r.Values {
			p.Field(v.Name, v.Text)
		}
	}
	if len(r.Causes) > 0 {
		p.Title("Causes")
		r.causeText(p, 1)
	}
	p.Title("What an agent reads")
	p.Line(1, orNothing(r.Message))
	p.Title("What a caller without our types sees")
	PlainText(p, 1, r.Plain)
	if len(r.Unknown) > 0 {
		p.Title("Details that could not be read here")
		for _, u := range r.Unknown {
			p.Line(1, u.String())
		}
	}
}

// fields says what the error is, in columns.
func (r *Report) fields(p *term.Printer) {
	if r.Typed {
		p.Field("Go type", r.Type)
		p.Field("match", r.Match)
		p.Field("code", r.Code)
		p.Field("domain", r.Domain)
		p.Field("retry", RetryText(r.Retry, r.RetryAfter))
	} else {
		p.Field("Go type", "a gRPC status that is not ours; errors keep matching by status.Code")
	}
	if !r.Typed {
		p.Field("retry", "not stated: nothing says whether a retry is allowed")
	}
	p.Field("status", fmt.Sprintf("%s (%d)", r.Plain.Status, r.Plain.Number))
	p.Field("effect", EffectText(r.Effect, r.Typed))
	if r.OutcomeUnknown && r.Effect == "" {
		p.Field("outcome", "on a call that may have an effect, a client makes *errs.OutcomeUnknownError of it")
	}
	p.Field("tool", r.Tool)
	p.Field("operationKey", r.OperationKey)
	p.Field("operationId", r.OperationID)
	p.Field("runId", r.RunID)
	p.Field("errorId", r.ErrorID)
	if r.Truncated {
		p.Field("truncated", "yes: something did not fit into the trailers and was left out")
	}
	if r.Size > 0 {
		p.Field("size", fmt.Sprintf("%d bytes, %d details", r.Size, len(r.Plain.Details)))
	}
}

// RetryText says a retry rule in words.
func RetryText(rule, after string) string {
	switch rule {
	case "as_is":
		if after != "" {
			return "as_is: the same call may be sent again after " + after
		}
		return "as_is: the same call may be sent again"
	case "after_repair":
		return "after_repair: only once the plan has been carried out"
	default:
		return "never"
	}
}

// EffectText says an effect in words.
func EffectText(effect string, typed bool) string {
	switch effect {
	case "none":
		return "none: proven, nothing changed"
	case "applied":
		return "applied: proven, it took effect"
	case "unknown":
		return "unknown: it may have taken effect"
	default:
		if typed {
			return "not stated"
		}
		return ""
	}
}

func (r *Report) plan(p *term.Printer) {
	if r.Plan == nil {
		return
	}
	p.Title("Plan")
	PlanText(p, 1, r.Plan)
}

// PlanText writes the steps of a plan and its lists at an indent.
func PlanText(p *term.Printer, indent int, plan *Plan) {
	for _, line := range plan.Lines() {
		p.Item(indent, line)
	}
}

func (r *Report) causeText(p *term.Printer, indent int) {
	for _, cause := range r.Causes {
		name := cause.Plain.Status
		if cause.Typed {
			name = cause.Type
		}
		p.Item(indent, name+": "+cause.Message)
		cause.causeText(p, indent+1)
	}
}

// PlainText writes what a caller without our types sees, but for the message, at an indent.
func PlainText(p *term.Printer, indent int, v plain.View) {
	p.Line(indent, fmt.Sprintf("status %s (%d), message as above", v.Status, v.Number))
	for _, d := range v.Details {
		switch {
		case d.Known():
			p.Line(indent, d.Type)
			for _, line := range d.Lines() {
				p.Item(indent+1, line.Path+": "+line.Value)
			}
		case d.Problem != "":
			p.Line(indent, fmt.Sprintf("%s, %d bytes: %s", d.Type, d.Size, d.Problem))
		default:
			p.Line(indent, fmt.Sprintf("%s, %d bytes", d.Type, d.Size))
		}
	}
}

// String is the detail on one line.
func (o Opaque) String() string {
	text := fmt.Sprintf("%s, %d bytes", o.Type, o.Size)
	if o.Problem != "" {
		text += ": " + o.Problem
	}
	return text
}

func orNothing(s string) string {
	if s == "" {
		return "(nothing)"
	}
	return s
}
