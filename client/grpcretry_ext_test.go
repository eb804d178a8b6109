package client_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

// These tests hold the trailers of the server to what grpc's own retries make of them (gRFC A6).

// retried are the codes that some library retries.
var retried = []codes.Code{
	codes.Canceled, codes.Unknown, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Aborted, codes.Internal,
	codes.Unavailable, codes.DataLoss,
}

// policy asks grpc for four attempts, 1 ms apart, whatever the code. INVALID_ARGUMENT is not in it.
const policy = `{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.001s",
	"maxBackoff": "0.001s", "backoffMultiplier": 1, "retryableStatusCodes": ["CANCELLED", "UNKNOWN", "DEADLINE_EXCEEDED",
	"RESOURCE_EXHAUSTED", "ABORTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"]}}]%s}`

// throttle lets ten failures through, of which five stop the retries.
const throttle = `, "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}`

func withPolicy(more string) []grpc.DialOption {
	return append(interceptors.DialOptions(), grpc.WithDefaultServiceConfig(fmt.Sprintf(policy, more)))
}

// ofPeer is an error of a service that declares its own: any code with any rule.
func ofPeer(t *testing.T, code codes.Code, rule string, after time.Duration) error {
	t.Helper()
	messages := []proto.Message{&errdetails.ErrorInfo{Reason: "SLOT_STALE", Domain: "shop.v1", Metadata: map[string]string{"retry": rule}}}
	if after > 0 {
		messages = append(messages, &errdetails.RetryInfo{RetryDelay: durationpb.New(after)})
	}
	st := &spb.Status{Code: int32(code), Message: "The slot is stale."}
	for _, m := range messages {
		detail, err := anypb.New(m)
		if err != nil {
			t.Fatal(err)
		}
		st.Details = append(st.Details, detail)
	}
	return status.FromProto(st).Err()
}

// arrivals is a handler that fails, and keeps when it was called.
type arrivals struct {
	err error

	mu    sync.Mutex
	times []time.Time
}

func (a *arrivals) handle(context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.times = append(a.times, time.Now())
	return a.err
}

// TestRulesReachGRPC sends each code with each rule to a client that retries everything.
func TestRulesReachGRPC(t *testing.T) {
	t.Parallel()
	const delay = 20 * time.Millisecond
	tests := []struct {
		rule  string
		after time.Duration
		want  int
	}{{"never", 0, 1}, {"after_repair", 0, 1}, {"as_is", 0, 4}, {"as_is", delay, 4}, {"never", delay, 1}}
	for _, code := range retried {
		for _, test := range tests {
			for _, kind := range grpctest.Kinds() {
				t.Run(fmt.Sprintf("%v/%s/%v/%s", code, test.rule, test.after, kind), func(t *testing.T) {
					t.Parallel()
					seen := &arrivals{err: ofPeer(t, code, test.rule, test.after)}
					conn := grpctest.Serve(t, &grpctest.Service{Handle: seen.handle}, serverOptions(t), withPolicy(""))
					err := grpctest.Call(t.Context(), conn, kind).Err
					if len(seen.times) != test.want {
						t.Errorf("the handler was called %d times, want %d", len(seen.times), test.want)
					}
					for i := 1; i < len(seen.times); i++ {
						if gap := seen.times[i].Sub(seen.times[i-1]); gap < test.after {
							t.Errorf("attempt %d came after %v, want no less than %v", i+1, gap, test.after)
						}
					}
					// However often grpc tried, and whatever it wrote around the status, the error is the one that was sent.
					if !errors.Is(err, errs.Code("slot_stale")) || status.Code(err) != code || errs.RetryOf(err).String() != test.rule {
						t.Errorf("got %v (%v)", err, status.Code(err))
					}
					if e, ok := errors.AsType[*errs.ToolError](err); !ok || e.GRPCStatus().Message() != "The slot is stale." {
						t.Errorf("grpc's text entered the message: %v", err)
					}
				})
			}
		}
	}
}

// TestOversizeErrorIsNotRetried sends what a client would lose, and then retry, if it were sent whole.
func TestOversizeErrorIsNotRetried(t *testing.T) {
	t.Parallel()
	issues := make([]errs.Issue, 500)
	for i := range issues {
		issues[i] = errs.Issue{Path: fmt.Sprintf("/items/%d/name", i), Keyword: "required", Message: "is required"}
	}
	seen := &arrivals{err: &errs.ValidationError{Subject: "place_order", Issues: issues}}
	conn := grpctest.Serve(t, &grpctest.Service{Handle: seen.handle}, serverOptions(t),
		append(withPolicy(""), grpc.WithMaxHeaderListSize(8192)))
	err := grpctest.Call(t.Context(), conn, grpctest.Unary).Err
	if !errors.Is(err, errs.CodeInvalidInput) || !errs.InfoOf(err).Truncated || len(seen.times) != 1 {
		t.Errorf("got %v after %d calls", err, len(seen.times))
	}
}

// TestThrottleIsNotSpent on errors that no library retries: a needless -1 counts as a failure.
func TestThrottleIsNotSpent(t *testing.T) {
	t.Parallel()
	invalid := &errs.ValidationError{Subject: "place_order"}
	overloaded := &errs.ServiceError{Code: errs.CodeOverloaded}
	needless := func(ctx context.Context) error {
		return errors.Join(invalid, grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", "-1")))
	}
	tests := []struct {
		name   string
		answer func(context.Context) error
		want   int
	}{
		{"as it is", func(context.Context) error { return invalid }, 4},
		{"with a needless pushback, which is why there is none", needless, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			seen := &arrivals{err: overloaded}
			answer := test.answer
			conn := grpctest.Serve(t, &grpctest.Service{Handle: func(ctx context.Context) error { return answer(ctx) }},
				serverOptions(t), withPolicy(throttle))
			for range 6 {
				if err := grpctest.Call(t.Context(), conn, grpctest.Unary).Err; !errors.Is(err, errs.CodeInvalidInput) {
					t.Fatalf("got %v", err)
				}
			}
			answer = seen.handle
			err := grpctest.Call(t.Context(), conn, grpctest.Unary).Err
			if !errors.Is(err, errs.CodeOverloaded) || len(seen.times) != test.want {
				t.Errorf("got %v after %d attempts, want %d", err, len(seen.times), test.want)
			}
		})
	}
}
