package client

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// WatchOperation iterates over an operation: as it is now, and then whenever it has changed, until it is done, closed or
// free. It goes on over unknown, which somebody may still resolve. An error comes last, with a nil operation; it is
// operation_not_found where the service keeps it no more.
//
// The default is one stream. With [WithRetry] it is begun again, and says nothing twice, whenever it broke, or was ended by a
// limit of the service or an error that says as_is: watching changes nothing. The attempts are counted anew after a stream
// that held for [Retry.MaxBackoff].
func (c *Client) WatchOperation(ctx context.Context, name OperationName) iter.Seq2[*servicev1.Operation, error] {
	return func(yield func(*servicev1.Operation, error) bool) {
		wire, err := name.proto()
		if err != nil {
			yield(nil, &neversent.Error{Err: err})
			return
		}
		w := &watch{client: c.operations, name: wire, yield: yield}
		for n := 1; ; n++ {
			begun := time.Now()
			unsent, err := w.once(ctx)
			if w.over {
				return
			}
			w.sent = w.sent || !unsent
			if time.Since(begun) >= c.retry.MaxBackoff {
				n = 1
			}
			again, end := false, error(nil)
			if broke(ctx, err) || c.retry.repeatable(unsent, err) {
				again, end = c.retry.pause(ctx, n, err)
			}
			if !again {
				yield(nil, w.failed(ctx, err, end))
				return
			}
		}
	}
}

// WaitOperation waits until nobody works on an operation any more, and returns it: done, with or without a result here;
// free, so that it provably had no effect and its key may be used again; or closed, so that its key never runs again. Where
// it is unknown, the error is an [errs.OutcomeUnknownError] beside the operation: nothing but [Client.Reconcile], a late
// result or the word of an operator will change that. An equal call under the same key gets the stored result of what is
// done.
//
// The wait is one of [Client.WatchOperation], and ends with ctx, whose error then matches. An error of the wait comes with
// the operation as it was seen last, nil where it never was.
func (c *Client) WaitOperation(ctx context.Context, name OperationName) (*servicev1.Operation, error) {
	var last *servicev1.Operation
	for operation, err := range c.WatchOperation(ctx, name) {
		if err != nil {
			return last, err
		}
		last = operation
		if operation.GetState() == servicev1.OperationState_OPERATION_STATE_UNKNOWN {
			return operation, &errs.OutcomeUnknownError{
				Tool: operation.GetTool(), OperationKey: operation.GetOperationKey(), OperationID: operation.GetId(),
				Reason: operation.GetReason(),
			}
		}
	}
	return last, nil
}

// watch is one watch of an operation, over one stream after another.
type watch struct {
	client servicev1.OperationServiceClient
	name   *servicev1.OperationName // by id, once that is known
	yield  func(*servicev1.Operation, error) bool
	last   *servicev1.Operation // what was said last
	over   bool                 // there is nothing more to say, or nobody listens
	sent   bool                 // not all streams are proven never to have been begun
}

// once reads one stream to its end. It returns whether it is proven that nothing was sent.
func (w *watch) once(ctx context.Context) (unsent bool, err error) {
	ctx, record := neversent.Watch(ctx, servicev1.OperationService_WatchOperation_FullMethodName)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // also where the stream has not ended
	stream, err := w.client.WatchOperation(ctx, &servicev1.WatchOperationRequest{Operation: w.name})
	for err == nil {
		var response *servicev1.WatchOperationResponse
		if response, err = stream.Recv(); err == nil && !w.say(response.GetOperation()) {
			w.over = true
			return false, nil
		}
	}
	if errors.Is(err, io.EOF) {
		w.over = settled(w.last)
		return false, errors.New("client: watching an operation: the service ended the stream before the operation")
	}
	unsent, err = unmarked(err)
	return unsent || record.Proves(err), err
}

// say passes an operation on unless that was done already, and returns whether to go on.
func (w *watch) say(operation *servicev1.Operation) bool {
	if w.last != nil && proto.Equal(w.last, operation) {
		return true
	}
	w.last = operation
	if id := operation.GetId(); checkID(id) == nil { // its key may name another one later
		w.name = &servicev1.OperationName{Name: &servicev1.OperationName_Id{Id: id}}
	}
	return w.yield(operation, nil)
}

// failed is the error that a watch ends with.
func (w *watch) failed(ctx context.Context, err, end error) error {
	if end == nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		end = ctx.Err()
	}
	if err = ended(err, end); !w.sent {
		return &neversent.Error{Err: err}
	}
	return err
}

// broke reports whether a stream ended for a reason that says nothing of the operation: its connection broke, or somebody on
// the way lets no stream live longer.
func broke(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if code := errs.CodeOf(err); code != "" {
		return code == errs.CodeDeadlineExceeded
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Internal: // the last one is what grpc makes of RST_STREAM
		return true
	default:
		return false
	}
}

// settled reports whether an operation changes no more but by the word of an operator.
func settled(operation *servicev1.Operation) bool {
	switch operation.GetState() {
	case servicev1.OperationState_OPERATION_STATE_DONE, servicev1.OperationState_OPERATION_STATE_CLOSED,
		servicev1.OperationState_OPERATION_STATE_FREE:
		return true
	default:
		return false
	}
}
