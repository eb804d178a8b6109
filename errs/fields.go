package errs

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// fields goes through the fields of a message, in whatever order they come. The message is a string, so that the strings in
// it need not be copied one by one.
type fields struct {
	b     string
	field protowire.Number
	kind  protowire.Type
	// value or number is what the field holds.
	value  string
	number uint64
	bad    bool // the bytes are not a message
}

// next steps to the next field; it returns false at the end, and where the bytes are not a message.
func (r *fields) next() bool {
	if r.bad || r.b == "" {
		return false
	}
	r.field, r.kind = protowire.DecodeTag(r.varint())
	if !r.field.IsValid() || r.bad {
		return r.stop()
	}
	switch r.kind {
	case protowire.BytesType:
		if n := r.varint(); n <= uint64(len(r.b)) {
			r.value, r.b = r.b[:n], r.b[n:]
		} else {
			r.bad = true
		}
	case protowire.VarintType:
		r.number = r.varint()
	case protowire.Fixed64Type:
		r.number = r.fixed(8) //nolint:mnd // bytes
	case protowire.Fixed32Type:
		r.number = r.fixed(4) //nolint:mnd // bytes
	case protowire.StartGroupType, protowire.EndGroupType:
		return r.stop() // no message of ours has any
	default:
		return r.stop()
	}
	return !r.bad
}

// varint takes a varint off the message.
func (r *fields) varint() uint64 {
	if r.b != "" && r.b[0] < 0x80 { // most are one byte
		v := uint64(r.b[0])
		r.b = r.b[1:]
		return v
	}
	var v uint64
	const most = 10 // bytes
	for i := range min(len(r.b), most) {
		c := r.b[i]
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 && (i < most-1 || c <= 1) {
			r.b = r.b[i+1:]
			return v
		}
	}
	r.bad = true
	return 0
}

// fixed takes size bytes, little endian.
func (r *fields) fixed(size int) uint64 {
	if len(r.b) < size {
		r.bad = true
		return 0
	}
	var v uint64
	for i := range size {
		v |= uint64(r.b[i]) << (8 * i) //nolint:mnd // bits of a byte
	}
	r.b = r.b[size:]
	return v
}

func (r *fields) stop() bool {
	r.bad = true
	return false
}

// text returns the field where it is a valid string.
func (r *fields) text() string {
	if !utf8.ValidString(r.value) {
		r.bad = true
		return ""
	}
	return r.value
}
