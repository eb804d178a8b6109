package errs

import (
	"crypto/rand"
	"encoding/hex"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// Bounds of the trailer list (names, values and 32 bytes an entry), in bytes. Above about 4,200 a default nginx turns
// the whole error into UNAVAILABLE, above 8,192 C-core and grpc-java turn it into INTERNAL.
const (
	// DefaultLimit is the largest trailer list that carries an error unless another limit is asked for.
	DefaultLimit = 4096
	// MaxLimit is the largest limit that can be asked for.
	MaxLimit = 8000
	// MinLimit is the smallest: no error needs more at the end of the ladder.
	MinLimit = 4096

	otherTrailers = 256 // left free for trailers that are not ours
	listOverhead  = 246 // fixed trailers, names and 32 bytes an entry
)

const typePrefix = "type.googleapis.com/"

// deterministic makes equal errors equal bytes.
var deterministic = proto.MarshalOptions{Deterministic: true}

// listCost is the size of the trailer list that carries p.
func listCost(p *spb.Status) int {
	return listOverhead + wireLen(p.GetMessage()) + int(ceilDiv(4*int64(proto.Size(p)), 3))
}

// room is what a limit leaves for an error beside other trailers; zero asks for the default.
func room(limit int) int { return min(max(limit, MinLimit), MaxLimit) - otherTrailers }

// fit packs the form and returns what it costs, climbing down the ladder until the trailer list stays within limit.
func (f *form) fit(limit int) (*status.Status, int) {
	p := f.pack()
	cost := listCost(p)
	if cost > room(limit) {
		for range f.ladder() {
			f.info.Truncated = true
			p = f.pack()
			if cost = listCost(p); cost <= room(limit) {
				break
			}
		}
	}
	return status.FromProto(p), cost
}

// pack writes the details in their order, each type at most once.
func (f *form) pack() *spb.Status {
	p := &spb.Status{Code: int32(f.status), Message: f.message()} //nolint:gosec // codes are small
	p.Details = make([]*anypb.Any, 0, 4)                          //nolint:mnd // what most errors have
	p.Details = append(p.Details, &anypb.Any{TypeUrl: errorInfoURL, Value: f.errorInfo()})
	if f.identity != nil {
		p.Details = append(p.Details, anyOf(f.identity))
	}
	if f.declared != nil {
		p.Details = append(p.Details, f.declared.any)
	}
	if !f.plan.empty() {
		p.Details = append(p.Details, &anypb.Any{TypeUrl: repairPlanURL, Value: f.plan.bytes()})
	}
	if f.badRequest != nil {
		p.Details = append(p.Details, anyOf(f.badRequest))
	}
	if f.after > 0 {
		p.Details = append(p.Details, anyOf(&errdetails.RetryInfo{RetryDelay: durationpb.New(f.after)}))
	}
	if f.quota != nil {
		p.Details = append(p.Details, anyOf(f.quota))
	}
	if f.precondition != nil {
		p.Details = append(p.Details, anyOf(f.precondition))
	}
	if f.resource != nil {
		p.Details = append(p.Details, anyOf(f.resource))
	}
	if f.help != nil {
		p.Details = append(p.Details, anyOf(f.help))
	}
	if len(f.causes) > 0 {
		p.Details = append(p.Details, anyOf(&remedyv1.Causes{Causes: f.causes}))
	}
	p.Details = append(p.Details, f.extras...)
	return p
}

func anyOf(m proto.Message) *anypb.Any {
	value, err := deterministic.Marshal(m)
	if err != nil {
		value = nil // only bad UTF-8 fails, and every string was made valid
	}
	return &anypb.Any{TypeUrl: typePrefix + string(m.ProtoReflect().Descriptor().FullName()), Value: value}
}

// errorInfo writes google.rpc.ErrorInfo, its metadata in the order of the keys.
func (f *form) errorInfo() []byte {
	b := make([]byte, 0, 192) //nolint:mnd // one allocation for most
	b = appendString(b, 1, reasonOf(f.code))
	b = appendString(b, 2, f.domain)
	b = appendEntry(b, "effect", f.info.Effect.String())
	b = appendEntry(b, "errorId", f.id(f.info.ErrorID))
	b = appendEntry(b, "operationId", f.id(f.info.OperationID))
	b = appendEntry(b, "operationKey", f.key(f.info.OperationKey))
	b = appendEntry(b, "retry", f.retry.String())
	b = appendEntry(b, "runId", f.id(f.info.RunID))
	b = appendEntry(b, "tool", f.tool(f.info.Tool))
	if f.info.Truncated {
		b = appendEntry(b, "truncated", "true")
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
	const metadata = 3
	b = protowire.AppendTag(b, metadata, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(1+protowire.SizeBytes(len(key))+1+protowire.SizeBytes(len(value)))) //nolint:gosec // not negative
	b = appendString(b, 1, key)
	return appendString(b, 2, value)
}

// newErrorID returns 16 random bytes in hexadecimal.
func newErrorID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// dotted turns a JSON Pointer into the dotted form that google.rpc.BadRequest asks for: /items/0/name is items[0].name.
func dotted(pointer string) string {
	if pointer == "" {
		return ""
	}
	var b strings.Builder
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return b.String()
}
