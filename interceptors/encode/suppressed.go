package encode

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// Suppressed counts the errors whose trailers grpc did not send although the caller was still there: the list was larger
// than what the peer announced, so the caller saw a broken stream instead. It is a stats handler for
// [google.golang.org/grpc.StatsHandler]; the zero value is ready for use.
//
// A stats handler costs allocations on every call, so it is registered only where it is wanted.
type Suppressed struct {
	// Report is called with the full method name of each such call, when it is not nil. It must not block.
	Report func(ctx context.Context, method string)

	count atomic.Int64
}

var _ stats.Handler = (*Suppressed)(nil)

// Count returns how many trailers were suppressed since start.
func (s *Suppressed) Count() int64 { return s.count.Load() }

type callKey struct{}

// callState follows one call from encoding to its end.
type callState struct {
	method  string
	alive   atomic.Bool // an error was encoded while the caller was there
	trailer atomic.Bool // trailers went out
}

// markEncoded notes that an error was encoded for a caller that is still there.
func markEncoded(ctx context.Context) {
	if c, ok := ctx.Value(callKey{}).(*callState); ok && ctx.Err() == nil {
		c.alive.Store(true)
	}
}

// TagRPC implements [stats.Handler].
func (s *Suppressed) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, callKey{}, &callState{method: info.FullMethodName})
}

// HandleRPC implements [stats.Handler].
func (s *Suppressed) HandleRPC(ctx context.Context, event stats.RPCStats) {
	switch event.(type) {
	case *stats.OutTrailer:
		if c, ok := ctx.Value(callKey{}).(*callState); ok {
			c.trailer.Store(true)
		}
	case *stats.End:
		c, ok := ctx.Value(callKey{}).(*callState)
		if !ok || !c.alive.Load() || c.trailer.Load() {
			return
		}
		s.count.Add(1)
		if s.Report != nil {
			s.Report(ctx, c.method)
		}
	}
}

// TagConn implements [stats.Handler].
func (s *Suppressed) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn implements [stats.Handler].
func (s *Suppressed) HandleConn(context.Context, stats.ConnStats) {}
