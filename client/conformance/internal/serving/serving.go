// Package serving answers calls with the errors of the vectors, so that clients in any language can be held to them.
package serving

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"google.golang.org/grpc"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/client/conformance/internal/vector"
	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

const (
	// NameKey is the request metadata that names the vector to answer with.
	NameKey = "conformance-vector"
	// FillTrailer is the trailer that fills the room that the encoder leaves for trailers of others, 256 bytes.
	FillTrailer = "conformance-fill"
)

// New returns a server of grpc's own test service. Every call, of all four kinds, fails with the vector that it names;
// streams send one message first. limit bounds the trailer list, see [errs.Encoder].
func New(vectors []vector.Vector, limit int) (*grpc.Server, error) {
	failures := make(map[string]error)
	trailers := make(map[string]metadata.MD)
	for i := range vectors {
		v := &vectors[i]
		if v.Direction != vector.Encode {
			continue
		}
		failure, err := v.Input.Error()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		failures[v.Name], trailers[v.Name] = failure, fill(v.Pushback)
	}
	options, err := interceptors.ServerOptions(
		interceptors.WithEncode(encode.WithLimit(limit), encode.WithLogger(slog.New(slog.DiscardHandler))))
	if err != nil {
		return nil, fmt.Errorf("serving vectors: %w", err)
	}
	server := grpc.NewServer(options...)
	testgrpc.RegisterTestServiceServer(server, &grpctest.Service{Messages: 1, Handle: func(ctx context.Context) error {
		name := strings.Join(metadata.ValueFromIncomingContext(ctx, NameKey), ",")
		failure, ok := failures[name]
		if !ok {
			return &errs.ServiceError{Code: errs.CodeToolNotFound, Subject: name}
		}
		if err := grpc.SetTrailer(ctx, trailers[name]); err != nil {
			return err
		}
		return failure
	}})
	return server, nil
}

// fill returns a trailer that, together with the one for pushback, takes 256 bytes of the list.
func fill(pushback string) metadata.MD {
	const free, entry = 256, 32
	left := free - entry - len(FillTrailer)
	if pushback != "" {
		left -= entry + len(encode.PushbackTrailer) + len(pushback)
	}
	return metadata.Pairs(FillTrailer, strings.Repeat("X", left)) // X takes eight bits in HPACK
}
