package recovery

import (
	"context"
	"fmt"
	"runtime/debug"

	"google.golang.org/grpc"
)

// PanicError is a recovered panic. It reaches a caller as internal, whatever was passed to panic: it does not unwrap to
// that, because a typed error, or one that a mapper knows, would tell the caller how a call ended that ended nowhere.
type PanicError struct {
	// Value is what was passed to panic.
	Value any

	stack string
}

// Error returns the text of the panic; it is for the log.
func (e *PanicError) Error() string { return "panic: " + fmt.Sprint(e.Value) }

// StackTrace returns the stack of the goroutine that panicked.
func (e *PanicError) StackTrace() string { return e.stack }

// Caught makes an error of what recover returned. Call it in the deferred function, where the stack is still there.
func Caught(value any) error { return &PanicError{Value: value, stack: string(debug.Stack())} }

// UnaryServerInterceptor recovers the panics of unary calls.
func UnaryServerInterceptor() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (resp any, err error) {
		defer func() {
			if value := recover(); value != nil {
				resp, err = nil, Caught(value)
			}
		}()
		return handler(ctx, req)
	}
}

// StreamServerInterceptor recovers the panics of streaming calls.
func StreamServerInterceptor() grpc.StreamServerInterceptor {
	return func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
		defer func() {
			if value := recover(); value != nil {
				err = Caught(value)
			}
		}()
		return handler(srv, stream)
	}
}
