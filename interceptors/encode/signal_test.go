package encode_test

import (
	"context"

	"google.golang.org/grpc/stats"

	"github.com/remedyrpc/remedy/interceptors/encode"
)

// endSignal is a stats handler, registered after the one under test, that says when a call has ended.
type endSignal struct {
	*encode.Suppressed

	ended chan struct{}
}

// TagRPC leaves the context to the handler under test.
func (s endSignal) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC signals the end of the call.
func (s endSignal) HandleRPC(_ context.Context, event stats.RPCStats) {
	if _, ok := event.(*stats.End); ok {
		close(s.ended)
	}
}
