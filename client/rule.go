package client

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/client/neversent"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// operationIDHeader comes at the crossing, ahead of the answer.
const operationIDHeader = "remedy-operation-id"

// known is what is known of one CallTool when its error is judged.
type known struct {
	request *servicev1.CallToolRequest
	ledger  bool // the service keeps operations
	reads   bool // the tool changes nothing
	header  metadata.MD
	record  *neversent.Record
}

type knownKey struct{}

// in returns the context of the call. It passes what is known to the interceptor of the connection.
func (k *known) in(ctx context.Context) context.Context {
	ctx, k.record = neversent.Watch(ctx, servicev1.ToolService_CallTool_FullMethodName)
	return context.WithValue(ctx, knownKey{}, k)
}

// judge applies the code-only rule: the error of a call becomes an unknown outcome unless it says what became of the
// call, or it is proven that nothing was sent, which judge returns too. It is idempotent.
func (k *known) judge(err error) (unsent bool, judged error) {
	unsent, err = k.record.Proves(err), received(err)
	if k.reads {
		return unsent, k.annotated(err, "")
	}
	judged = errs.InferOutcome(err, errs.Call{
		Name: k.request.GetTool(), OperationKey: k.request.GetOperationKey(), Ledger: k.ledger, NeverSent: unsent,
	})
	if lost, ok := judged.(*errs.OutcomeUnknownError); ok && error(lost) != err { //nolint:errorlint // one made just now
		if ids := k.header.Get(operationIDHeader); lost.OperationID == "" && len(ids) == 1 {
			lost.OperationID = ids[0]
		}
	}
	return unsent, k.annotated(judged, errs.InfoOf(err).ErrorID)
}

// annotated adds what a typed error does not say of the call it belongs to, and the number under which the log of the
// service has the error that was received.
func (k *known) annotated(err error, errorID string) error {
	if errs.CodeOf(err) == "" {
		return err
	}
	info := errs.InfoOf(err)
	missing := errs.Info{}
	if info.ErrorID == "" {
		missing.ErrorID = errorID
	}
	if info.Tool == "" {
		missing.Tool = k.request.GetTool()
	}
	if info.OperationKey == "" {
		missing.OperationKey = k.request.GetOperationKey()
	}
	if info.RunID == "" {
		missing.RunID = k.request.GetRunId()
	}
	if missing == (errs.Info{}) {
		return err
	}
	return errs.WithInfo(err, missing)
}

// judged is the interceptor that applies the rule inside every interceptor that might send the call again.
func judged(
	ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
	options ...grpc.CallOption,
) error {
	call, ok := request.(*servicev1.CallToolRequest)
	if !ok || method != servicev1.ToolService_CallTool_FullMethodName {
		return invoke(ctx, method, request, reply, conn, options...)
	}
	k, ok := ctx.Value(knownKey{}).(*known)
	if !ok || k.request.GetTool() != call.GetTool() || k.request.GetOperationKey() != call.GetOperationKey() {
		// Called by something else than a Client.
		k = &known{request: call}
		ctx = k.in(ctx)
		options = append([]grpc.CallOption{grpc.Header(&k.header)}, options...)
	}
	err := invoke(ctx, method, request, reply, conn, options...)
	if err == nil {
		return nil
	}
	_, err = k.judge(err)
	return err
}
