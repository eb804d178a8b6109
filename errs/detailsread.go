package errs

import (
	"math"

	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// Fields of remedy.v1.ToolError.
const (
	toolErrorCode    = 1
	toolErrorMessage = 2
	toolErrorRetry   = 3
	toolErrorDetails = 4
)

// read reads the identity message of most errors. What protobuf writes is read straight into the struct; bytes of any other
// shape, which are valid too, go the long way through the generated message. It returns false for bytes that are neither.
func (e *ToolError) read(b []byte) bool {
	if e.readPlain(b) {
		return true
	}
	var m remedyv1.ToolError
	if proto.Unmarshal(b, &m) != nil {
		return false
	}
	e.Code, e.Message, e.Retry, e.Details = m.GetCode(), guide.Text(m.GetMessage()), RetryPolicy(m.GetRetry()), nil
	if m.GetDetails() != nil {
		e.Details = m.GetDetails().AsMap()
	}
	return true
}

// readPlain reads a ToolError as protobuf writes it.
func (e *ToolError) readPlain(b []byte) bool {
	e.Code, e.Message, e.Retry, e.Details = "", "", 0, nil
	in := plain{fields: fields{b: string(b)}}
	for in.next() {
		switch in.tag {
		case toolErrorCode<<tagBits | tagBytes:
			e.Code = in.text()
		case toolErrorMessage<<tagBits | tagBytes:
			e.Message = guide.Text(in.text())
		case toolErrorRetry<<tagBits | tagVarint:
			e.Retry = RetryPolicy(in.number) //nolint:gosec // as protobuf does
		case toolErrorDetails<<tagBits | tagBytes:
			e.Details = in.object(in.value, 0)
		default:
			return false
		}
	}
	return !in.bad
}

// plain goes through a message as protobuf writes it: fields that it knows, each once and in order. Everything else is bad.
type plain struct {
	fields

	last uint64
}

func (r *plain) next() bool {
	if !r.fields.next() {
		return false
	}
	field := r.tag >> tagBits
	if field <= r.last {
		return r.stop()
	}
	r.last = field
	return true
}

// object reads a google.protobuf.Struct.
func (r *plain) object(b string, depth int) map[string]any {
	out := make(map[string]any)
	for b != "" {
		in := plain{fields: fields{b: r.element(&b, depth)}}
		if !in.next() || in.tag != entryKey<<tagBits|tagBytes {
			r.bad = true
			return nil
		}
		key := in.text()
		if !in.next() || in.tag != entryValue<<tagBits|tagBytes || in.b != "" {
			r.bad = true
			return nil
		}
		out[key] = r.any(in.value, depth+1)
	}
	return out
}

// list reads a google.protobuf.ListValue.
func (r *plain) list(b string, depth int) []any {
	out := make([]any, 0)
	for b != "" {
		out = append(out, r.any(r.element(&b, depth), depth+1))
	}
	return out
}

// element takes the next element of the repeated field 1 off b.
func (r *plain) element(b *string, depth int) string {
	in := fields{b: *b}
	if !in.next() || in.tag != 1<<tagBits|tagBytes || depth > maxDetailDepth {
		r.bad, *b = true, ""
		return ""
	}
	*b = in.b
	return in.value
}

// any reads a google.protobuf.Value, whose one field says its kind.
func (r *plain) any(b string, depth int) any {
	in := fields{b: b}
	if r.bad || !in.next() || in.b != "" {
		r.bad = true
		return nil
	}
	switch in.tag {
	case valueNull<<tagBits | tagVarint:
		return nil
	case valueNumber<<tagBits | tagFixed64:
		f := math.Float64frombits(in.number)
		r.bad = r.bad || math.IsNaN(f) || math.IsInf(f, 0)
		return f
	case valueString<<tagBits | tagBytes:
		s := in.text()
		r.bad = r.bad || in.bad
		return s
	case valueBool<<tagBits | tagVarint:
		return in.number != 0
	case valueStruct<<tagBits | tagBytes:
		return r.object(in.value, depth)
	case valueList<<tagBits | tagBytes:
		return r.list(in.value, depth)
	default:
		r.bad = true
		return nil
	}
}
