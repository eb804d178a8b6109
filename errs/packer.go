package errs

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// packer writes details one after another into one piece of memory. What it returns is good until it is used again.
type packer struct {
	buf  []byte
	list []*anypb.Any
	anys []anypb.Any

	// Memory for what most errors need.
	some struct {
		list [4]*anypb.Any
		anys [4]anypb.Any
	}
}

func (d *packer) reset() {
	if d.buf == nil {
		d.buf = make([]byte, 0, 384) //nolint:mnd // as above
	}
	d.buf, d.list, d.anys = d.buf[:0], d.some.list[:0], d.some.anys[:0]
}

// add files what was written since start.
func (d *packer) add(url string, start int) {
	d.addRaw(url, d.buf[start:len(d.buf):len(d.buf)])
}

func (d *packer) addRaw(url string, value []byte) {
	if len(d.anys) == cap(d.anys) {
		d.anys = make([]anypb.Any, 0, len(d.some.anys))
	}
	d.anys = d.anys[:len(d.anys)+1]
	detail := &d.anys[len(d.anys)-1]
	detail.TypeUrl, detail.Value = url, value
	d.list = append(d.list, detail)
}

func (d *packer) message(m proto.Message) {
	start := len(d.buf)
	if b, err := deterministic.MarshalAppend(d.buf, m); err == nil { // only bad UTF-8 fails, and every string was made valid
		d.buf = b
	}
	d.add(urlOf(m), start)
}

func (d *packer) errorInfo(code, domain string, retry RetryPolicy, info *Info) {
	start := len(d.buf)
	d.buf = appendErrorInfo(d.buf, code, domain, retry, info)
	d.add(errorInfoURL, start)
}

// toolError writes the identity of every error that is not in the catalog. details are the bytes of a Struct.
func (d *packer) toolError(code, message string, retry RetryPolicy, details []byte) {
	start := len(d.buf)
	d.buf = appendString(d.buf, toolErrorCode, code)
	if message != "" {
		d.buf = appendString(d.buf, toolErrorMessage, message)
	}
	d.buf = appendVarint(d.buf, toolErrorRetry, uint64(retry)) //nolint:gosec // not negative
	if len(details) > 0 {
		d.buf = protowire.AppendTag(d.buf, toolErrorDetails, protowire.BytesType)
		d.buf = protowire.AppendBytes(d.buf, details)
	}
	d.add(toolErrorURL, start)
}

func anyOf(m proto.Message) *anypb.Any {
	b, err := deterministic.Marshal(m)
	if err != nil {
		b = nil // as in message
	}
	return &anypb.Any{TypeUrl: urlOf(m), Value: b}
}
