package encode

import (
	"context"
	"fmt"
	"log/slog"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/internal/promise"
)

// PushbackTrailer carries what the retry rule means to grpc's own retries: -1 forbids one, a number of milliseconds
// delays it (gRFC A6).
const PushbackTrailer = "grpc-retry-pushback-ms"

// Stage encodes errors. It is immutable and safe for concurrent use.
type Stage struct {
	encoder errs.Encoder
	logger  *slog.Logger
}

// Call is what the encoding of an error depends on besides the error.
type Call struct {
	// Method is the full name, /package.Service/Method.
	Method string
	// Refused says that the handler was not reached, so that nothing can have happened.
	Refused bool
}

// Encode returns what to return to grpc for the error of a call, and the trailers that go with it, nil for none. It logs
// what the caller is not told.
func (s *Stage) Encode(ctx context.Context, call Call, err error) (metadata.MD, error) {
	if err == nil {
		return nil, nil //nolint:nilnil // there is nothing to say
	}
	out := s.encoder.Encode(err, call.Method, !call.Refused && promise.Contract(promise.Method(call.Method)).GetEffect())
	if out.Hidden != nil {
		s.log(ctx, call.Method, out)
	}
	markEncoded(ctx)
	if out.Pushback == "" {
		return nil, out.Err
	}
	return metadata.Pairs(PushbackTrailer, out.Pushback), out.Err
}

func (s *Stage) log(ctx context.Context, method string, out errs.Encoded) {
	logger := s.logger
	if logger == nil {
		logger = slog.Default()
	}
	attrs := []slog.Attr{
		slog.String("errorId", out.ErrorID),
		slog.String("method", method),
		slog.String("status", out.Status.Code().String()),
		slog.String("type", fmt.Sprintf("%T", out.Hidden)),
		slog.String("error", errs.Message(out.Hidden)),
	}
	if out.Problem != "" {
		attrs = append(attrs, slog.String("problem", out.Problem))
	}
	if trace := stackOf(out.Hidden); trace != "" {
		attrs = append(attrs, slog.String("stack", trace))
	}
	logger.LogAttrs(ctx, slog.LevelError, "an error was kept from a caller", attrs...)
}

// Unary encodes the error of a unary call and sets its trailers.
func (s *Stage) Unary(ctx context.Context, call Call, err error) error {
	trailers, encoded := s.Encode(ctx, call, err)
	if trailers != nil {
		_ = grpc.SetTrailer(ctx, trailers) // fails only where there is no call to set it on
	}
	return encoded
}

// Stream encodes the error of a streaming call and sets its trailers.
func (s *Stage) Stream(stream grpc.ServerStream, call Call, err error) error {
	trailers, encoded := s.Encode(stream.Context(), call, err)
	if trailers != nil {
		stream.SetTrailer(trailers)
	}
	return encoded
}

// UnaryServerInterceptor encodes the errors of unary calls.
func (s *Stage) UnaryServerInterceptor() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		resp, err := handler(ctx, req)
		if err != nil {
			return nil, s.Unary(ctx, Call{Method: info.FullMethod}, err)
		}
		return resp, nil
	}
}

// StreamServerInterceptor encodes the errors of streaming calls.
func (s *Stage) StreamServerInterceptor() grpc.StreamServerInterceptor {
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		if err := handler(srv, stream); err != nil {
			return s.Stream(stream, Call{Method: info.FullMethod}, err)
		}
		return nil
	}
}
