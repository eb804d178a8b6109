package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
)

// CancelOrder is the input of cancel_order.
type CancelOrder struct {
	OrderID string `json:"orderId"`
}

// Cancelled is its output.
type Cancelled struct {
	Refund int64 `json:"refund"`
}

func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c, err := client.Dial(exampleService(), client.WithInsecure()) // TLS is the default
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = c.Close() }()

	for _, order := range []string{"o-1", "o-2"} {
		result, err := client.Call[CancelOrder, Cancelled](ctx, c, "cancel_order", CancelOrder{OrderID: order})
		switch {
		case err == nil:
			fmt.Println("refunded", result.Output.Refund)
		case errors.Is(err, errs.CodeOutcomeUnknown):
			// It may have happened. Ask what became of result.OperationKey; never use a new key.
			fmt.Println("reconcile", result.OperationKey)
		case errors.Is(err, errs.Code("order_already_shipped")):
			fmt.Println(err) // the message says what to do, to people and to agents
		}
	}
	// Output:
	// refunded 1999
	// Shipped orders cannot be cancelled. [order_already_shipped; do not retry]
}

func ExampleWithOperationKey() {
	c, err := client.Dial(exampleService(), client.WithInsecure(), client.WithRetry(client.Retry{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = c.Close() }()

	// Stored with the order before the call: the same intent has the same key after a restart.
	const key = "cancel:o-1"
	result, err := client.Call[CancelOrder, Cancelled](
		context.Background(), c, "cancel_order", CancelOrder{OrderID: "o-1"}, client.WithOperationKey(key))
	fmt.Println(result.OperationKey, result.Output.Refund, err)
	// Output: cancel:o-1 1999 <nil>
}

func ExampleClient_Tools() {
	c, err := client.Dial(exampleService(), client.WithInsecure())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = c.Close() }()

	for tool, err := range c.Tools(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(tool.GetName(), "-", tool.GetDescription())
	}
	// Output: cancel_order - Cancel one unshipped order.
}

var shippedAlready = errs.MustDefine("order_already_shipped", errs.Never, errs.Headline("Shipped orders cannot be cancelled."))

// exampleService starts a service of one tool and returns its address.
func exampleService() string {
	options, err := interceptors.ServerOptions()
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := grpc.NewServer(options...)
	(&service{
		call: func(_ context.Context, request *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
			if request.GetInputJson() == `{"orderId":"o-2"}` {
				return nil, shippedAlready.New()
			}
			return output(`{"refund": 1999}`), nil
		},
		list: func(*servicev1.ListToolsRequest) (*servicev1.ListToolsResponse, error) {
			return &servicev1.ListToolsResponse{Tools: []*servicev1.Tool{{Name: "cancel_order", Description: "Cancel one unshipped order."}}}, nil
		},
	}).register(server)
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String()
}
