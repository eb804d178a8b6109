package contract

import (
	"context"
	"errors"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/decode"
	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// rules are what a client holds its calls to.
type rules struct {
	ledger     bool
	undeclared func(context.Context, Undeclared)
	tool       func(method string, request any) string
	decode     []decode.Option

	decoder *decode.Stage
}

func rulesOf(options []ClientOption) *rules {
	r := &rules{}
	for _, option := range options {
		if option != nil {
			option(r)
		}
	}
	r.decoder = decode.New(r.decode...)
	return r
}

// unary makes a unary call, by a client of one connection or by an interceptor. It returns its error, and whether it is
// proven that nothing was sent.
func (r *rules) unary(
	ctx context.Context, m *method, name string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
	options []grpc.CallOption,
) (unsent bool, err error) {
	ctx, c, options, err := r.begin(ctx, m, conn, true, r.ledger && m.keyOf(request) != "", options)
	if err != nil {
		return true, err
	}
	if err := invoke(ctx, name, request, reply, conn, options...); err != nil {
		return r.failed(ctx, m, c, request, err)
	}
	return false, nil
}

// stream starts a streaming call, the same way.
func (r *rules) stream(
	ctx context.Context, m *method, name string, desc *grpc.StreamDesc, conn *grpc.ClientConn, streamer grpc.Streamer,
	options []grpc.CallOption,
) (started *stream, unsent bool, err error) {
	ctx, c, options, err := r.begin(ctx, m, conn, false, false, options)
	if err != nil {
		return nil, true, err
	}
	inner, err := streamer(ctx, desc, conn, name, options...)
	if err != nil {
		unsent, err = r.failed(ctx, m, c, nil, err)
		return nil, unsent, err
	}
	return &stream{ClientStream: inner, rules: r, method: m, call: c, ctx: ctx}, false, nil
}

// begin returns the context and the options to make a call with, and what is to be known of it, nil where its method has
// no effect. It fails where the call need not be tried.
func (r *rules) begin(
	ctx context.Context, m *method, conn *grpc.ClientConn, unary, repeatable bool, options []grpc.CallOption,
) (context.Context, *call, []grpc.CallOption, error) {
	if outer := callIn(options, m); outer != nil {
		return ctx, outer, options, nil
	}
	if err := refused(ctx, conn); err != nil || !m.hasEffect() {
		return ctx, nil, options, err
	}
	c := &call{method: m, ledger: r.ledger, reads: slices.Contains(options, NoEffect())}
	ctx, c.record = neversent.Watch(ctx, m.name)
	options = append(slices.Clip(options), c)
	if unary {
		options = append(options, grpc.Header(&c.header))
	}
	if repeatable || c.reads {
		return ctx, c, options, nil
	}
	// A retryPolicy, which a resolver may bring, sends again what it does not know to have had an effect.
	options = append(options, grpc.MaxRetryRPCBufferSize(0))
	if unary && conn != nil {
		c.once = new(once)
		options = append(options, c.once.options()...)
	}
	return ctx, c, options, nil
}

// failed returns the error of a call that ended with err, and whether it is proven that nothing was sent.
func (r *rules) failed(ctx context.Context, m *method, c *call, request any, err error) (unsent bool, _ error) {
	unsent, err = c.proves(err), r.received(err)
	r.report(ctx, m, err)
	if c == nil {
		return unsent, err
	}
	return unsent, c.judge(err, unsent, r.nameOf(m, request), c.header)
}

// refused returns an error where a call need not be tried. It is known not to have been sent, which could not be proven
// of a call that grpc refuses for the same reason.
func refused(ctx context.Context, conn *grpc.ClientConn) error {
	switch err := ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		return &errs.ServiceError{Code: errs.CodeDeadlineExceeded, Cause: err}
	case err != nil:
		return &errs.ServiceError{Code: errs.CodeCanceled, Cause: err}
	case conn != nil && conn.GetState() == connectivity.Shutdown:
		return &errs.ServiceError{Code: errs.CodeCanceled, Cause: errors.New("contract: the connection is closed")}
	}
	return nil
}

// received returns err as a typed error where it is one, and marks it as received, so that a server that returns it as
// its own does not answer for another server. Where the connection decodes errors itself, that was done already.
func (r *rules) received(err error) error {
	if marked, ok := err.(*neversent.Error); ok { //nolint:errorlint // this very error
		err = marked.Err // of one attempt, perhaps
	}
	if _, typed := err.(errs.Error); !typed && errors.Unwrap(err) != nil { //nolint:errorlint // this very error
		return errs.FromError(err) // marked already: a mark wraps
	}
	return r.decoder.Decode(err)
}

// report tells of an error that the contract does not list.
func (r *rules) report(ctx context.Context, m *method, err error) {
	if r.undeclared != nil && m.isBrokenBy(err) {
		r.undeclared(ctx, Undeclared{Method: m.name, Err: err})
	}
}

// nameOf returns the names of a call with a request, nil for none.
func (r *rules) nameOf(m *method, request any) names {
	n := names{tool: m.tool, key: m.keyOf(request)}
	if r.tool != nil {
		if tool := r.tool(m.name, request); tool != "" {
			n.tool = tool
		}
	}
	return n
}
