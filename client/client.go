package client

import (
	"context"
	"errors"

	"google.golang.org/grpc"

	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// Client calls the tools of one service, and asks what became of their operations. It is immutable and safe for concurrent
// use.
type Client struct {
	tools      servicev1.ToolServiceClient
	operations servicev1.OperationServiceClient
	retry      retrier
	close      func() error // nil where the connection is not ours
}

// New returns a client that uses conn, which stays the caller's to close. It fails when conn is nil, an option is out of
// its range, or an option is one that only [Dial] can follow.
//
// A connection made with [DialOptions] can prove that a call was never sent, and keeps interceptors that retry from
// sending a lost call again; over any other connection, every lost answer is an unknown outcome, and what conn itself
// retries is beyond this package.
func New(conn grpc.ClientConnInterface, options ...Option) (*Client, error) {
	if conn == nil {
		return nil, errors.New("client: the connection is nil")
	}
	c, err := configOf(options)
	if err != nil {
		return nil, err
	}
	if c.dials {
		return nil, errors.New("client: New was given an option that configures a connection: give it to Dial, or to grpc.NewClient")
	}
	return newClient(conn, c), nil
}

func newClient(conn grpc.ClientConnInterface, c config) *Client {
	options := []contract.ClientOption{contract.WithTool(toolOf)}
	if c.ledger {
		options = append(options, contract.WithLedger())
	}
	return &Client{
		tools:      servicev1.NewTypedToolServiceClient(conn, options...),
		operations: servicev1.NewTypedOperationServiceClient(conn, options...),
		retry:      retrier{Retry: c.retry, ledger: c.ledger},
	}
}

// Close closes the connection of a client made by [Dial]; calls that are under way end with an unknown outcome. It does
// nothing to the connection that [New] was given. Closing twice returns the error of grpc.
func (c *Client) Close() error {
	if c.close == nil {
		return nil
	}
	return c.close()
}

// read makes a call that changes nothing, for which the contract proves nothing either.
func (c *Client) read(ctx context.Context, method string, call func(context.Context) error) error {
	return c.retry.do(ctx, func(ctx context.Context) (bool, error) {
		ctx, record := neversent.Watch(ctx, method)
		unsent, err := unmarked(call(ctx))
		return unsent || record.Proves(err), err
	})
}
