package decode

import (
	"context"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/errs"
)

// UnaryClientInterceptor decodes the errors of unary calls.
func UnaryClientInterceptor(options ...Option) grpc.UnaryClientInterceptor {
	s := settingsOf(options)
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker,
		callOptions ...grpc.CallOption,
	) error {
		if err := invoke(ctx, method, req, reply, cc, callOptions...); err != nil {
			return s.typed(err)
		}
		return nil
	}
}

// StreamClientInterceptor decodes the errors of streaming calls, those of starting one included.
func StreamClientInterceptor(options ...Option) grpc.StreamClientInterceptor {
	s := settingsOf(options)
	return func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer,
		callOptions ...grpc.CallOption,
	) (grpc.ClientStream, error) {
		inner, err := streamer(ctx, desc, cc, method, callOptions...)
		if err != nil {
			return nil, s.typed(err)
		}
		return &stream{ClientStream: inner, settings: s}, nil
	}
}

func (s settings) typed(err error) error {
	if err == io.EOF { //nolint:errorlint // the end of a stream is exactly this value
		return err
	}
	return errs.Received(err, s.ours, s.foreign)
}

// stream decodes what its calls return.
type stream struct {
	grpc.ClientStream

	settings settings
}

func (s *stream) Header() (metadata.MD, error) {
	md, err := s.ClientStream.Header()
	return md, s.decoded(err)
}

func (s *stream) CloseSend() error          { return s.decoded(s.ClientStream.CloseSend()) }
func (s *stream) SendMsg(message any) error { return s.decoded(s.ClientStream.SendMsg(message)) }
func (s *stream) RecvMsg(message any) error { return s.decoded(s.ClientStream.RecvMsg(message)) }

func (s *stream) decoded(err error) error {
	if err == nil {
		return nil
	}
	return s.settings.typed(err)
}
