package demo

import (
	"strconv"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

// Text writes a chapter, with its number.
func (out *Chapter) Text(p *term.Printer, number int) {
	p.Title(strconv.Itoa(number) + ". " + out.Tool + ": " + out.Title)
	for _, event := range out.Events {
		event.text(p)
	}
	if out.Problem != "" {
		p.Gap()
		p.Bad("  not as it should be: " + out.Problem)
	}
}

func (e *Event) text(p *term.Printer) {
	p.Item(1, e.Text+".")
	if e.Addr != "" {
		p.Item(2, "it listens at "+e.Addr)
	}
	for _, line := range e.Book {
		p.Item(2, "in the book: "+line)
	}
	switch {
	case e.Call != nil && e.Kind != "killed":
		p.Item(2, "returns "+e.Call.result())
		if e.Error != nil {
			p.Item(2, e.Error.Message)
		}
	case e.Error != nil:
		goText(p, e.Error)
		p.Gap()
		p.Line(1, "What an agent reads:")
		p.Line(2, e.Error.Message)
		p.Gap()
	case e.State != "":
		p.Item(2, "the service says: operation "+e.OperationID+" is in the state "+e.State)
	}
}
