package client_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/internal/tcptest"
)

type watchStream = grpc.ServerStreamingServer[servicev1.WatchOperationResponse]

// watching is a service that ends its streams one after the other, the last one again and again: each sends states, and
// then returns an error.
type watching struct {
	states []servicev1.OperationState
	end    error
}

func (o *operations) script(t *testing.T, streams ...watching) {
	t.Helper()
	o.watch = func(r *servicev1.WatchOperationRequest, stream watchStream) error {
		n := o.calls.Load()
		if n > 1 && r.GetOperation().GetId() != "op_1" {
			t.Errorf("stream %d watches %v, which may name another operation now", n, r.GetOperation())
		}
		s := streams[min(int(n), len(streams))-1]
		for _, state := range s.states {
			if err := stream.Send(&servicev1.WatchOperationResponse{Operation: &servicev1.Operation{Id: "op_1", State: state}}); err != nil {
				return err
			}
		}
		return s.end
	}
}

// seen are the states of a watch, and its error.
func seen(ctx context.Context, c *client.Client) ([]servicev1.OperationState, error) {
	var states []servicev1.OperationState
	for operation, err := range c.WatchOperation(ctx, client.OperationKey("pay", "k")) {
		if err != nil {
			return states, err
		}
		states = append(states, operation.GetState())
	}
	return states, nil
}

// ends is a stream that sends states and returns an error.
func ends(err error, states ...servicev1.OperationState) watching { return watching{states, err} }

func TestWatchOperation(t *testing.T) {
	t.Parallel()
	type states = []servicev1.OperationState
	broken := status.Error(codes.Unavailable, "error reading from server: EOF")
	stopping, limit := &errs.ServiceError{Code: errs.CodeShuttingDown}, &errs.ServiceError{Code: errs.CodeDeadlineExceeded}
	missing, canceled := &errs.ServiceError{Code: errs.CodeOperationNotFound}, &errs.ServiceError{Code: errs.CodeCanceled}
	for name, test := range map[string]struct {
		streams []watching
		retries bool
		want    states
		calls   int64
		code    errs.Code // of the error; empty for none, or for one that is not ours
		fails   bool
	}{
		"to its end":                 {[]watching{ends(nil, effect, unknown, done)}, false, states{effect, unknown, done}, 1, "", false},
		"closed":                     {[]watching{ends(nil, closed)}, false, states{closed}, 1, "", false},
		"free":                       {[]watching{ends(nil, free)}, false, states{free}, 1, "", false},
		"ended before the operation": {[]watching{ends(nil, effect)}, true, states{effect}, 1, "", true},
		"broken, once":               {[]watching{ends(broken, effect)}, false, states{effect}, 1, "", true},
		"broken for ever":            {[]watching{ends(broken, effect)}, true, states{effect}, 4, "", true},
		"broken":                     {[]watching{ends(broken, effect), ends(nil, effect, done)}, true, states{effect, done}, 2, "", false},
		"ended by a proxy": {
			[]watching{ends(status.Error(codes.DeadlineExceeded, "504"), effect), ends(nil, done)}, true, states{effect, done}, 2, "", false,
		},
		"denied by a proxy":      {[]watching{ends(status.Error(codes.PermissionDenied, "403"))}, true, nil, 1, "", true},
		"as_is, once":            {[]watching{ends(stopping)}, false, nil, 1, errs.CodeShuttingDown, true},
		"as_is":                  {[]watching{ends(stopping, effect), ends(nil, done)}, true, states{effect, done}, 2, "", false},
		"ended by a limit, once": {[]watching{ends(limit, effect)}, false, states{effect}, 1, errs.CodeDeadlineExceeded, true},
		"ended by a limit":       {[]watching{ends(limit, effect), ends(nil, done)}, true, states{effect, done}, 2, "", false},
		"said to be canceled":    {[]watching{ends(canceled)}, true, nil, 1, errs.CodeCanceled, true},
		"not found":              {[]watching{ends(missing)}, true, nil, 1, errs.CodeOperationNotFound, true},
		"no more found": {
			[]watching{ends(broken, effect), ends(missing)}, true, states{effect}, 2, errs.CodeOperationNotFound, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var options []client.Option
			if test.retries {
				options = append(options, client.WithRetry(client.Retry{InitialBackoff: time.Nanosecond, MaxBackoff: time.Hour}))
			}
			s := &operations{}
			s.script(t, test.streams...)
			got, err := seen(t.Context(), s.serve(t, options...))
			if !slices.Equal(got, test.want) || (err != nil) != test.fails || errs.CodeOf(err) != test.code || s.calls.Load() != test.calls {
				t.Errorf("got %v, %v, after %d streams", got, err, s.calls.Load())
			}
			if client.NeverSent(err) {
				t.Error("it says that nothing was sent")
			}
		})
	}
}

// TestWatchThatHeld counts its attempts anew.
func TestWatchThatHeld(t *testing.T) {
	t.Parallel()
	s := &operations{}
	s.watch = func(_ *servicev1.WatchOperationRequest, stream watchStream) error {
		if s.calls.Load() < 10 {
			return status.Error(codes.Unavailable, "gone")
		}
		return stream.Send(&servicev1.WatchOperationResponse{Operation: &servicev1.Operation{Id: "op_1", State: done}})
	}
	got, err := seen(t.Context(), s.serve(t, client.WithRetry(client.Retry{MaxBackoff: time.Nanosecond}))) // every stream held
	if err != nil || len(got) != 1 {
		t.Errorf("got %v, %v, after %d streams", got, err, s.calls.Load())
	}
}

// TestWatchThatNobodyListensTo ends its stream.
func TestWatchThatNobodyListensTo(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	s := &operations{watch: func(_ *servicev1.WatchOperationRequest, stream watchStream) error {
		err := stream.Send(&servicev1.WatchOperationResponse{Operation: &servicev1.Operation{Id: "op_1", State: effect}})
		<-stream.Context().Done()
		close(ended)
		return err
	}}
	for range s.serve(t).WatchOperation(t.Context(), client.OperationID("op_1")) {
		break
	}
	<-ended
}

func TestWatchThatRunsOutOfTime(t *testing.T) {
	t.Parallel()
	s := &operations{watch: func(_ *servicev1.WatchOperationRequest, stream watchStream) error {
		if err := stream.Send(&servicev1.WatchOperationResponse{Operation: &servicev1.Operation{Id: "op_1", State: effect}}); err != nil {
			return err
		}
		<-stream.Context().Done()
		return stream.Context().Err()
	}}
	for name, options := range map[string][]client.Option{"once": nil, "with retries": {client.WithRetry(client.Retry{})}} {
		ctx, cancel := context.WithCancel(t.Context())
		var last error
		for operation, err := range s.serve(t, options...).WatchOperation(ctx, client.OperationID("op_1")) {
			if last = err; operation != nil {
				cancel()
			}
		}
		cancel()
		if !errors.Is(last, context.Canceled) || client.NeverSent(last) {
			t.Errorf("%s: got %v", name, last)
		}
		if _, err := seen(ctx, s.serve(t, options...)); !errors.Is(err, context.Canceled) || !client.NeverSent(err) {
			t.Errorf("%s, over before it begins: got %v", name, err)
		}
	}
	_, err := seen(t.Context(), dial(t, tcptest.Refused(t), client.WithRetry(client.Retry{InitialBackoff: time.Millisecond})))
	if status.Code(err) != codes.Unavailable || !client.NeverSent(err) {
		t.Errorf("nobody listens: got %v", err)
	}
}

func TestWaitOperation(t *testing.T) {
	t.Parallel()
	broken := status.Error(codes.Unavailable, "gone")
	for name, test := range map[string]struct {
		stream watching
		want   servicev1.OperationState
		code   errs.Code
		fails  bool
	}{
		"done":               {ends(nil, effect, done), done, "", false},
		"free":               {ends(nil, free), free, "", false},
		"closed":             {ends(nil, closed), closed, "", false},
		"unknown":            {ends(nil, effect, unknown, done), unknown, errs.CodeOutcomeUnknown, true},
		"broken":             {ends(broken, effect), effect, "", true},
		"broken from before": {ends(broken), 0, "", true},
	} {
		s := &operations{}
		s.script(t, test.stream)
		got, err := s.serve(t).WaitOperation(t.Context(), client.OperationKey("pay", "k"))
		if got.GetState() != test.want || (err != nil) != test.fails || errs.CodeOf(err) != test.code {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
		if test.want == unknown && (errs.InfoOf(err).OperationID != "op_1" || errs.Retryable(err)) {
			t.Errorf("got %v, %+v", err, errs.InfoOf(err))
		}
	}
}
