package errs

import (
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/internal/authored"
)

// Fields of google.rpc.ErrorInfo and of the entries of its metadata.
const (
	infoReason   = 1
	infoDomain   = 2
	infoMetadata = 3
	entryKey     = 1
	entryValue   = 2
)

const retryKey = "retry" // the entry of the metadata that makes an error ours

// appendErrorInfo writes google.rpc.ErrorInfo, its metadata in the order of the keys.
func appendErrorInfo(b []byte, code, domain string, retry RetryPolicy, info *Info) []byte {
	b = appendReason(b, code)
	b = appendString(b, infoDomain, domain)
	b = appendEntry(b, "effect", info.Effect.String())
	b = appendEntry(b, "errorId", info.ErrorID)
	b = appendEntry(b, "operationId", info.OperationID)
	b = appendEntry(b, "operationKey", info.OperationKey)
	b = appendEntry(b, retryKey, retry.String())
	b = appendEntry(b, "runId", info.RunID)
	b = appendEntry(b, "tool", info.Tool)
	if info.Truncated {
		b = appendEntry(b, "truncated", "true")
	}
	return b
}

// appendReason writes the code in upper case.
func appendReason(b []byte, code string) []byte {
	start := len(b) + len("tl") // the tag and the length take a byte each
	b = appendString(b, infoReason, code)
	for i, c := range b[start:] {
		if c >= 'a' && c <= 'z' {
			b[start+i] = c - 'a' + 'A'
		}
	}
	return b
}

func appendString(b []byte, field protowire.Number, s string) []byte {
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return protowire.AppendString(b, s)
}

// appendEntry writes one entry of ErrorInfo.metadata; an empty value is not known and not written.
func appendEntry(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	size := len("kv") + protowire.SizeBytes(len(key)) + protowire.SizeBytes(len(value)) // the tags take a byte each
	b = protowire.AppendTag(b, infoMetadata, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(size)) //nolint:gosec // not negative
	b = appendString(b, entryKey, key)
	return appendString(b, entryValue, value)
}

// soleInfo returns the one ErrorInfo; nil when there is none or more than one.
func soleInfo(details []*anypb.Any, names []string) *anypb.Any {
	var found *anypb.Any
	for i, name := range names {
		if name == errorInfoName {
			if found != nil {
				return nil
			}
			found = details[i]
		}
	}
	return found
}

// readInfo tells ours from foreign: an ErrorInfo with a retry rule and a reason in the usual form. It returns the reason.
func (w *wire) readInfo(b []byte) (reason string, ok bool) {
	rule := ""
	in := fields{b: string(b)}
	for in.next() {
		switch in.tag {
		case infoReason<<tagBits | tagBytes:
			reason = in.text()
		case infoDomain<<tagBits | tagBytes:
			w.domain = in.text()
		case infoMetadata<<tagBits | tagBytes:
			if key, value := in.entry(); key == retryKey {
				rule = value
			} else {
				w.readEntry(key, value)
			}
		}
	}
	w.retry, ok = parseRetry(rule)
	return reason, ok && !in.bad && authored.IsReason(reason)
}

// entry reads the current field as an entry of a map of strings.
func (r *fields) entry() (key, value string) {
	in := fields{b: r.value}
	for in.next() {
		switch in.tag {
		case entryKey<<tagBits | tagBytes:
			key = in.text()
		case entryValue<<tagBits | tagBytes:
			value = in.text()
		}
	}
	r.bad = r.bad || in.bad
	return key, value
}

// annotated returns an ErrorInfo that also says info; what this version does not know of it stays.
func annotated(detail *anypb.Any, code string, retry RetryPolicy, info Info) *anypb.Any {
	var m, more errdetails.ErrorInfo
	said := appendErrorInfo(nil, code, info.Domain, retry, &info)
	if proto.Unmarshal(detail.GetValue(), &m) != nil || proto.Unmarshal(said, &more) != nil {
		return detail
	}
	proto.Merge(&m, &more) // replaces the entries of the metadata that both have
	return &anypb.Any{TypeUrl: detail.GetTypeUrl(), Value: anyOf(&m).GetValue()}
}
