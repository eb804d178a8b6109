package contract

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// Client returns a connection for the calls of one service over cc that holds them to the contracts of its methods. It
// needs nothing of cc, which stays the caller's to close. A nil service has no contracts. It is safe for concurrent use.
//
// Errors of all methods are typed where the service sent a typed one, and marked as received; the end of a stream is
// exactly io.EOF. A call whose context has ended, or whose connection was closed, is refused, canceled or
// deadline_exceeded, before anything is sent.
//
// The lost answer of a method whose contract says effect is an [errs.OutcomeUnknownError] with Inferred set, from which
// the received error is reached by Unwrap: an error that leaves open whether the call took effect never looks safe to
// send again. It says the operation key, from the field of the request that the contract names, and the operation id,
// where the header remedy-operation-id has come. The error is the received one where it is proven that nothing was sent,
// which [NeverSent] tells: of unary calls over a connection of grpc's own, and of all calls over one that has
// [neversent.DialOption].
//
// grpc repeats no such call by itself, whatever retryPolicy a service config brings, unless [WithLedger] makes that safe. What
// interceptors of cc repeat is beyond Client: one that retries a lost call sees the error before it was judged. Chain
// [UnaryClientInterceptor] and [StreamClientInterceptor] inside it.
func Client(cc grpc.ClientConnInterface, service protoreflect.ServiceDescriptor, options ...ClientOption) grpc.ClientConnInterface {
	c := &client{rules: rulesOf(options), methods: make(map[string]*method)}
	c.conn, _ = cc.(*grpc.ClientConn)
	c.invoke = func(ctx context.Context, name string, request, reply any, _ *grpc.ClientConn, options ...grpc.CallOption) error {
		return cc.Invoke(ctx, name, request, reply, options...)
	}
	c.streamer = func(
		ctx context.Context, desc *grpc.StreamDesc, _ *grpc.ClientConn, name string, options ...grpc.CallOption,
	) (grpc.ClientStream, error) {
		return cc.NewStream(ctx, desc, name, options...)
	}
	if service != nil {
		for i := range service.Methods().Len() {
			m := service.Methods().Get(i)
			c.methods[fullName(m)] = methodOf(m)
		}
	}
	return c
}

// client is a connection that holds its calls to contracts.
type client struct {
	rules   *rules
	methods map[string]*method

	conn     *grpc.ClientConn // nil where the connection is of another kind
	invoke   grpc.UnaryInvoker
	streamer grpc.Streamer
}

var _ grpc.ClientConnInterface = (*client)(nil)

// Invoke makes a unary call.
func (c *client) Invoke(ctx context.Context, name string, request, reply any, options ...grpc.CallOption) error {
	unsent, err := c.rules.unary(ctx, c.methods[name], name, request, reply, c.conn, c.invoke, options)
	if unsent {
		return &neversent.Error{Err: err}
	}
	return err
}

// NewStream starts a streaming call.
func (c *client) NewStream(
	ctx context.Context, desc *grpc.StreamDesc, name string, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	s, unsent, err := c.rules.stream(ctx, c.methods[name], name, desc, c.conn, c.streamer, options)
	switch {
	case unsent:
		return nil, &neversent.Error{Err: err}
	case err != nil:
		return nil, err
	}
	s.marks = true
	return s, nil
}

// UnaryClientInterceptor does for the unary calls of one connection, of whatever service, what [Client] does, but for the
// mark that [NeverSent] reads: only who makes the call knows of all attempts. Interceptors that are chained before it see
// the lost answer of a call with an effect as an unknown outcome, so that none of them sends it again; [Client] around
// the connection tells it what it knows of the call. Contracts are those that are linked in.
func UnaryClientInterceptor(options ...ClientOption) grpc.UnaryClientInterceptor {
	rules, methods := rulesOf(options), &book{}
	return func(ctx context.Context, name string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
		callOptions ...grpc.CallOption,
	) error {
		_, err := rules.unary(ctx, methods.method(name), name, request, reply, conn, invoke, callOptions)
		return err
	}
}

// StreamClientInterceptor does the same for streaming calls.
func StreamClientInterceptor(options ...ClientOption) grpc.StreamClientInterceptor {
	rules, methods := rulesOf(options), &book{}
	return func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, name string, streamer grpc.Streamer,
		callOptions ...grpc.CallOption,
	) (grpc.ClientStream, error) {
		s, _, err := rules.stream(ctx, methods.method(name), name, desc, conn, streamer, callOptions)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}
