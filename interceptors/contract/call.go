package contract

import (
	"errors"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// operationIDHeader comes at the crossing, ahead of the answer.
const operationIDHeader = "remedy-operation-id"

// call is what is known of one call of a method with an effect. It travels as an option of the call, so that the rules
// inside a connection know what those around it know, whatever retries between them.
type call struct {
	grpc.EmptyCallOption

	method *method
	ledger bool
	reads  bool // this call changes nothing
	record *neversent.Record
	header metadata.MD // of a unary call, once it has ended
	once   *once       // nil where nothing is known of how often it was sent
}

// once is what a unary call over a connection of grpc's own says of itself, without a stats handler: it is sent once at
// most, so the one attempt that can have sent it is the last one, and that had a stream or had none.
type once struct {
	stream peer.Peer // empty where the last attempt had no stream

	mu    sync.Mutex
	ended []error
}

// options ask for it. Without a buffer grpc repeats nothing of which a message was handed to a stream.
func (o *once) options() []grpc.CallOption {
	return []grpc.CallOption{grpc.Peer(&o.stream), grpc.OnFinish(func(err error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.ended = append(o.ended, err)
	})}
}

// proves reports whether err is what the only call made with the options ended with, and nothing of it was sent.
func (o *once) proves(err error) bool {
	if o == nil || err == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.ended) == 1 && o.ended[0] != nil && errors.Is(err, o.ended[0]) && o.stream.Addr == nil
}

// names are how an error names its call.
type names struct{ tool, key string }

// callIn returns the call that rules around these have begun, nil for none.
func callIn(options []grpc.CallOption, m *method) *call {
	if !m.hasEffect() {
		return nil
	}
	for _, option := range options {
		if c, ok := option.(*call); ok && c.method.name == m.name {
			return c
		}
	}
	return nil
}

// proves reports whether err ended a call of which nothing was sent. Nothing is known of a nil call.
func (c *call) proves(err error) bool {
	return c != nil && (c.record.Proves(err) || c.once.proves(err))
}

// judge applies the code-only rule: a received error becomes an unknown outcome unless it says what became of the call, or
// nothing was sent. It is idempotent.
func (c *call) judge(err error, unsent bool, n names, header metadata.MD) error {
	if c.reads {
		return err
	}
	judged := errs.InferOutcome(err, errs.Call{Name: n.tool, OperationKey: n.key, Ledger: c.ledger, NeverSent: unsent})
	if lost, ok := judged.(*errs.OutcomeUnknownError); ok && error(lost) != err { //nolint:errorlint // one made just now
		if ids := header.Get(operationIDHeader); lost.OperationID == "" && len(ids) == 1 {
			lost.OperationID = ids[0]
		}
	}
	return judged
}
