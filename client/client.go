package client

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/remedyrpc/remedy/client/neversent"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// Client calls the tools of one service. It is immutable and safe for concurrent use.
type Client struct {
	tools  servicev1.ToolServiceClient
	ledger bool
	retry  retrier
	close  func() error              // nil where the connection is not ours
	state  func() connectivity.State // nil where the connection does not tell
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
	client := &Client{
		tools: servicev1.NewToolServiceClient(conn), ledger: c.ledger, retry: retrier{Retry: c.retry, ledger: c.ledger},
	}
	if direct, ok := conn.(*grpc.ClientConn); ok {
		client.state = direct.GetState
	}
	return client
}

// Close closes the connection of a client made by [Dial]; calls that are under way end with an unknown outcome. It does
// nothing to the connection that [New] was given. Closing twice returns the error of grpc.
func (c *Client) Close() error {
	if c.close == nil {
		return nil
	}
	return c.close()
}

// refused returns an error where a call need not be tried. It is known not to have been sent, which could not be proven
// of a call that grpc refuses for the same reason.
func (c *Client) refused(ctx context.Context) error {
	switch err := ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		return &errs.ServiceError{Code: errs.CodeDeadlineExceeded, Cause: err}
	case err != nil:
		return &errs.ServiceError{Code: errs.CodeCanceled, Cause: err}
	case c.state != nil && c.state() == connectivity.Shutdown:
		return &errs.ServiceError{Code: errs.CodeCanceled, Cause: errors.New("client: the connection is closed")}
	}
	return nil
}

// read makes a call that changes nothing.
func (c *Client) read(ctx context.Context, method string, call func(context.Context) error) error {
	return c.retry.do(ctx, func(ctx context.Context) (bool, error) {
		if err := c.refused(ctx); err != nil {
			return true, err
		}
		ctx, record := neversent.Watch(ctx, method)
		err := call(ctx)
		return record.Proves(err), received(err)
	})
}

// received returns err as a typed error where it is one, and marks it as received, so that a server that returns it as
// its own does not answer for another server. Where conn decodes errors itself, that was done already.
func received(err error) error {
	if errors.Unwrap(err) != nil {
		return errs.FromError(err) // marked already: a mark wraps
	}
	return errs.Received(err, errs.RelayDefault, errs.RelayDefault)
}
