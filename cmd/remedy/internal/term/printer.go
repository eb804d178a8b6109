package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// width is where lines break between words.
const width = 100

// Printer lays text out. It makes everything safe that it is given, keeps the first error of its writer and writes
// nothing more after it. It is not safe for concurrent use.
type Printer struct {
	w     io.Writer
	color bool
	begun bool
	err   error
}

// NewPrinter returns a printer that writes to w, with colour or without.
func NewPrinter(w io.Writer, color bool) *Printer { return &Printer{w: w, color: color} }

// Color reports whether to use colour on f: it is a terminal that is not dumb, and NO_COLOR (no-color.org) is not set.
func Color(f *os.File, env func(string) string) bool {
	if env("NO_COLOR") != "" || env("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Err returns the first error of the writer.
func (p *Printer) Err() error { return p.err }

// Styles of a terminal (ECMA-48, section 8.3.117).
const (
	bold  = "\x1b[1m"
	red   = "\x1b[1;31m"
	green = "\x1b[1;32m"
	plain = "\x1b[0m"
)

// Title begins a section, after an empty line where it is not the first.
func (p *Printer) Title(text string) {
	if p.begun {
		p.Gap()
	}
	p.wrapped(0, 0, bold, Safe(text))
}

// Bad writes a line that says that something failed.
func (p *Printer) Bad(text string) { p.wrapped(0, 0, red, Safe(text)) }

// Good writes a line that says that something succeeded.
func (p *Printer) Good(text string) { p.wrapped(0, 0, green, Safe(text)) }

// Line writes text at an indent, in two spaces a level, broken between words.
func (p *Printer) Line(indent int, text string) { p.wrapped(indent, indent, "", Safe(text)) }

// Item writes text like [Printer.Line], its second and later lines one level deeper.
func (p *Printer) Item(indent int, text string) { p.wrapped(indent, indent+1, "", Safe(text)) }

// Code writes text at an indent and never breaks it.
func (p *Printer) Code(indent int, text string) { p.line(indent, "", Safe(text)) }

// Field writes a name and its value in columns; a value that is empty is not known and not written.
func (p *Printer) Field(name, value string) {
	if value == "" {
		return
	}
	const column = 14
	p.wrapped(1, (column+2)/2, "", fmt.Sprintf("%-*s%s", column, Safe(name), Safe(value)))
}

// JSON writes a JSON value at an indent, two spaces a level inside it too. Text that is not JSON is written as it is.
func (p *Printer) JSON(indent int, value []byte) {
	var b bytes.Buffer
	if json.Indent(&b, value, "", "  ") != nil {
		b.Reset()
		b.Write(value)
	}
	for line := range strings.Lines(b.String()) {
		p.Code(indent, strings.TrimSuffix(line, "\n"))
	}
}

// Table writes rows in columns. The last column is as wide as it is.
func (p *Printer) Table(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(Safe(cell)))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			cell = Safe(cell)
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		p.line(0, "", b.String())
	}
}

// Gap writes an empty line.
func (p *Printer) Gap() { p.write("\n") }

// wrapped breaks safe text between words; one word is never broken.
func (p *Printer) wrapped(first, rest int, style, text string) {
	indent, text := first, strings.TrimRight(text, " ")
	for {
		room := width - 2*indent
		at := breakAt(text, room)
		if at < 0 {
			p.line(indent, style, text)
			return
		}
		p.line(indent, style, text[:at])
		text = strings.TrimLeft(text[at:], " ")
		indent = rest
	}
}

// breakAt returns where to break text so that the line fits into room, -1 for nowhere. It looks no further than the line.
func breakAt(text string, room int) int {
	last, count := -1, 0
	for i, r := range text {
		if r == ' ' && i > 0 && text[i-1] != ' ' {
			last = i
		}
		if count >= room && last >= 0 {
			return last
		}
		count++
	}
	return -1
}

func (p *Printer) line(indent int, style, text string) {
	if p.color && style != "" {
		text = style + text + plain
	}
	p.write(strings.TrimRight(strings.Repeat("  ", indent)+text, " ") + "\n")
}

func (p *Printer) write(s string) {
	p.begun = true
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}
