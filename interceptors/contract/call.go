package contract

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

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
func (c *call) proves(err error) bool { return c != nil && c.record.Proves(err) }

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
