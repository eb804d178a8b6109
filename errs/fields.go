package errs

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// A tag is the number of a field above three bits of its wire type.
const (
	tagBits    = 3
	tagVarint  = uint64(protowire.VarintType)
	tagFixed64 = uint64(protowire.Fixed64Type)
	tagBytes   = uint64(protowire.BytesType)
	tagFixed32 = uint64(protowire.Fixed32Type)
)

// fields goes through the fields of a message, in whatever order they come. The message is a string, so that the strings in
// it need not be copied one by one.
type fields struct {
	b   string
	tag uint64 // number and wire type of the field
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
	r.tag = r.varint()
	if number := r.tag >> tagBits; r.bad || number == 0 || number > uint64(protowire.MaxValidNumber) {
		return r.stop()
	}
	switch r.tag & (1<<tagBits - 1) {
	case tagBytes:
		if n := r.varint(); n <= uint64(len(r.b)) {
			r.value, r.b = r.b[:n], r.b[n:]
		} else {
			r.bad = true
		}
	case tagVarint:
		r.number = r.varint()
	case tagFixed64:
		r.number = r.fixed(8) //nolint:mnd // bytes
	case tagFixed32:
		r.number = r.fixed(4) //nolint:mnd // bytes
	default:
		return r.stop() // a group: no message of ours has any
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
