package demo

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

// Text writes a scene, with its number.
func (out *Scene) Text(p *term.Printer, number int) {
	p.Title(strconv.Itoa(number) + ". " + out.Code)
	p.Item(1, out.Principal+" calls "+out.Call.String())
	p.Item(1, "It fails because "+out.Why+".")
	if r := out.Error; r != nil {
		goText(p, r)
		p.Gap()
		p.Line(1, "What an agent reads:")
		p.Line(2, r.Message)
		p.Gap()
		p.Line(1, "What a caller without our types sees:")
		report.PlainText(p, 2, r.Plain)
	}
	out.repairText(p)
	if out.Problem != "" {
		p.Gap()
		p.Bad("  not as it should be: " + out.Problem)
	}
}

// goText writes what Go code matches, and the values that it gets.
func goText(p *term.Printer, r *report.Report) {
	p.Gap()
	p.Line(1, "What Go code matches:")
	p.Code(2, "if "+r.Match+" {")
	for _, v := range r.Values {
		p.Item(3, "e."+v.Name+" is "+v.Text)
	}
	p.Item(3, "e.RetryPolicy() is "+r.Retry)
	if r.Effect != "" {
		p.Item(3, "errs.EffectOf(e) is "+r.Effect)
	}
	if r.Plan != nil {
		p.Item(3, "e.Plan() is")
		report.PlanText(p, 4, r.Plan)
	}
	p.Code(2, "}")
}

func (out *Scene) repairText(p *term.Printer) {
	p.Gap()
	if len(out.Repair) == 0 {
		if out.Problem == "" {
			p.Line(1, "There is nothing to repair, and the call is not sent again.")
		}
		return
	}
	p.Line(1, "What the plan says, done:")
	for i, call := range out.Repair {
		p.Item(2, strconv.Itoa(i+1)+". "+call.Step)
		p.Item(3, call.String())
		p.Item(3, "returns "+call.result())
	}
	if out.Found != "" {
		p.Item(2, "Found: "+out.Found+".")
	}
}

// String is the call on one line.
func (c *Call) String() string {
	if c == nil {
		return "nothing"
	}
	text := c.Tool + " " + compact(c.Input)
	if c.Key != "" {
		text += " under the key " + c.Key
	}
	return text
}

// result is how the call ended, on one line.
func (c *Call) result() string {
	if c.Error != "" {
		return "the error " + c.Error
	}
	text := compact(c.Output)
	if c.Replayed {
		text += ", the stored result"
	}
	if c.Verified {
		text += ", verified"
	}
	return text
}

// compact writes JSON on one line that can be broken between values.
func compact(f fields) string {
	text, err := json.MarshalIndent(f, "", "")
	if err != nil {
		return "(not JSON)"
	}
	return strings.NewReplacer(",\n", ", ", "\n", "").Replace(string(text))
}
