package client_test

import (
	"context"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/server"
)

// A caller that lost the answer waits for what becomes of its operation, and then calls again under the same key: the effect
// happens once, and the call gets its result.
func ExampleClient_WaitOperation() {
	impatient, leave := context.WithCancel(context.Background())
	left := make(chan struct{})
	c, err := client.Dial(exampleOperations(func() { leave(); <-left }), client.WithInsecure()) // it leaves while the effect runs
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = c.Close() }()

	order := CancelOrder{OrderID: "o-1"}
	lost, err := client.Call[CancelOrder, Cancelled](impatient, c, "cancel_order", order)
	close(left)
	fmt.Println(errs.CodeOf(err), lost.OperationKey != "")
	name, ok := client.OperationOf(err)
	if !ok {
		return
	}

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	operation, err := c.WaitOperation(ctx, name)
	if err != nil {
		fmt.Println(err) // still unknown, or the wait failed
		return
	}
	fmt.Println(operation.GetState())

	again, err := client.Call[CancelOrder, Cancelled](ctx, c, "cancel_order", order, client.WithOperationKey(lost.OperationKey))
	fmt.Println(again.Output.Refund, again.Replayed, err)
	// Output:
	// outcome_unknown true
	// OPERATION_STATE_DONE
	// 1999 true <nil>
}

func ExampleClient_Operations() {
	c, err := client.Dial(exampleOperations(func() {}), client.WithInsecure())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = c.Close() }()
	ctx := context.Background()

	for _, order := range []string{"o-1", "o-2"} {
		_, err := client.Call[CancelOrder, Cancelled](
			ctx, c, "cancel_order", CancelOrder{OrderID: order}, client.WithOperationKey("cancel:"+order))
		if err != nil {
			fmt.Println(err)
		}
	}
	for operation, err := range c.Operations(ctx, client.OperationFilter{Tool: "cancel_order"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(operation.GetOperationKey(), operation.GetState())
	}
	// Output:
	// cancel:o-2 OPERATION_STATE_DONE
	// cancel:o-1 OPERATION_STATE_DONE
}

// exampleOperations starts a service whose effect calls begun first, and returns its address.
func exampleOperations(begun func()) string {
	cancel := server.NewTool("cancel_order", "Cancel one unshipped order.", server.Tool[CancelOrder, Cancelled]{
		Execute: func(context.Context, *server.Op, CancelOrder) (server.Effect[Cancelled], error) {
			return func(context.Context) (Cancelled, error) {
				begun()
				return Cancelled{Refund: 1999}, nil
			}, nil
		},
	})
	tools, err := server.New([]*server.AnyTool{cancel})
	if err != nil {
		panic(err)
	}
	options, err := interceptors.ServerOptions()
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	s := grpc.NewServer(options...)
	tools.Register(s)
	go func() { _ = s.Serve(listener) }()
	return listener.Addr().String()
}
