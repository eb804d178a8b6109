package auth

import (
	"context"
	"errors"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
)

// Identity is who is calling.
type Identity struct {
	// Principal is the stable name of the caller, never a serial number or a fingerprint.
	Principal string
	// Tenant is whom the caller works for; may be empty.
	Tenant string
}

// Func says who is calling method, named /package.Service/Method. A typed error, a status or a context error goes
// the way of a handler's error; any other error, and an empty principal, are answered as unauthenticated, without text.
type Func func(ctx context.Context, method string) (Identity, error)

// Stage authenticates. It is immutable and safe for concurrent use.
type Stage struct {
	authenticate Func
	exempt       []string
}

type identityKey struct{}

// NewContext returns a context that carries id.
func NewContext(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, id)
}

// FromContext returns who is calling, and false where nobody was asked.
func FromContext(ctx context.Context) (Identity, bool) {
	id, ok := ctx.Value(identityKey{}).(Identity)
	return id, ok
}

// Exempt reports whether the service of a method is not asked for an identity.
func (s *Stage) Exempt(method string) bool {
	service, _, _ := strings.Cut(strings.TrimPrefix(method, "/"), "/")
	return slices.Contains(s.exempt, service)
}

// Enter authenticates one call and returns its context.
func (s *Stage) Enter(ctx context.Context, method string) (context.Context, error) {
	if s.Exempt(method) {
		return ctx, nil
	}
	id, err := s.authenticate(ctx, method)
	switch {
	case err != nil && speaks(err):
		return nil, err
	case err != nil:
		return nil, &errs.ServiceError{Code: errs.CodeUnauthenticated, Cause: err}
	case id.Principal == "":
		return nil, &errs.ServiceError{Code: errs.CodeUnauthenticated}
	}
	return NewContext(ctx, id), nil
}

// speaks reports whether err says by itself what went wrong, so that it is not the caller's identity.
func speaks(err error) bool {
	_, isStatus := errors.AsType[interface {
		error
		GRPCStatus() *status.Status
	}](err)
	return isStatus || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// UnaryServerInterceptor authenticates unary calls.
func (s *Stage) UnaryServerInterceptor() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		ctx, err := s.Enter(ctx, info.FullMethod)
		if err != nil {
			return nil, err
		}
		return handler(ctx, req)
	}
}

// StreamServerInterceptor authenticates streaming calls.
func (s *Stage) StreamServerInterceptor() grpc.StreamServerInterceptor {
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		ctx, err := s.Enter(stream.Context(), info.FullMethod)
		if err != nil {
			return err
		}
		return handler(srv, &authenticated{ServerStream: stream, ctx: ctx})
	}
}

type authenticated struct {
	grpc.ServerStream

	ctx context.Context //nolint:containedctx // grpc's streams carry theirs
}

func (s *authenticated) Context() context.Context { return s.ctx }
