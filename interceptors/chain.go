package interceptors

import (
	"context"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/interceptors/limits"
	"github.com/remedyrpc/remedy/interceptors/recovery"
)

// order is the order of the stages on a server; unary and stream below are it in code, fused.
//
//nolint:gochecknoglobals // a constant
var order = []string{"telemetry", "encode", "map", "recovery", "auth", "limits", "validate", "contract"}

// chain holds the stages of one server.
type chain struct {
	encode         *encode.Stage
	mapper         Mapper
	auth           *auth.Stage
	limits         *limits.Stage
	validate       Validator
	unaryContract  grpc.UnaryServerInterceptor // nil for none, and so is the other
	streamContract grpc.StreamServerInterceptor
}

func (c *chain) unary(
	ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler,
) (any, error) {
	call := encode.Call{Method: info.FullMethod, Refused: true}
	resp, err := c.unaryInside(ctx, req, info, &call, handler)
	if err != nil {
		return nil, c.encode.Unary(ctx, call, c.mapped(ctx, err))
	}
	return resp, nil
}

func (c *chain) unaryInside(
	ctx context.Context, req any, info *grpc.UnaryServerInfo, call *encode.Call, handler grpc.UnaryHandler,
) (resp any, err error) {
	defer func() {
		if value := recover(); value != nil {
			resp, err = nil, recovery.Caught(value)
		}
	}()
	if c.auth != nil {
		if ctx, err = c.auth.Enter(ctx, call.Method); err != nil {
			return nil, err
		}
	}
	ctx, release, err := c.limits.Enter(ctx, call.Method, true)
	defer release()
	if err != nil {
		return nil, err
	}
	if c.validate != nil {
		if err := c.validate.Check(req); err != nil {
			return nil, err
		}
	}
	call.Refused = false
	if c.unaryContract == nil {
		return handler(ctx, req)
	}
	return c.unaryContract(ctx, req, info, func(ctx context.Context, req any) (any, error) {
		resp, err := handler(ctx, req)
		return resp, c.mapped(ctx, err)
	})
}

func (c *chain) stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	call := encode.Call{Method: info.FullMethod, Refused: true}
	if err := c.streamInside(srv, stream, info, &call, handler); err != nil {
		return c.encode.Stream(stream, call, c.mapped(stream.Context(), err))
	}
	return nil
}

func (c *chain) streamInside(
	srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, call *encode.Call, handler grpc.StreamHandler,
) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = recovery.Caught(value)
		}
	}()
	ctx := stream.Context()
	if c.auth != nil {
		if ctx, err = c.auth.Enter(ctx, info.FullMethod); err != nil {
			return err
		}
	}
	ctx, release, err := c.limits.Enter(ctx, info.FullMethod, !info.IsClientStream)
	defer release()
	if err != nil {
		return err
	}
	call.Refused = false
	stream = &serverStream{ServerStream: stream, ctx: ctx, validate: c.validate}
	if c.streamContract == nil {
		return handler(srv, stream)
	}
	return c.streamContract(srv, stream, info, func(srv any, stream grpc.ServerStream) error {
		return c.mapped(ctx, handler(srv, stream))
	})
}

// serverStream carries the context of the stages and validates what it receives.
type serverStream struct {
	grpc.ServerStream

	ctx      context.Context //nolint:containedctx // grpc's streams carry theirs
	validate Validator
}

func (s *serverStream) Context() context.Context { return s.ctx }

func (s *serverStream) RecvMsg(message any) error {
	if err := s.ServerStream.RecvMsg(message); err != nil || s.validate == nil {
		return err
	}
	return s.validate.Check(message)
}
