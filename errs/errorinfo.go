package errs

import (
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
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
func appendErrorInfo(b []byte, code, domain string, retry RetryPolicy, info Info) []byte {
	b = appendString(b, infoReason, reasonOf(code))
	b = appendString(b, infoDomain, domain)
	info.entries(retry, func(key, value string) { b = appendEntry(b, key, value) })
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

// readErrorInfo tells ours from foreign: exactly one ErrorInfo, a retry rule in it, a reason in the usual form.
func readErrorInfo(details []*anypb.Any) (*wire, bool) {
	var found *anypb.Any
	for _, detail := range details {
		if messageName(detail) == errorInfoName {
			if found != nil {
				return nil, false
			}
			found = detail
		}
	}
	if found == nil {
		return nil, false
	}
	w := &wire{}
	var reason, rule []byte
	ok := eachField(found.GetValue(), func(field protowire.Number, value []byte) bool {
		switch field {
		case infoReason:
			reason = value
		case infoDomain:
			w.info.Domain = string(value)
		case infoMetadata:
			key, text, ok := readEntry(value)
			if ok && string(key) == retryKey {
				rule = text
			} else if ok {
				w.info.set(key, text)
			}
			return ok
		}
		return utf8.Valid(value)
	})
	if !ok || !isReason(string(reason)) {
		return nil, false
	}
	w.code = codeOfReason(string(reason))
	w.retry, ok = parseRetry(string(rule))
	return w, ok
}

func readEntry(b []byte) (key, value []byte, ok bool) {
	ok = eachField(b, func(field protowire.Number, text []byte) bool {
		switch field {
		case entryKey:
			key = text
		case entryValue:
			value = text
		}
		return utf8.Valid(text)
	})
	return key, value, ok
}

// eachField calls f for every length-delimited field of a message; it returns false when f does, or when the bytes are not
// a message.
func eachField(b []byte, f func(field protowire.Number, value []byte) bool) bool {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(field, kind, b); n < 0 {
				return false
			}
			b = b[n:]
			continue
		}
		value, n := protowire.ConsumeBytes(b)
		if n < 0 || !f(field, value) {
			return false
		}
		b = b[n:]
	}
	return true
}

// annotated returns an ErrorInfo that also says info; what this version does not know of it stays.
func annotated(detail *anypb.Any, retry RetryPolicy, info Info) *anypb.Any {
	var m errdetails.ErrorInfo
	if proto.Unmarshal(detail.GetValue(), &m) != nil {
		return detail
	}
	if m.GetMetadata() == nil {
		m.Metadata = make(map[string]string)
	}
	info.entries(retry, func(key, value string) {
		if value != "" {
			m.Metadata[key] = value
		}
	})
	return &anypb.Any{TypeUrl: detail.GetTypeUrl(), Value: anyOf(&m).GetValue()}
}
