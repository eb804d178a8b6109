package provider

import "bytes"

// events reads the type of an exception from a frame of an AWS event stream: a length of one byte, the name of the header,
// the type of its value, and the value with a length of two bytes.
func (v *view) events(raw []byte) {
	raw = raw[:min(len(raw), maxBody)]
	name := []byte(":exception-type")
	at := bytes.Index(raw, name)
	if at < 0 {
		return
	}
	rest := raw[at+len(name):]
	const stringType = 7
	if len(rest) < 3 || rest[0] != stringType {
		return
	}
	n := int(rest[1])<<8 | int(rest[2])
	if n > len(rest)-3 || n > maxName {
		return
	}
	v.layers = append(v.layers, layer{exception: string(rest[3 : 3+n])})
}
