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
	var d packer
	d.errorInfo(f.code, f.domain, f.retry, f.info)
	if f.identity != nil {
		d.identity(f.identity, f.details)
	}
	if f.declared != nil {
		d.list = append(d.list, f.declared)
	}
	if !f.plan.empty() {
		d.list = append(d.list, &anypb.Any{TypeUrl: repairPlanURL, Value: f.plan.bytes()})
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
	p.Details = append(d.list, f.extras...)
	return p
}

// packer writes details one after another into one piece of memory.
type packer struct {
	buf  []byte
	list []*anypb.Any
}

func (d *packer) errorInfo(code, domain string, retry RetryPolicy, info Info) {
	d.list = make([]*anypb.Any, 0, 4) //nolint:mnd // what most errors have
	d.buf = appendErrorInfo(make([]byte, 0, 512), code, domain, retry, info)
	d.add(errorInfoURL, 0)
}

// identity writes the identity message, with details that are encoded already.
func (d *packer) identity(m proto.Message, details []byte) {
	start := len(d.buf)
	d.append(m)
	url := toolErrorURL
	if _, ok := m.(*remedyv1.ToolError); !ok {
		url = urlOf(m)
	} else if len(details) > 0 {
		const field = 4 // remedy.v1.ToolError.details, the last one
		d.buf = protowire.AppendTag(d.buf, field, protowire.BytesType)
		d.buf = protowire.AppendBytes(d.buf, details)
	}
	d.add(url, start)
}

func (d *packer) message(m proto.Message) {
	start := len(d.buf)
	d.append(m)
	d.add(urlOf(m), start)
}

func (d *packer) append(m proto.Message) {
	if b, err := deterministic.MarshalAppend(d.buf, m); err == nil { // only bad UTF-8 fails, and every string was made valid
		d.buf = b
	}
}

// add files what was written since start.
func (d *packer) add(url string, start int) {
	d.list = append(d.list, &anypb.Any{TypeUrl: url, Value: d.buf[start:len(d.buf):len(d.buf)]})
}

func anyOf(m proto.Message) *anypb.Any {
	var d packer
	d.message(m)
	return d.list[0]
}

// newErrorID returns 16 random bytes in hexadecimal.
func newErrorID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}
