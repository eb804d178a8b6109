package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/internal/tcptest"
)

// TestNeverSentIsSeen by callers, of every kind of call, however it is wrapped.
func TestNeverSentIsSeen(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	served := dial(t, serveTCP(t, answering(nil)).Addr)
	refused := dial(t, tcptest.Refused(t))
	for name, err := range map[string]error{
		"refused":      call(t.Context(), refused),
		"canceled":     call(over, served),
		"a bad key":    call(t.Context(), served, client.WithOperationKey("a b")),
		"a large call": call(t.Context(), served, client.WithGRPC(grpc.MaxCallSendMsgSize(1))),
		"a read":       call(t.Context(), refused, client.WithReadOnly()),
		"no JSON":      func() error { _, err := served.CallJSON(t.Context(), "t", json.RawMessage("{")); return err }(),
		"no encoding":  func() error { _, err := client.Call[chan int, any](t.Context(), served, "t", nil); return err }(),
		"a tool":       func() error { _, err := refused.Tool(t.Context(), "t"); return err }(),
		"tools": func() (last error) {
			for _, err := range refused.Tools(t.Context()) {
				last = err
			}
			return last
		}(),
		"retried": call(t.Context(), dial(t, tcptest.Refused(t), client.WithRetry(client.Retry{InitialBackoff: time.Microsecond}))),
	} {
		plain := errors.New("the order of Monday")
		for _, wrapped := range []error{err, fmt.Errorf("cancelling: %w", err), fmt.Errorf("%w: %w", plain, err), errors.Join(err, err)} {
			if !client.NeverSent(wrapped) {
				t.Errorf("%s: not seen of %v", name, wrapped)
			}
		}
		for _, other := range []error{
			errors.Join(err, status.Error(codes.Unavailable, "lost")), errors.Join(&errs.OutcomeUnknownError{}, err),
			&errs.OutcomeUnknownError{Cause: err}, &errs.ToolError{Code: "first_step_done", Cause: err},
			errors.Join(err, &client.OutputError{Cause: plain}),
		} {
			if client.NeverSent(other) {
				t.Errorf("%s: seen of %v, which says more than that", name, other)
			}
		}
	}
	if client.NeverSent(nil) || client.NeverSent(context.Canceled) || client.NeverSent(status.Error(codes.Unavailable, "refused")) {
		t.Error("something is proven of an error that is of no call")
	}
}

// foreign is a connection of which nothing is known.
type foreign struct{ grpc.ClientConnInterface }

// TestNeverSentIsTrueOnlyWhenProven: not of what was sent, nor over a connection that proves nothing.
func TestNeverSentIsTrueOnlyWhenProven(t *testing.T) {
	t.Parallel()
	_, killed1 := killed(t)
	_, killed2 := killed(t)
	bare := tcptest.Serve(t, answering(status.Error(codes.Unavailable, "gone")).register).Addr
	retry := client.WithRetry(client.Retry{InitialBackoff: time.Microsecond, MaxBackoff: time.Microsecond})
	for name, err := range map[string]error{
		"lost":                  call(t.Context(), dial(t, killed1)),
		"lost, then refused":    call(t.Context(), dial(t, killed2, retry, client.WithLedger())),
		"answered":              call(t.Context(), dial(t, bare)),
		"a read, answered":      call(t.Context(), dial(t, bare), client.WithReadOnly()),
		"typed":                 call(t.Context(), serve(t, answering(&errs.ServiceError{Code: errs.CodeOverloaded}))),
		"a foreign connection":  call(t.Context(), newClient(t, foreign{tcptest.Dial(t, tcptest.Refused(t), interceptors.DialOptions()...)})),
		"a read over a foreign": call(t.Context(), newClient(t, tcptest.Dial(t, tcptest.Refused(t))), client.WithReadOnly()),
	} {
		if err == nil || client.NeverSent(err) {
			t.Errorf("%s: taken for never sent: %v", name, err)
		}
	}
}

// TestNeverSentChangesNothingElse: the status, its text and what the error matches stay.
func TestNeverSentChangesNothingElse(t *testing.T) {
	t.Parallel()
	addr := tcptest.Refused(t)
	err := call(t.Context(), dial(t, addr))
	st, ok := status.FromError(err)
	if !ok || st.Code() != codes.Unavailable || !strings.HasPrefix(st.Message(), "connection error") || errs.CodeOf(err) != "" {
		t.Errorf("got %v, %v", st, ok)
	}
	if !errors.Is(err, st.Err()) || err.Error() != st.Err().Error() {
		t.Errorf("%v is not %v", err, st.Err())
	}
	_, err = client.Call[chan int, any](t.Context(), dial(t, addr), "t", nil)
	if _, ok := status.FromError(err); ok || errors.As(err, new(*errs.ServiceError)) {
		t.Errorf("%v has a status", err)
	}
	if _, ok := errors.AsType[*json.UnsupportedTypeError](err); !ok {
		t.Errorf("%v is no UnsupportedTypeError", err)
	}
}

// TestHugeInput is refused before grpc would refuse it in a way that leaves the outcome open.
func TestHugeInput(t *testing.T) {
	t.Parallel()
	var requests []*servicev1.CallToolRequest
	c := dial(t, serveTCP(t, echo(&requests)).Addr)
	type text struct {
		Text string `json:"text"`
	}
	const around = len(`{"text":""}`)
	for _, size := range []int{1<<20 + 1, 5 << 20} {
		_, err := client.Call[text, any](t.Context(), c, "place_order", text{strings.Repeat("x", size-around)})
		invalid, ok := errors.AsType[*errs.ValidationError](err)
		want := errs.Issue{Keyword: "size", Message: "must be at most 1048576 bytes of JSON"}
		if !ok || invalid.Subject != "place_order" || len(invalid.Issues) != 1 || invalid.Issues[0] != want {
			t.Errorf("%d bytes: got %v", size, err)
		}
		if !client.NeverSent(err) || len(requests) != 0 {
			t.Errorf("%d bytes: %d calls were sent", size, len(requests))
		}
	}
	largest := text{strings.Repeat("x", 1<<20-around)}
	if _, err := client.Call[text, any](t.Context(), c, "place_order", largest); err != nil || len(requests) != 1 {
		t.Errorf("the largest input: %v, %d calls", err, len(requests))
	}
}

// TestErrorIDOfALostOutcome leads to the log of the service, although the error that carried it is only a cause.
func TestErrorIDOfALostOutcome(t *testing.T) {
	t.Parallel()
	failed := errs.WithInfo(&errs.ServiceError{Code: errs.CodeInternal}, errs.Info{ErrorID: "e-7", OperationID: "op-7"})
	for name, c := range map[string]*client.Client{
		"Dial": dial(t, serveTCP(t, answering(failed)).Addr), "New": newClient(t, tcptest.Dial(t, serveTCP(t, answering(failed)).Addr)),
	} {
		err := call(t.Context(), c, client.WithRunID("run-1"))
		info := errs.InfoOf(err)
		if !errs.IsInferred(err) || info.ErrorID != "e-7" || info.OperationID != "op-7" || info.RunID != "run-1" || info.OperationKey != key {
			t.Errorf("%s: info %+v of %v", name, info, err)
		}
	}
}

// TestOutputOmitted is a success without an output, which no typed caller can mistake for one with a zero output.
func TestOutputOmitted(t *testing.T) {
	t.Parallel()
	c := serve(t, &service{call: func(context.Context, *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
		return &servicev1.CallToolResponse{Result: &servicev1.ToolResult{OutputOmitted: true, OperationId: "op-2", Verified: true}}, nil
	}})
	result, err := client.Call[struct{}, Cancelled](t.Context(), c, "cancel_order", struct{}{}, client.WithOperationKey(key))
	omitted, ok := errors.AsType[*client.OutputError](err)
	if !ok || omitted.Tool != "cancel_order" || omitted.OperationKey != key || omitted.OperationID != "op-2" || omitted.Output != nil {
		t.Errorf("got %#v", err)
	}
	if want := "client: cancel_order succeeded, but its output cannot be had: the service did not keep it"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if want := (client.Result[Cancelled]{OperationKey: key, OperationID: "op-2", Verified: true, OutputOmitted: true}); result != want {
		t.Errorf("got %+v, want %+v", result, want)
	}
	if _, err := client.Call[struct{}, any](t.Context(), c, "cancel_order", struct{}{}); err == nil {
		t.Error("nil was returned for an output")
	}
	nothing, err := client.Call[struct{}, struct{}](t.Context(), c, "cancel_order", struct{}{})
	if err != nil || !nothing.OutputOmitted {
		t.Errorf("got %+v, %v", nothing, err)
	}
	raw, err := c.CallJSON(t.Context(), "cancel_order", nil)
	if err != nil || !raw.OutputOmitted || raw.Output != nil {
		t.Errorf("got %+v, %v", raw, err)
	}
}
