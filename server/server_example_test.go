package server_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
)

var alreadyShipped = errs.MustDefine("order_already_shipped", errs.Never, errs.Headline("Shipped orders cannot be cancelled."))

type cancelInput struct {
	OrderID string `json:"orderId"`
}

type cancelOutput struct {
	Status string `json:"status"`
}

// orders is what the tool works on.
type orders map[string]string

func (o orders) find(id string) (*order, error) {
	if o[id] == "shipped" {
		return nil, alreadyShipped.New(errs.Detail("orderId", id))
	}
	return &order{id: id, orders: o}, nil
}

type order struct {
	id     string
	orders orders
}

func (o *order) cancel(context.Context) (cancelOutput, error) {
	fmt.Println("cancelling", o.id)
	o.orders[o.id] = "cancelled"
	return cancelOutput{Status: "cancelled"}, nil
}

func Example() {
	shop := orders{"ord_1": "open", "ord_2": "shipped"}
	cancel := server.NewTool("cancel_order", "Cancel one unshipped order.", server.Tool[cancelInput, cancelOutput]{
		Execute: func(_ context.Context, _ *server.Op, in cancelInput) (server.Effect[cancelOutput], error) {
			order, err := shop.find(in.OrderID) // checks and prepares; what fails here did nothing
			if err != nil {
				return nil, err
			}
			return order.cancel, nil
		},
		Errors: []*errs.Definition{alreadyShipped},
	})
	srv, err := server.New([]*server.AnyTool{cancel}) // then srv.Register(grpcServer)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 { // a retry of the same intent carries the same key
		result, err := srv.Call(context.Background(), server.Call{
			Tool: "cancel_order", OperationKey: "key-1", Input: `{"orderId":"ord_1"}`,
		})
		fmt.Println(string(result.Output), "replayed:", result.Replayed, err)
	}
	_, err = srv.Call(context.Background(), server.Call{Tool: "cancel_order", OperationKey: "key-2", Input: `{"orderId":"ord_2"}`})
	fmt.Println(err)
	// Output:
	// cancelling ord_1
	// {"status":"cancelled"} replayed: false <nil>
	// {"status":"cancelled"} replayed: true <nil>
	// Shipped orders cannot be cancelled. [order_already_shipped; do not retry]
}

// A tool whose effect may lose its answer says how to find out what became of it.
func ExampleTool_recover() {
	booked := make(map[string]string) // what the system behind the tool knows, by operation
	book := server.NewTool("book_slot", "Book a slot.", server.Tool[cancelInput, cancelOutput]{
		Immediate: func(_ context.Context, op *server.Op, in cancelInput) (cancelOutput, error) {
			booked[op.ID] = in.OrderID
			return cancelOutput{}, errors.New("the line dropped")
		},
		Recover: func(_ context.Context, op *server.Op, _ cancelInput) (server.Recovered[cancelOutput], error) {
			if _, ok := booked[op.ID]; ok {
				return server.Committed(cancelOutput{Status: "booked"}), nil
			}
			return server.NotFound[cancelOutput](), nil
		},
	})
	srv, err := server.New([]*server.AnyTool{book})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := srv.Call(context.Background(), server.Call{Tool: "book_slot", OperationKey: "key-1", Input: `{"orderId":"ord_1"}`})
	fmt.Println(string(result.Output), err)
	// Output:
	// {"status":"booked"} <nil>
}
