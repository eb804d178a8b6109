package operations

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

// Table writes one line an operation, and whose they are where that differs.
func Table(p *term.Printer, all []*Operation, now time.Time) {
	header := []string{"ID", "STATE", "TOOL", "KEY", "AGE", "CROSSINGS", "VERDICT"}
	several := false
	for _, o := range all {
		several = several || o.Principal != all[0].Principal
	}
	if several {
		header = append(header, "PRINCIPAL")
	}
	rows := append(make([][]string, 0, len(all)+1), append(header, "REASON"))
	for _, o := range all {
		row := []string{
			o.ID, orDash(o.State), o.Tool, o.OperationKey, age(o.CreateTime, now), strconv.Itoa(int(o.Crossings)), orDash(o.Verdict),
		}
		if several {
			row = append(row, orDash(o.Principal))
		}
		rows = append(rows, append(row, shorten(o.why())))
	}
	p.Table(rows)
}

// Line is the operation on one line, for a watch.
func (o *Operation) Line() string {
	at := o.UpdateTime
	if o.Progress != nil && o.Progress.Time.After(at) {
		at = o.Progress.Time
	}
	line := fmt.Sprintf("%s  %-7s", clock(at), orDash(o.State))
	if o.Verdict != "" {
		line += "  " + o.Verdict
	}
	if o.Progress != nil {
		line += "  " + o.Progress.String()
	}
	if why := o.why(); why != "" {
		line += "  " + shorten(why)
	}
	return line
}

// String is the progress in a few words, for example: 3 of 7 (42 %), parcels.
func (p *Progress) String() string {
	var words []string
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	switch {
	case p.Total > 0:
		words = append(words, fmt.Sprintf("%s of %s (%.0f %%)", number(p.Done), number(p.Total), math.Floor(100*p.Done/p.Total)))
	case p.Done > 0 || p.Message == "":
		words = append(words, number(p.Done))
	}
	if p.Message != "" {
		words = append(words, shorten(p.Message))
	}
	return strings.Join(words, ", ")
}

// why says on one line what there is to say beside the state.
func (o *Operation) why() string {
	why := cmp.Or(o.Reason, o.FailureCode, o.VerdictReason)
	if !o.Contradicted {
		return why
	}
	if why == "" {
		return "contradicted"
	}
	return "contradicted; " + why
}

// Text writes the whole operation.
func (o *Operation) Text(p *term.Printer, now time.Time) {
	p.Title(o.Tool + " under the key " + o.OperationKey)
	p.Field("state", meaning(o.State))
	p.Field("reason", o.Reason)
	if o.FailureCode != "" {
		p.Field("failure", o.FailureCode+" freed its key")
	}
	if o.Progress != nil {
		p.Field("progress", o.Progress.String()+"; "+moment(o.Progress.Time, now))
	}
	if o.Contradicted {
		p.Field("contradicted", "it took effect although it had been closed as not applied: look what was done since")
	}
	p.Field("verdict", o.verdict())
	p.Field("operationId", o.ID)
	p.Field("principal", o.Principal)
	p.Field("runId", o.RunID)
	p.Field("crossings", strconv.Itoa(int(o.Crossings)))
	p.Field("created", moment(o.CreateTime, now))
	p.Field("crossed", moment(o.CrossTime, now))
	p.Field("updated", moment(o.UpdateTime, now))
	switch {
	case o.Result != nil:
		o.Result.text(p)
	case o.State == "done":
		p.Title("Result")
		p.Line(1, "Not shown, because the tool authorizes its callers: an equal call under the same key gets it.")
	}
	if len(o.Trail) > 0 {
		p.Title("Trail")
		o.trail(p)
	}
}

// meaning says what a state means.
func meaning(state string) string {
	switch state {
	case "free":
		return "free: it had no effect, and its key may be used again"
	case "claimed":
		return "claimed: it prepares, and has had no effect yet"
	case "effect":
		return "effect: past the boundary; it runs, or somebody looks what became of it"
	case "done":
		return "done: it took effect"
	case "unknown":
		return "unknown: it may or may not have taken effect"
	case "closed":
		return "closed: it was not applied, as an operator said, and its key never runs again"
	default:
		return orDash(state)
	}
}

func (o *Operation) verdict() string {
	switch {
	case o.Verdict == "verified":
		return "verified: authoritative state agreed"
	case o.VerdictReason != "":
		return o.Verdict + ": " + o.VerdictReason
	default:
		return o.Verdict
	}
}

func (r *Result) text(p *term.Printer) {
	p.Title("Result")
	switch {
	case len(r.Output) > 0:
		p.JSON(1, r.Output)
	case r.OutputOmitted:
		p.Line(1, "Its output is not kept.")
	default:
		p.Line(1, "It has no output.")
	}
}

// trail writes one line a move, with the operation where the key had others before.
func (o *Operation) trail(p *term.Printer) {
	header := []string{"  TIME", "FROM", "TO", "BY"}
	others := false
	for i := range o.Trail {
		others = others || o.Trail[i].OperationID != o.ID
	}
	if others {
		header = append(header, "OPERATION")
	}
	rows := append(make([][]string, 0, len(o.Trail)+1), append(header, "NOTE"))
	for i := range o.Trail {
		m := &o.Trail[i]
		row := []string{"  " + clock(m.Time), orDash(m.From), orDash(m.To), cmp.Or(m.Actor, "attempt "+strconv.FormatInt(m.Fence, 10))}
		if others {
			row = append(row, m.OperationID)
		}
		rows = append(rows, append(row, shorten(m.Note)))
	}
	p.Table(rows)
}

func clock(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}

// moment is a time, and how long ago that was.
func moment(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return clock(at) + ", " + age(at, now) + " ago"
}

// age is how long ago something was, in its largest unit.
func age(at, now time.Time) string {
	const day = 24 * time.Hour
	if at.IsZero() {
		return "-"
	}
	switch d := max(now.Sub(at), 0); {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 2*day:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	default:
		return strconv.Itoa(int(d/day)) + "d"
	}
}

// shorten bounds a text that stands at the end of a line.
func shorten(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

func orDash(s string) string { return cmp.Or(s, "-") }
