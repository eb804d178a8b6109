package interceptors_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"pgregory.net/rapid"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/trusted"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/decode"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

// What users of neighbouring systems asked for, end to end.

func callOnce(t *testing.T, err error, dial ...grpc.DialOption) error {
	t.Helper()
	service := &grpctest.Service{Handle: returning(err)}
	conn := grpctest.Serve(t, service, serverOptions(t, quiet()), append(interceptors.DialOptions(), dial...))
	return grpctest.Call(t.Context(), conn, grpctest.Unary).Err
}

// A big error must not kill the stream: the client takes no more than 8 KiB of trailers.
func TestHugeErrorReachesAClientWithSmallLimits(t *testing.T) {
	t.Parallel()
	issues := make([]errs.Issue, 500)
	for i := range issues {
		issues[i] = errs.Issue{Path: fmt.Sprintf("/items/%d", i), Keyword: "type", Message: strings.Repeat("must be a string ", 20)}
	}
	err := callOnce(t, &errs.ValidationError{Subject: "cancel_order", Issues: issues, Message: trusted.Text(strings.Repeat("é", 1<<20))},
		grpc.WithMaxHeaderListSize(8192))
	e, ok := errors.AsType[*errs.ValidationError](err)
	if !ok || status.Code(err) != codes.InvalidArgument {
		t.Fatalf("got %T %v", err, err)
	}
	if len(e.Issues) == 0 || e.Issues[0].Path != "/items/0" {
		t.Errorf("got the issues %v", e.Issues)
	}
	if !errs.InfoOf(err).Truncated {
		t.Error("it is not marked as truncated")
	}
}

// errors.Join must lose neither types nor the code, and the choice must not change.
func TestJoinKeepsTypes(t *testing.T) {
	t.Parallel()
	for range 10 {
		err := callOnce(t, errors.Join(
			errors.New(secret),
			&errs.AuthorizationError{Tool: "a"},
			fmt.Errorf("x: %w", slotStale.New()),
			status.Error(codes.NotFound, "no"),
		))
		if _, ok := err.(*errs.AuthorizationError); !ok { //nolint:errorlint // the head itself
			t.Fatalf("the head is %T, want the first typed error", err)
		}
		if e, ok := errors.AsType[*errs.ToolError](err); !ok || e.Code != "slot_stale" {
			t.Error("the second typed error is lost")
		}
		if status.Code(err) != codes.PermissionDenied {
			t.Errorf("got status %v", status.Code(err))
		}
	}
}

// An unknown outcome is the head, wherever it stands.
func TestUnknownOutcomeIsTheHead(t *testing.T) {
	t.Parallel()
	err := callOnce(t, errors.Join(slotStale.New(), &errs.VerificationError{Tool: "a"}, &errs.OutcomeUnknownError{Tool: "b"}))
	if _, ok := err.(*errs.OutcomeUnknownError); !ok { //nolint:errorlint // the head itself
		t.Errorf("the head is %T", err)
	}
}

// Wrapping at every hop must not grow the message, and the original stays retrievable.
func TestWrappingAtEveryHop(t *testing.T) {
	t.Parallel()
	for name, origin := range map[string]error{"typed": slotStale.New(), "status": status.Error(codes.NotFound, "no such row")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handle := returning(fmt.Errorf("x: %w", origin))
			var conn *grpc.ClientConn
			for range 4 {
				conn = grpctest.Serve(t, &grpctest.Service{Handle: handle}, serverOptions(t, quiet()), passing())
				inner := conn
				handle = func(ctx context.Context) error {
					return fmt.Errorf("x: %w", grpctest.Call(ctx, inner, grpctest.Unary).Err)
				}
			}
			err := grpctest.Call(t.Context(), conn, grpctest.Unary).Err
			got, want := status.Convert(err), status.Convert(origin)
			if got.Message() != want.Message() || got.Code() != want.Code() {
				t.Errorf("got %v, want %v", got, want)
			}
			if strings.Contains(got.Message(), "rpc error:") {
				t.Errorf("wrapping text got in: %q", got.Message())
			}
		})
	}
}

// passing is a connection whose foreign statuses a server sends on.
func passing() []grpc.DialOption {
	return interceptors.DialOptions(decode.WithForeignRelay(errs.Passthrough))
}

// A gateway between agent and tool server keeps code, rule, delay and ids as fields.
func TestFieldsCrossAGateway(t *testing.T) {
	t.Parallel()
	busy := errs.MustDefine("account_busy", errs.AsIs)
	tool := grpctest.Serve(t, &grpctest.Service{Handle: func(context.Context) error {
		return errs.WithInfo(busy.New(errs.After(400*time.Millisecond)), errs.Info{OperationID: "op_1", RunID: "run_1", Tool: "send_payment"})
	}}, serverOptions(t, quiet()), interceptors.DialOptions())
	gateway := grpctest.Serve(t, &grpctest.Service{Handle: func(ctx context.Context) error {
		return grpctest.Call(ctx, tool, grpctest.Unary).Err
	}}, serverOptions(t, quiet()), interceptors.DialOptions())
	err := grpctest.Call(t.Context(), gateway, grpctest.Unary).Err
	after, _ := errs.RetryAfterOf(err)
	info := errs.InfoOf(err)
	if errs.CodeOf(err) != "account_busy" || !errs.Retryable(err) || after != 400*time.Millisecond ||
		info.OperationID != "op_1" || info.RunID != "run_1" || info.Tool != "send_payment" {
		t.Errorf("got %v, after %v, %+v", err, after, info)
	}
}

// No test may match on the text of a message: whatever it says, type, code, rule and plan are the same.
func TestMessagesAreRandom(t *testing.T) {
	t.Parallel()
	var origin error
	conn := grpctest.Serve(t, &grpctest.Service{Handle: func(context.Context) error { return origin }},
		serverOptions(t, quiet()), interceptors.DialOptions())
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "message")
		origin = &errs.ToolError{
			Code: "slot_stale", Message: trusted.Text(text), Retry: errs.AfterRepair,
			Repair: errs.NewPlan(errs.CallTool("list_available_slots", trusted.Text(rapid.String().Draw(t, "instruction")))),
		}
		err := grpctest.Call(ctx, conn, grpctest.Unary).Err
		e, ok := errors.AsType[*errs.ToolError](err)
		if !ok || e.Code != "slot_stale" || e.RetryPolicy() != errs.AfterRepair || e.Plan().Steps()[0].Tool() != "list_available_slots" {
			t.Fatalf("got %T %v", err, err)
		}
		if !errs.Equal(err, origin) {
			t.Fatalf("not equal: %v and %v", err, origin)
		}
	})
}

// A client that has only google.rpc reads reason, domain, delay and violations.
func TestPlainClient(t *testing.T) {
	t.Parallel()
	conn := grpctest.Serve(t, &grpctest.Service{Handle: returning(&errs.ValidationError{
		Subject: "cancel_order",
		Issues: []errs.Issue{
			{Path: "/orderId", Keyword: "required", Message: "is required"},
			{Path: "/lines/2/amount", Keyword: "minimum", Message: "must be at least 1"},
		},
	})}, serverOptions(t, quiet()), nil)
	st := status.Convert(grpctest.Call(t.Context(), conn, grpctest.Unary).Err)
	var info *errdetails.ErrorInfo
	var bad *errdetails.BadRequest
	seen := make(map[string]bool)
	for _, detail := range st.Details() {
		kind := fmt.Sprintf("%T", detail)
		if seen[kind] {
			t.Errorf("%s is there twice", kind)
		}
		seen[kind] = true
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			info = detail
		case *errdetails.BadRequest:
			bad = detail
		}
	}
	if info.GetReason() != "INVALID_INPUT" || info.GetDomain() != "remedy.v1" || info.GetMetadata()["retry"] != "after_repair" {
		t.Errorf("got %v", info)
	}
	if v := bad.GetFieldViolations(); len(v) != 2 || v[0].GetField() != "orderId" || v[0].GetReason() != "required" ||
		v[1].GetField() != "lines[2].amount" || v[1].GetDescription() != "must be at least 1" {
		t.Errorf("got %v", v)
	}
}
