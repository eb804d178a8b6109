package contract

import (
	"context"
	"io"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// stream holds the errors of a streaming call to the rules.
type stream struct {
	grpc.ClientStream

	rules  *rules
	method *method
	call   *call // nil where the method has no effect
	ctx    context.Context
	marks  bool // what is proven is marked

	names    atomic.Pointer[names] // by the first request
	reported atomic.Bool
}

func (s *stream) Header() (metadata.MD, error) {
	md, err := s.ClientStream.Header()
	return md, s.judged(err)
}

func (s *stream) CloseSend() error          { return s.judged(s.ClientStream.CloseSend()) }
func (s *stream) RecvMsg(message any) error { return s.judged(s.ClientStream.RecvMsg(message)) }

func (s *stream) SendMsg(message any) error {
	if s.call != nil && s.names.Load() == nil {
		n := s.rules.nameOf(s.method, message)
		s.names.Store(&n)
	}
	return s.judged(s.ClientStream.SendMsg(message))
}

// judged returns the error of a method of the stream, which aborts the stream unless it is its end.
func (s *stream) judged(err error) error {
	if err == nil || err == io.EOF { //nolint:errorlint // the end of a stream is exactly this value
		return err
	}
	unsent := s.call.proves(err)
	err = s.rules.received(err)
	if s.method.isBrokenBy(err) && !s.reported.Swap(true) {
		s.rules.report(s.ctx, s.method, err)
	}
	if s.call == nil {
		return err
	}
	n := s.names.Load()
	if n == nil {
		none := s.rules.nameOf(s.method, nil)
		n = &none
	}
	header, _ := s.ClientStream.Header() // of a stream that was aborted, it does not wait
	err = s.call.judge(err, unsent, *n, header)
	if unsent && s.marks {
		return &neversent.Error{Err: err}
	}
	return err
}
