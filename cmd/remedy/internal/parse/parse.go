// Package parse reads a google.rpc.Status in whatever form it was copied from: the grpc-status-details-bin trailer, a
// file of protobuf bytes, the JSON of another tool. Its errors name what was expected, whatever the bytes.
package parse

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	spb "google.golang.org/genproto/googleapis/rpc/status"
)

// Format is the form of an input.
type Format string

// The forms.
const (
	// Auto finds out.
	Auto Format = "auto"
	// Base64 is standard or URL base64, padded or not, of the protobuf bytes; white space in it is ignored.
	Base64 Format = "base64"
	// Binary is the protobuf bytes.
	Binary Format = "binary"
	// JSON is google.rpc.Status as protobuf writes it in JSON. Unknown types of details are kept by name, and
	// {"@type", "@value": base64} is read too.
	JSON Format = "json"
)

// MaxBytes is the largest input. A trailer list is bounded by 8 KiB in most places, so that nothing real is near it.
const MaxBytes = 1 << 20

const expected = "expected a google.rpc.Status as base64 of grpc-status-details-bin, as protobuf bytes or as JSON"

// Input is what was read.
type Input struct {
	// Status is the status. A detail that was read from JSON and is of a type that is not linked here holds that JSON.
	Status *spb.Status
	// Format is the form it had.
	Format Format
}

// Status reads a status from an input of the given form.
func Status(input []byte, format Format) (*Input, error) {
	if len(input) > MaxBytes {
		return nil, fmt.Errorf("%s, and at most %d bytes of it", expected, MaxBytes)
	}
	if len(bytes.TrimSpace(input)) == 0 {
		return nil, errors.New(expected + ", got nothing")
	}
	if format == Auto || format == "" {
		format = detect(input)
	}
	in, err := status(input, format)
	if err != nil {
		return nil, err
	}
	if in.Status.GetCode() == 0 {
		if in.Status.GetMessage() == "" && len(in.Status.GetDetails()) == 0 {
			return nil, fmt.Errorf("reading %s: it holds no code, message or detail; %s", format, expected)
		}
		return nil, fmt.Errorf("reading %s: its code is 0, OK: that is no error", format)
	}
	return in, nil
}

func status(input []byte, format Format) (*Input, error) {
	switch format {
	case JSON:
		return fromJSON(input)
	case Base64:
		raw, err := fromBase64(input)
		if err != nil {
			return nil, err
		}
		st, err := fromBinary(raw)
		if err != nil {
			return nil, fmt.Errorf("reading the %d bytes that the base64 stands for: %w", len(raw), err)
		}
		return &Input{Status: st, Format: Base64}, nil
	case Binary:
		st, err := fromBinary(input)
		if err != nil {
			return nil, fmt.Errorf("reading %d protobuf bytes: %w", len(input), err)
		}
		return &Input{Status: st, Format: Binary}, nil
	default:
		return nil, fmt.Errorf("format %q is none of auto, base64, binary, json", string(format))
	}
}

// detect tells the forms apart. A serialized Status begins with the tag of one of its fields, a control character, so
// that it is neither of the others.
func detect(input []byte) Format {
	text := bytes.TrimSpace(input)
	switch {
	case text[0] == '{':
		return JSON
	case input[0] < ' ' && !isSpace(rune(input[0])) || !utf8.Valid(input):
		return Binary
	default:
		return Base64
	}
}

func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// trailer is the name under which the base64 travels; a whole header line is accepted.
const trailer = "grpc-status-details-bin:"

func fromBase64(input []byte) ([]byte, error) {
	text := strings.TrimSpace(string(input))
	if len(text) >= len(trailer) && strings.EqualFold(text[:len(trailer)], trailer) {
		text = text[len(trailer):]
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case isSpace(r):
			return -1
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		default:
			return r
		}
	}, text)
	text = strings.TrimRight(text, "=")
	raw, err := base64.RawStdEncoding.DecodeString(text)
	if err == nil {
		return raw, nil
	}
	var at base64.CorruptInputError
	if errors.As(err, &at) && int(at) < len(text)-len(text)%4 {
		return nil, fmt.Errorf("%s; character %d of it, %q, is not base64", expected, int(at)+1, text[at])
	}
	return nil, fmt.Errorf("%s; it is base64 that was cut off", expected)
}
