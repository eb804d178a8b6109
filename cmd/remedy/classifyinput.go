package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

// withoutMark skips the byte order mark that some editors put before a text.
func withoutMark(in io.Reader) io.Reader {
	const mark = "\ufeff"
	r := bufio.NewReader(in)
	if start, _ := r.Peek(len(mark)); string(start) == mark {
		_, _ = r.Discard(len(mark)) // it was peeked
	}
	return r
}

// statusLine is how a response begins. The version is one digit from HTTP/2 on, and then there may be no reason.
var statusLine = regexp.MustCompile(`^HTTP/\d(?:\.\d)? (\d{3})(?: [^\r\n]*)?\r?\n`)

// readAnswer takes a response apart that begins with a status line; anything else is a body. Of several, as curl -i prints
// them after a proxy or a redirect, the last one counts.
func readAnswer(input []byte) (status int, header http.Header, body []byte, err error) {
	header = make(http.Header)
	for status < http.StatusBadRequest {
		line := statusLine.FindSubmatch(input)
		if line == nil {
			break
		}
		status, _ = strconv.Atoi(string(line[1])) // three digits
		if header, input, err = readHeaders(input[len(line[0]):]); err != nil {
			return 0, nil, nil, err
		}
	}
	return status, header, input, nil
}

// readHeaders reads headers up to an empty line, and returns what comes after it. The body is as it was sent or as curl has
// decoded it, which the headers do not tell; so nothing is decoded here.
func readHeaders(input []byte) (http.Header, []byte, error) {
	r := bytes.NewReader(input)
	buffered := bufio.NewReader(r)
	header, err := textproto.NewReader(buffered).ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, errors.New("standard input begins like an HTTP response: expected its headers, and an empty line before the body")
	}
	return http.Header(header), input[len(input)-r.Len()-buffered.Buffered():], nil
}

// headers reads those of the command line. Their values may be secret: no complaint shows them.
func headers(lines []string) (http.Header, error) {
	header := make(http.Header)
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(name, " \t") {
			return nil, errors.New("--header: expected 'Name: value'")
		}
		header.Add(name, strings.TrimSpace(value))
	}
	return header, nil
}

// await says what is waited for where somebody may be typing.
func await(s *streams, lines bool) {
	if !isTerminal(s.in) {
		return
	}
	what := "the failure: a body, what curl -i prints, or the text of an error"
	if lines {
		what = "failures, one JSON object a line"
	}
	term.NewPrinter(s.err, false).Line(0, "remedy: reading "+what+"; Ctrl-D ends it")
}

// isTerminal reports whether in is a device that somebody types at.
func isTerminal(in io.Reader) bool {
	file, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// interruptible is in until the context ends: nothing else ends a read from a terminal. The function it returns is called
// when no more is read.
func interruptible(ctx context.Context, in io.Reader) (io.Reader, func()) {
	r, w := io.Pipe()
	stop := context.AfterFunc(ctx, func() { _ = w.CloseWithError(errors.New("interrupted")) })
	go func() {
		_, err := io.Copy(w, in)
		_ = w.CloseWithError(err) // nil is the end
	}()
	return r, func() {
		stop()
		_ = r.Close()
	}
}

// readLine reads a line without its end. One that is longer than most is skipped, and an error of its own.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > most+len("\n"); !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0 && !long):
			return nil, err //nolint:wrapcheck // the caller says what was read
		case long:
			return nil, usageError{fmt.Errorf("more than %d bytes", most)}
		default:
			return bytes.TrimRight(line, "\r\n"), nil
		}
	}
}
