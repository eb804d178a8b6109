package neversent

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"
)

// DialOption makes a connection tell the records of its calls what it sends. It costs a call that nobody watches no
// allocation of its own; grpc allocates for each event once there is a stats handler. Adding it twice does no harm.
func DialOption() grpc.DialOption { return grpc.WithStatsHandler(handler{}) }

// handler has no state: what it sees goes to the record in the context.
type handler struct{}

var _ stats.Handler = handler{}

// attempt is one attempt of a watched call.
type attempt struct {
	record *Record
	// call is the same for all attempts of one call: the end of the context that grpc makes for it.
	call <-chan struct{}
	// streams says that the client may send several messages, so that a server may act on the headers alone.
	streams bool
}

type attemptKey struct{}

// TagRPC starts an attempt, for its events to find.
func (handler) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	if r, ok := ctx.Value(recordKey{}).(*Record); ok && r.method == info.FullMethodName {
		return context.WithValue(ctx, attemptKey{}, &attempt{record: r, call: ctx.Done()})
	}
	if ctx.Value(attemptKey{}) != nil {
		// Another call, made with the context of an attempt: its events are not those of the attempt.
		return context.WithValue(ctx, attemptKey{}, (*attempt)(nil))
	}
	return ctx
}

// HandleRPC notes what an attempt does. OutHeader and OutPayload come after the frame was handed to the transport and
// before the call can return, so a call that ended without them handed nothing over.
func (handler) HandleRPC(ctx context.Context, event stats.RPCStats) {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	if a == nil || !event.IsClient() {
		return
	}
	switch event := event.(type) {
	case *stats.Begin:
		a.streams = event.IsClientStream
		a.record.begin(a)
	case *stats.OutHeader:
		if a.streams {
			a.record.leave()
		}
	case *stats.OutPayload:
		a.record.leave()
	case *stats.End:
		a.record.end(a, event.Error)
	}
}

// TagConn implements [stats.Handler].
func (handler) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn implements [stats.Handler].
func (handler) HandleConn(context.Context, stats.ConnStats) {}
