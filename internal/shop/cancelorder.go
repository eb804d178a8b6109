package shop

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
)

var (
	orderAlreadyShipped = errs.MustDefine("order_already_shipped", errs.Never,
		errs.Headline("Shipped orders cannot be cancelled."))
	orderAlreadyCancelled = errs.MustDefine("order_already_cancelled", errs.Never,
		errs.Headline("The order is cancelled already."))
	orderNotFound = errs.MustDefine("order_not_found", errs.Never,
		errs.Headline("There is no such order."), errs.Status(codes.NotFound))
)

type cancelOrderInput struct {
	OrderID string       `json:"orderId" jsonschema:"Number of the order."`
	Reason  cancelReason `json:"reason"`
}

type cancelReason string

// JSONSchema lists the reasons.
func (cancelReason) JSONSchema() string { return `{"enum":["customer_request","duplicate"]}` }

type cancelOrderOutput struct {
	OrderID     string    `json:"orderId"`
	Status      string    `json:"status"`
	CancelledAt time.Time `json:"cancelledAt"`
}

func cancelOrder(s *Store) *server.AnyTool {
	return server.NewTool("cancel_order", "Cancel one unshipped order.", server.Tool[cancelOrderInput, cancelOrderOutput]{
		Authorize: func(_ context.Context, op *server.Op, in cancelOrderInput) error {
			if err := s.mayChange(op.Principal); err != nil {
				return err
			}
			return s.owns(op.Principal, in.OrderID)
		},
		Execute: func(_ context.Context, op *server.Op, in cancelOrderInput) (server.Effect[cancelOrderOutput], error) {
			if err := s.cancellable(in.OrderID); err != nil {
				return nil, err
			}
			return func(context.Context) (cancelOrderOutput, error) { return s.cancel(op, in.OrderID) }, nil
		},
		Recover: func(_ context.Context, op *server.Op, in cancelOrderInput) (server.Recovered[cancelOrderOutput], error) {
			if out, ok := s.cancelled(op.ID, in.OrderID); ok {
				return server.Committed(out), nil
			}
			return server.NotFound[cancelOrderOutput](), nil
		},
		Verify: func(_ context.Context, op *server.Op, in cancelOrderInput, _ cancelOrderOutput) (server.Verdict, error) {
			return s.verifyCancelled(op.ID, in.OrderID), nil
		},
		Errors:      []*errs.Definition{orderNotFound, orderAlreadyShipped, orderAlreadyCancelled},
		Destructive: true,
	})
}

// mayChange denies auditors.
func (s *Store) mayChange(principal string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.auditors[principal] {
		return server.Denied("auditors may only read")
	}
	return nil
}

// owns denies customers the orders of others. Who is no customer works here.
func (s *Store) owns(principal, orderID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[orderID]
	if o != nil && o.Customer == principal {
		return nil
	}
	for _, other := range s.orders {
		if principal != "" && other.Customer == principal {
			return server.Denied("")
		}
	}
	return nil
}

func (s *Store) cancellable(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.orders[id].problem(id)
}

func (o *order) problem(id string) error {
	switch {
	case o == nil:
		return orderNotFound.New(errs.Detail("orderId", id))
	case o.Shipped:
		return orderAlreadyShipped.New(errs.Detail("orderId", id))
	case !o.open():
		return orderAlreadyCancelled.New(errs.Detail("orderId", id))
	default:
		return nil
	}
}

// cancel is the effect. The order may have been shipped since it was looked at.
func (s *Store) cancel(op *server.Op, id string) (cancelOrderOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[id]
	if err := o.problem(id); err != nil {
		return cancelOrderOutput{}, op.NotApplied(err)
	}
	o.cancelledBy, o.cancelledAt, o.reopened = op.ID, s.now().UTC(), false
	return o.cancellation(), nil
}

func (o *order) cancellation() cancelOrderOutput {
	return cancelOrderOutput{OrderID: o.ID, Status: "cancelled", CancelledAt: o.cancelledAt}
}

func (s *Store) cancelled(operationID, id string) (cancelOrderOutput, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.orders[id]; o != nil && o.cancelledBy == operationID {
		return o.cancellation(), true
	}
	return cancelOrderOutput{}, false
}

func (s *Store) verifyCancelled(operationID, id string) server.Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch o := s.orders[id]; {
	case o == nil || o.cancelledBy == "":
		return server.NotVerified("the order is not cancelled")
	case o.reopened || o.cancelledBy != operationID:
		return server.Superseded
	default:
		return server.Verified
	}
}
