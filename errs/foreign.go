package errs

import (
	"slices"
	"unicode/utf8"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// foreign encodes a status that is not ours.
func (c Encoder) foreign(err error, h head, method string, effect bool) Encoded {
	received, isReceived := h.foreign.(*foreignError) //nolint:errorlint // this very error
	switch {
	case h.status.Code() == codes.OK: // an error that says OK is a bug
		return c.hide(err, method, effect, "the error has the status OK")
	case isReceived && received.relay != Passthrough, !isReceived && !c.Unmasked && masked(h.status.Code()):
		return c.hide(err, method, effect, "")
	}
	fitted := fitForeign(h.status, c.Limit)
	out := Encoded{Err: err, Status: fitted}
	if s, ok := err.(statusError); !ok || statusSafely(s) != fitted { //nolint:errorlint // this very error
		out.Err = &sentStatusError{orig: err, st: fitted}
	}
	if effect { // it proves nothing, so nothing on the way may take it for a reason to call again
		out.Pushback = pushback(fitted.Code(), Never, 0)
	}
	return out
}

// masked reports the codes whose text is likely to be the text of an exception.
func masked(code codes.Code) bool {
	return code == codes.Internal || code == codes.Unknown || code == codes.DataLoss
}

// fitForeign bounds a status that is not ours: the message is cut, then the details that do not fit are left out, ErrorInfo
// and RetryInfo last.
func fitForeign(st *status.Status, limit int) *status.Status {
	p := st.Proto()
	fits := listCost(p) <= room(limit)
	if fits && isValid(p) {
		return st
	}
	p.Message = validUTF8(p.GetMessage())
	several := infos(p) > 1 // none of which may be left alone: a status with one can be ours
	p.Details = slices.DeleteFunc(p.GetDetails(), func(d *anypb.Any) bool {
		return !utf8.ValidString(d.GetTypeUrl()) || several && messageName(d) == errorInfoName
	})
	if listCost(p) <= room(limit) {
		return status.FromProto(p)
	}
	p.ProtoReflect().SetUnknown(nil) // fields of a later Status, or bytes that somebody put there
	if listCost(p) <= room(limit) {
		return status.FromProto(p)
	}
	p.Message, _ = cutWire(p.GetMessage(), fullMessage)
	details := p.GetDetails()
	p.Details = nil
	left := (room(limit) - listCost(p)) * 3 / 4 //nolint:mnd // base64
	kept := make([]bool, len(details))
	for _, first := range []bool{true, false} {
		for i, d := range details {
			const tag = 1
			if size := tag + protowire.SizeBytes(proto.Size(d)); tells(d) == first && size <= left {
				kept[i] = true
				left -= size
			}
		}
	}
	for i, d := range details {
		if kept[i] {
			p.Details = append(p.Details, d)
		}
	}
	return status.FromProto(p)
}

// infos counts the ErrorInfo details.
func infos(p *spb.Status) int {
	n := 0
	for _, d := range p.GetDetails() {
		if messageName(d) == errorInfoName {
			n++
		}
	}
	return n
}

// tells reports the details that say more than their size.
func tells(d *anypb.Any) bool {
	name := messageName(d)
	return name == errorInfoName || name == retryInfoName
}

// isValid reports whether p can be marshaled.
func isValid(p *spb.Status) bool {
	for _, d := range p.GetDetails() {
		if !utf8.ValidString(d.GetTypeUrl()) {
			return false
		}
	}
	return utf8.ValidString(p.GetMessage())
}

// foreignError is a received status that is not ours.
type foreignError struct {
	err   error
	relay Relay
}

func (e *foreignError) Error() string { return e.err.Error() }
func (e *foreignError) Unwrap() error { return e.err }

func (e *foreignError) GRPCStatus() *status.Status {
	if s, ok := e.err.(statusError); ok { //nolint:errorlint // Received wraps nothing else
		return statusSafely(s)
	}
	return nil
}

// sentStatusError is a status that is not ours, sent in place of the handler's error.
type sentStatusError struct {
	orig error
	st   *status.Status
}

func (e *sentStatusError) Error() string              { return e.st.String() }
func (e *sentStatusError) Unwrap() error              { return e.orig }
func (e *sentStatusError) GRPCStatus() *status.Status { return e.st }
