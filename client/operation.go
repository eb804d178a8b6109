package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// Operation returns one operation with its trail, as it is now. Its result is only there for a tool that authorizes nobody;
// for every tool, an equal call under the same key gets it.
//
// The error is operation_not_found for an operation that the caller may not see, too. It is no proof that nothing happened:
// the call may still be on its way, its tool may make keys of its own, and the service may have forgotten the key.
func (c *Client) Operation(ctx context.Context, name OperationName) (*servicev1.Operation, error) {
	return c.named(ctx, name, servicev1.OperationService_GetOperation_FullMethodName,
		func(ctx context.Context, name *servicev1.OperationName) (response, error) {
			return c.operations.GetOperation(ctx, &servicev1.GetOperationRequest{Operation: name})
		})
}

// Reconcile asks the service to look what became of an operation, where its tool can tell, and returns it as it is then. It
// never executes, and can be sent again. An operation that runs, or that was looked at just now, comes back as it is: look
// at its state, which may still be unknown.
func (c *Client) Reconcile(ctx context.Context, name OperationName) (*servicev1.Operation, error) {
	return c.named(ctx, name, servicev1.OperationService_ReconcileOperation_FullMethodName,
		func(ctx context.Context, name *servicev1.OperationName) (response, error) {
			return c.operations.ReconcileOperation(ctx, &servicev1.ReconcileOperationRequest{Operation: name})
		})
}

// response is one of those that hold an operation.
type response interface{ GetOperation() *servicev1.Operation }

// named makes a call about the operation that a name names, which changes nothing outside of the service.
func (c *Client) named(
	ctx context.Context, name OperationName, method string, call func(context.Context, *servicev1.OperationName) (response, error),
) (*servicev1.Operation, error) {
	wire, err := name.proto()
	if err != nil {
		return nil, &neversent.Error{Err: err}
	}
	var operation *servicev1.Operation
	err = c.read(ctx, method, func(ctx context.Context) error {
		response, err := call(ctx, wire)
		if err == nil {
			operation = response.GetOperation()
		}
		return err
	})
	return operation, err
}

// OperationFilter chooses operations for [Client.Operations]. The zero value chooses the caller's own, and for an operator
// those of its tenant, in every state but free.
type OperationFilter struct {
	// States are those to list; none means all but free.
	States []servicev1.OperationState
	// Tool, OperationKey and RunID have to be equal where they are not empty.
	Tool, OperationKey, RunID string
	// Principal is whose operations to list; others than one's own are for operators.
	Principal string
	// PageSize is how many are fetched at once, from 0 to 1000; 0 means 100.
	PageSize int32
}

// Operations iterates over operations, the newest first, fetching page after page as they are consumed. They come without
// results and trails, which [Client.Operation] returns. An error comes last, with a nil operation. Each use of the sequence
// starts anew.
func (c *Client) Operations(ctx context.Context, filter OperationFilter) iter.Seq2[*servicev1.Operation, error] {
	return func(yield func(*servicev1.Operation, error) bool) {
		for token := ""; ; {
			var page *servicev1.ListOperationsResponse
			err := c.read(ctx, servicev1.OperationService_ListOperations_FullMethodName, func(ctx context.Context) (err error) {
				page, err = c.operations.ListOperations(ctx, &servicev1.ListOperationsRequest{
					PageSize: filter.PageSize, PageToken: token, States: filter.States,
					Tool: filter.Tool, OperationKey: filter.OperationKey, RunId: filter.RunID, Principal: filter.Principal,
				})
				return err
			})
			if err != nil {
				yield(nil, err)
				return
			}
			for _, operation := range page.GetOperations() {
				if !yield(operation, nil) {
					return
				}
			}
			switch next := page.GetNextPageToken(); next {
			case "":
				return
			case token:
				yield(nil, errors.New("client: listing operations: the service sent the same page token twice"))
				return
			default:
				token = next
			}
		}
	}
}

// ResolveApplied ends the doubt about an unknown operation, for an operator who has looked: it took effect. Equal calls then
// get output, as JSON, as its stored result; an empty one says that it is not known. The reason says what was looked at, in
// 1 to 1024 bytes, and is kept in the trail.
//
// A decision is about one operation, and so goes by its id, never by a key. The same decision may be sent again, and should
// be where its answer was lost, which is an [errs.OutcomeUnknownError]. Who is no operator gets authorization_denied, and an
// operation that is not unknown operation_not_in_doubt.
func (c *Client) ResolveApplied(ctx context.Context, id, reason string, output json.RawMessage) (*servicev1.Operation, error) {
	return c.resolve(ctx, &servicev1.ResolveOperationRequest{
		Id: id, Reason: reason, OutputJson: string(output), Resolution: servicev1.OperationResolution_OPERATION_RESOLUTION_APPLIED,
	})
}

// ResolveNotApplied is [Client.ResolveApplied] for an operation that did not take effect, and never will: its key is closed
// for good, and equal calls get operation_closed. It is refused, operation_in_flight, while an attempt could still act.
func (c *Client) ResolveNotApplied(ctx context.Context, id, reason string) (*servicev1.Operation, error) {
	return c.resolve(ctx, &servicev1.ResolveOperationRequest{
		Id: id, Reason: reason, Resolution: servicev1.OperationResolution_OPERATION_RESOLUTION_NOT_APPLIED,
	})
}

func (c *Client) resolve(ctx context.Context, request *servicev1.ResolveOperationRequest) (*servicev1.Operation, error) {
	return c.decide(ctx, request.GetId(), func(ctx context.Context) (response, error) {
		return c.operations.ResolveOperation(ctx, request)
	})
}

// Purge drops the output and the texts of an operation that is done, closed or free, for an operator, and keeps its key. It
// may be sent again, and should be where its answer was lost, which is an [errs.OutcomeUnknownError]. An operation that
// runs gets operation_in_flight, and one that is unknown operation_in_doubt.
func (c *Client) Purge(ctx context.Context, id string) (*servicev1.Operation, error) {
	return c.decide(ctx, id, func(ctx context.Context) (response, error) {
		return c.operations.PurgeOperation(ctx, &servicev1.PurgeOperationRequest{Id: id})
	})
}

// decide makes a call that changes an operation.
func (c *Client) decide(
	ctx context.Context, id string, call func(context.Context) (response, error),
) (*servicev1.Operation, error) {
	if err := checkID(id); err != nil {
		return nil, &neversent.Error{Err: err}
	}
	var operation *servicev1.Operation
	err := c.retry.do(ctx, func(ctx context.Context) (bool, error) {
		response, err := call(ctx)
		if err == nil {
			operation = response.GetOperation()
			return false, nil
		}
		unsent, err := unmarked(err)
		if errs.CodeOf(err) != "" && errs.InfoOf(err).OperationID == "" {
			err = errs.WithInfo(err, errs.Info{OperationID: id})
		}
		return unsent, err
	})
	return operation, err
}
