package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"buf.build/go/protovalidate"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
)

// Stage validates messages. It is immutable and safe for concurrent use.
type Stage struct {
	validator protovalidate.Validator
}

// New returns the stage. A nil validator means one with protovalidate's defaults, which compiles the rules of a message
// when it first sees it. It fails when that validator cannot be made.
func New(validator protovalidate.Validator) (*Stage, error) {
	if validator == nil {
		made, err := protovalidate.New()
		if err != nil {
			return nil, fmt.Errorf("validate: making a validator: %w", err)
		}
		validator = made
	}
	return &Stage{validator: validator}, nil
}

// Check returns an [errs.ValidationError] for a message that breaks its rules, nil for one that keeps them and for what
// is not a protobuf message. Rules that cannot be compiled or evaluated are an error of the service, not of the caller.
func (s *Stage) Check(message any) error {
	m, ok := message.(proto.Message)
	if !ok {
		return nil
	}
	err := s.validator.Validate(m)
	if err == nil {
		return nil
	}
	broken, ok := errors.AsType[*protovalidate.ValidationError](err)
	if !ok {
		return fmt.Errorf("validating %s: %w", m.ProtoReflect().Descriptor().FullName(), err)
	}
	e := &errs.ValidationError{Subject: string(m.ProtoReflect().Descriptor().FullName())}
	for _, v := range broken.Violations {
		e.Issues = append(e.Issues, issueOf(v))
	}
	slices.SortStableFunc(e.Issues, func(a, b errs.Issue) int { return strings.Compare(a.Path, b.Path) })
	return e
}

// UnaryServerInterceptor validates the request of unary calls.
func (s *Stage) UnaryServerInterceptor() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		if err := s.Check(req); err != nil {
			return nil, err
		}
		return handler(ctx, req)
	}
}

// StreamServerInterceptor validates every message that a streaming call receives.
func (s *Stage) StreamServerInterceptor() grpc.StreamServerInterceptor {
	return func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		return handler(srv, &validated{ServerStream: stream, stage: s})
	}
}

type validated struct {
	grpc.ServerStream

	stage *Stage
}

func (s *validated) RecvMsg(m any) error {
	if err := s.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	return s.stage.Check(m)
}
