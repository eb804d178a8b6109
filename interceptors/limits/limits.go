package limits

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/errs"
)

// Stage applies the limits. It is safe for concurrent use.
type Stage struct {
	defaultTimeout, maxTimeout time.Duration
	late                       bool
	maxConcurrent              int64
	rates                      *tenants

	running atomic.Int64
}

const (
	earlyMost  = 250 * time.Millisecond
	earlyLeast = 25 * time.Millisecond
	earlyShare = 20 // one part in twenty of the time left
	earlyPart  = 4  // but never more than a quarter of it
)

// EarlyDeadline returns how long before the caller's deadline a handler has to end when left is all the time there is:
// 5 % of it, at least 25 ms and at most 250 ms, but never more than a quarter.
func EarlyDeadline(left time.Duration) time.Duration {
	if left <= 0 {
		return 0
	}
	return min(earlyMost, max(earlyLeast, left/earlyShare), left/earlyPart)
}

// exempt reports the services that tell whether a server is well, which must be answered when it is busy.
func exempt(method string) bool {
	return strings.HasPrefix(method, "/grpc.health.v1.") || strings.HasPrefix(method, "/grpc.reflection.")
}

// Enter admits one call. early says that the handler's deadline may end before its caller's: it may where the handler
// is not waiting for messages of its caller. The release function is never nil and must be called at the end.
func (s *Stage) Enter(ctx context.Context, method string, early bool) (context.Context, context.CancelFunc, error) {
	if exempt(method) {
		return ctx, func() {}, nil
	}
	if s.rates != nil {
		if wait := s.rates.take(ctx, time.Now()); wait > 0 {
			return ctx, func() {}, &errs.ServiceError{Code: errs.CodeOverloaded, RetryAfter: wait}
		}
	}
	if s.maxConcurrent > 0 && s.running.Add(1) > s.maxConcurrent {
		s.running.Add(-1)
		return ctx, func() {}, &errs.ServiceError{Code: errs.CodeOverloaded}
	}
	ctx, cancel := s.deadline(ctx, early)
	if s.maxConcurrent == 0 {
		return ctx, cancel, nil
	}
	return context.WithValue(ctx, stageKey{}, s), func() {
		cancel()
		s.running.Add(-1)
	}, nil
}

type stageKey struct{}

// Yield gives back the place among the calls that run at once, for a handler that waits for another call and does nothing
// else, and returns what takes it again, which has to be called once. That never fails, so those who come back may for a moment be
// more than the limit. Where no limit applies it does nothing.
func Yield(ctx context.Context) (resume func()) {
	s, ok := ctx.Value(stageKey{}).(*Stage)
	if !ok {
		return func() {}
	}
	s.running.Add(-1)
	return func() { s.running.Add(1) }
}

func (s *Stage) deadline(ctx context.Context, early bool) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok && s.defaultTimeout == 0 && s.maxTimeout == 0 {
		return ctx, func() {}
	}
	now := time.Now()
	end := deadline
	if !ok {
		end = now.Add(s.defaultTimeout)
		if s.defaultTimeout == 0 {
			end = now.Add(s.maxTimeout)
		}
	} else if early && !s.late {
		end = deadline.Add(-EarlyDeadline(deadline.Sub(now)))
	}
	if s.maxTimeout > 0 && end.After(now.Add(s.maxTimeout)) {
		end = now.Add(s.maxTimeout)
	}
	if ok && end.Equal(deadline) {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, end)
}

// UnaryServerInterceptor applies the limits to unary calls.
func (s *Stage) UnaryServerInterceptor() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		ctx, release, err := s.Enter(ctx, info.FullMethod, true)
		defer release()
		if err != nil {
			return nil, err
		}
		return handler(ctx, req)
	}
}

// StreamServerInterceptor applies the limits to streaming calls. A handler that reads its caller's messages ends with
// the caller, not before.
func (s *Stage) StreamServerInterceptor() grpc.StreamServerInterceptor {
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		ctx, release, err := s.Enter(stream.Context(), info.FullMethod, !info.IsClientStream)
		defer release()
		if err != nil {
			return err
		}
		return handler(srv, &limited{ServerStream: stream, ctx: ctx})
	}
}

type limited struct {
	grpc.ServerStream

	ctx context.Context //nolint:containedctx // grpc's streams carry theirs
}

func (s *limited) Context() context.Context { return s.ctx }
