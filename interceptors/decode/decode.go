package decode

import (
	"context"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/errs"
)

// Stage decodes errors. It is immutable and safe for concurrent use.
type Stage struct {
	ours, foreign errs.Relay
}

// Decode returns the error of a call as the typed error that was sent, marked as received. It returns nil for nil, and
// everything else as it is.
func (s *Stage) Decode(err error) error {
	if err == nil || err == io.EOF { //nolint:errorlint // the end of a stream is exactly this value
		return err
	}
	return errs.Received(err, s.ours, s.foreign)
}

// UnaryClientInterceptor decodes the errors of unary calls.
func UnaryClientInterceptor(options ...Option) grpc.UnaryClientInterceptor {
	s := New(options...)
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker,
		callOptions ...grpc.CallOption,
	) error {
		return s.Decode(invoke(ctx, method, req, reply, cc, callOptions...))
	}
}

// StreamClientInterceptor decodes the errors of streaming calls, those of starting one included.
func StreamClientInterceptor(options ...Option) grpc.StreamClientInterceptor {
	s := New(options...)
	return func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer,
		callOptions ...grpc.CallOption,
	) (grpc.ClientStream, error) {
		inner, err := streamer(ctx, desc, cc, method, callOptions...)
		if err != nil {
			return nil, s.Decode(err)
		}
		return &stream{ClientStream: inner, stage: s}, nil
	}
}

// stream decodes what its calls return.
type stream struct {
	grpc.ClientStream

	stage *Stage
}

func (s *stream) Header() (metadata.MD, error) {
	md, err := s.ClientStream.Header()
	return md, s.stage.Decode(err)
}

func (s *stream) CloseSend() error          { return s.stage.Decode(s.ClientStream.CloseSend()) }
func (s *stream) SendMsg(message any) error { return s.stage.Decode(s.ClientStream.SendMsg(message)) }

func (s *stream) RecvMsg(message any) error { return s.stage.Decode(s.ClientStream.RecvMsg(message)) }
