package provider

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	// maxBody bounds how much of a body is read: half from its head and half from its tail.
	maxBody = 128 << 10
	// maxLevels is how deep texts inside texts are read; a provider behind three proxies needs four.
	maxLevels = 5
)

// body reads a body of any form.
func (v *view) body(raw []byte) {
	raw = inflate(raw)
	v.events(raw)
	text := ends(string(raw[:min(len(raw), maxBody/2)]), maxBody)
	if len(raw) > maxBody {
		text += "\n" + string(raw[len(raw)-maxBody/2:])
	} else {
		text = string(raw)
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, " ")
	}
	trimmed := strings.TrimSpace(text)
	page := pageStart(trimmed)
	switch {
	case page >= 0:
		v.html = true
		v.add(trimmed[:page] + "\n" + pageText(trimmed[page:]))
	case strings.HasPrefix(trimmed, `"`) && strings.HasSuffix(trimmed, `"`) && len(trimmed) > 1:
		l := loose{in: trimmed}
		v.say(l.quoted().text, 1)
	default:
		v.say(trimmed, 0)
	}
}

// inflate undoes gzip, as far as the bound goes: an answer whose encoding the client did not undo, cut ones too.
func inflate(raw []byte) []byte {
	if !bytes.HasPrefix(raw, []byte{0x1f, 0x8b, 8}) {
		return raw
	}
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	plain, _ := io.ReadAll(io.LimitReader(r, maxBody)) // what came before a cut is what there is
	return plain
}

// say reads a text: the values inside it, and what stands around them.
func (v *view) say(text string, level int) {
	if level >= maxLevels {
		v.add(text)
		return
	}
	if inner := escaped(text); inner >= 0 {
		v.add(text[:inner])
		v.say(unescape(text[inner:]), level+1)
		return
	}
	v.printed(text)
	var around strings.Builder
	for text != "" {
		start := opening(text)
		if start < 0 {
			break
		}
		l := loose{in: text, at: start}
		value := l.value(0)
		switch {
		case v.value(&value, level):
			around.WriteString(text[:start] + " ")
		case value.holdsObject(): // of an answer, or unknown
			around.WriteString(text[:start] + " ")
			if !value.isAnswer() {
				v.unread = append(v.unread, ends(text[start:l.at], maxText/4))
			}
		default:
			around.WriteString(text[:l.at])
		}
		text = text[l.at:]
	}
	v.add(around.String() + text)
}

// opening finds where a container opens; -1 where none does. A bracket before a word, other than the map[ of Go, is one that a
// client set around its sentence.
func opening(text string) int {
	for at := 0; at < len(text); at++ {
		next := strings.IndexAny(text[at:], "{[")
		if next < 0 {
			break
		}
		at += next
		around := text[at] == '[' && at+1 < len(text) && isLower(lower(text[at+1]))
		if !around || strings.HasSuffix(text[:at], "map") {
			return at
		}
	}
	return -1
}

// escaped finds an object whose quotes are escaped, which somebody quoted into a sentence; -1 where there is none.
func escaped(text string) int {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return -1
	}
	rest := strings.TrimLeft(text[start+1:], " \t\r\n")
	for strings.HasPrefix(rest, `\n`) {
		rest = strings.TrimLeft(rest[2:], " ")
	}
	if strings.HasPrefix(rest, `\"`) || strings.HasPrefix(rest, `\\`) {
		return start
	}
	return -1
}

// pageStart is where a page begins, after the status that a client may have put before it; -1 where there is none.
func pageStart(text string) int {
	if strings.HasPrefix(text, "<") {
		return 0
	}
	start := lowered(head(text, maxStatusWords))
	for _, tag := range []string{"<!doctype html", "<html"} {
		if i := strings.Index(start, tag); i >= 0 {
			return i
		}
	}
	return -1
}

// pageText is what a page says in short: its title and first heading, or else its text.
func pageText(page string) string {
	page = head(page, maxText)
	lower := lowered(page)
	var said []string
	for _, tag := range []string{"title", "h1", "h2"} {
		if start := strings.Index(lower, "<"+tag); start >= 0 {
			if end := strings.Index(lower[start:], "</"+tag); end >= 0 {
				said = append(said, untag(page[start:start+end]))
			}
		}
	}
	if len(said) == 0 {
		return untag(page)
	}
	return strings.Join(said, "\n")
}

// untag drops what stands in angle brackets.
func untag(page string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(page, '<')
		if start < 0 {
			b.WriteString(page)
			return b.String()
		}
		b.WriteString(page[:start] + " ")
		end := strings.IndexByte(page[start:], '>')
		if end < 0 {
			return b.String()
		}
		page = page[start+end+1:]
	}
}
