package errs

import (
	"crypto/rand"
	"encoding/hex"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
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

// deterministic makes equal errors equal bytes.
var deterministic = proto.MarshalOptions{Deterministic: true, AllowPartial: true}

// listCost is the size of the trailer list that carries p.
func listCost(p *spb.Status) int {
	return costOf(authored.WireLen(p.GetMessage()), proto.Size(p))
}

// listCostAtMost is listCost of a status of the given size, or more where both are far below every limit.
func listCostAtMost(message string, size int) int {
	const most = 3 // bytes that one byte of a message takes in a header
	if cost := costOf(most*len(message), size); cost <= room(MinLimit) {
		return cost
	}
	return costOf(authored.WireLen(message), size)
}

func costOf(messageOnWire, size int) int {
	return listOverhead + messageOnWire + int(ceilDiv(4*int64(size), 3)) //nolint:mnd // base64
}

// statusSize is proto.Size of a status without unknown fields.
func statusSize(p *spb.Status) int {
	const tag = 1 // bytes of each tag below
	size := 0
	if p.GetCode() != 0 {
		size += tag + protowire.SizeVarint(uint64(int64(p.GetCode()))) //nolint:gosec // as protobuf does
	}
	if n := len(p.GetMessage()); n > 0 {
		size += tag + protowire.SizeBytes(n)
	}
	for _, d := range p.GetDetails() {
		size += tag + protowire.SizeBytes(anySize(d))
	}
	return size
}

// anySize is proto.Size of an Any without unknown fields.
func anySize(d *anypb.Any) int {
	const tag = 1 // bytes of each tag below
	size := 0
	if n := len(d.GetTypeUrl()); n > 0 {
		size += tag + protowire.SizeBytes(n)
	}
	if n := len(d.GetValue()); n > 0 {
		size += tag + protowire.SizeBytes(n)
	}
	return size
}

// unknownSize is what statusSize leaves out.
func unknownSize(p *spb.Status) int {
	size := len(p.ProtoReflect().GetUnknown())
	for _, d := range p.GetDetails() {
		size += len(d.ProtoReflect().GetUnknown())
	}
	return size
}

// room is what a limit leaves for an error beside other trailers; zero asks for the default.
func room(limit int) int { return min(max(limit, MinLimit), MaxLimit) - otherTrailers }

// fit packs the form and returns what it costs, climbing down the ladder until the trailer list stays within limit.
func (f *form) fit(limit int) (*status.Status, int) {
	p, cost := f.pack()
	if cost > room(limit) {
		for range f.ladder() {
			f.info.Truncated = true
			if p, cost = f.pack(); cost <= room(limit) {
				break
			}
		}
	}
	return status.FromProto(p), cost
}

// pack writes the details in their order, each type at most once. It returns what the trailer list costs
// too. The status is good until the next call.
func (f *form) pack() (p *spb.Status, cost int) {
	p = &spb.Status{Code: int32(f.status), Message: f.message()} //nolint:gosec // codes are small
	d := &f.packer
	d.reset()
	d.errorInfo(f.code, f.domain, f.retry, &f.info)
	if f.tool {
		d.toolError(f.code, f.headline, f.retry, f.details)
	} else if f.identity != nil {
		d.message(f.identity)
	}
	if f.declared != nil {
		d.list = append(d.list, f.declared)
	}
	if !f.plan.empty() {
		d.addRaw(repairPlanURL, f.plan.bytes())
	}
	if f.badRequest != nil {
		d.message(f.badRequest)
	}
	if f.after > 0 {
		d.message(&errdetails.RetryInfo{RetryDelay: durationpb.New(f.after)})
	}
	if f.quota != nil {
		d.message(f.quota)
	}
	if f.precondition != nil {
		d.message(f.precondition)
	}
	if f.resource != nil {
		d.message(f.resource)
	}
	if f.help != nil {
		d.message(f.help)
	}
	if len(f.causes) > 0 {
		d.message(&remedyv1.Causes{Causes: f.causes})
	}
	d.list = append(d.list, f.extras...)
	p.Details = d.list
	return p, listCostAtMost(p.GetMessage(), statusSize(p))
}

// newErrorID returns 16 random bytes in hexadecimal.
func newErrorID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}
