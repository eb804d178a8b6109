package errs

import (
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// readToolError reads the identity message of most errors. What protobuf writes is read straight into the struct; bytes of
// any other shape, which are valid too, go the long way through the generated message.
func readToolError(b []byte) (e *ToolError, ok bool) {
	if e, ok := readPlainToolError(b); ok {
		return e, true
	}
	var m remedyv1.ToolError
	if proto.Unmarshal(b, &m) != nil {
		return nil, false
	}
	e = &ToolError{Code: m.GetCode(), Message: guide.Text(m.GetMessage()), Retry: RetryPolicy(m.GetRetry())}
	if m.GetDetails() != nil {
		e.Details = m.GetDetails().AsMap()
	}
	return e, true
}

// Fields of remedy.v1.ToolError.
const (
	toolErrorCode    = 1
	toolErrorMessage = 2
	toolErrorRetry   = 3
	toolErrorDetails = 4
)

// readPlainToolError reads a ToolError whose fields come once and in order.
func readPlainToolError(b []byte) (*ToolError, bool) {
	e := &ToolError{}
	r := reader{b: b}
	for r.next() {
		switch {
		case r.field == toolErrorCode && r.kind == protowire.BytesType:
			e.Code = r.text()
		case r.field == toolErrorMessage && r.kind == protowire.BytesType:
			e.Message = guide.Text(r.text())
		case r.field == toolErrorRetry && r.kind == protowire.VarintType:
			e.Retry = RetryPolicy(r.number) //nolint:gosec // as protobuf does
		case r.field == toolErrorDetails && r.kind == protowire.BytesType:
			e.Details = r.object(r.value, 0)
		default:
			return nil, false
		}
	}
	return e, !r.odd
}

// reader goes through a message whose fields come once and in order. Everything else is odd: the reader then stops.
type reader struct {
	b     []byte
	last  protowire.Number
	field protowire.Number
	kind  protowire.Type
	// value or number is what the field holds.
	value  []byte
	number uint64
	odd    bool
}

func (r *reader) next() bool {
	if r.odd || len(r.b) == 0 {
		return false
	}
	var n int
	if r.field, r.kind, n = protowire.ConsumeTag(r.b); n < 0 || r.field <= r.last {
		return r.stop()
	}
	r.b, r.last = r.b[n:], r.field
	switch r.kind {
	case protowire.BytesType:
		r.value, n = protowire.ConsumeBytes(r.b)
	case protowire.VarintType:
		r.number, n = protowire.ConsumeVarint(r.b)
	case protowire.Fixed64Type:
		r.number, n = protowire.ConsumeFixed64(r.b)
	default:
		n = -1
	}
	if n < 0 {
		return r.stop()
	}
	r.b = r.b[n:]
	return true
}

func (r *reader) stop() bool {
	r.odd = true
	return false
}

// text returns the field as a string.
func (r *reader) text() string {
	if !utf8.Valid(r.value) {
		r.odd = true
		return ""
	}
	return string(r.value)
}

// object reads a google.protobuf.Struct.
func (r *reader) object(b []byte, depth int) map[string]any {
	out := make(map[string]any)
	for len(b) > 0 {
		entry := r.element(&b, depth)
		in := reader{b: entry}
		if !in.next() || in.field != entryKey || in.kind != protowire.BytesType {
			r.odd = true
			return nil
		}
		key := in.text()
		if !in.next() || in.field != entryValue || in.kind != protowire.BytesType || len(in.b) > 0 || in.odd {
			r.odd = true
			return nil
		}
		out[key] = r.any(in.value, depth+1)
	}
	return out
}

// list reads a google.protobuf.ListValue.
func (r *reader) list(b []byte, depth int) []any {
	out := make([]any, 0)
	for len(b) > 0 {
		out = append(out, r.any(r.element(&b, depth), depth+1))
	}
	return out
}

// element takes the next element of the repeated field 1 off b.
func (r *reader) element(b *[]byte, depth int) []byte {
	field, kind, n := protowire.ConsumeTag(*b)
	if n > 0 && field == 1 && kind == protowire.BytesType && depth <= maxDetailDepth {
		if value, m := protowire.ConsumeBytes((*b)[n:]); m >= 0 {
			*b = (*b)[n+m:]
			return value
		}
	}
	r.odd, *b = true, nil
	return nil
}

// any reads a google.protobuf.Value, whose one field says its kind.
func (r *reader) any(b []byte, depth int) any {
	in := reader{b: b}
	if r.odd || !in.next() || len(in.b) > 0 {
		r.odd = true
		return nil
	}
	switch {
	case in.field == valueNull && in.kind == protowire.VarintType:
		return nil
	case in.field == valueNumber && in.kind == protowire.Fixed64Type:
		f := math.Float64frombits(in.number)
		r.odd = r.odd || math.IsNaN(f) || math.IsInf(f, 0)
		return f
	case in.field == valueString && in.kind == protowire.BytesType:
		s := in.text()
		r.odd = r.odd || in.odd
		return s
	case in.field == valueBool && in.kind == protowire.VarintType:
		return in.number != 0
	case in.field == valueStruct && in.kind == protowire.BytesType:
		return r.object(in.value, depth)
	case in.field == valueList && in.kind == protowire.BytesType:
		return r.list(in.value, depth)
	default:
		r.odd = true
		return nil
	}
}
