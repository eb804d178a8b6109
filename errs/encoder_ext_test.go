package errs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

const (
	secret = "dsn=postgres://admin:hunter2@db"
	method = "/shop.v1.Shop/Cancel"
)

// TestEncodeDecisions is the table of what may leave a server. Secrets are in every error that must be hidden, and wraps
// carry one each.
func TestEncodeDecisions(t *testing.T) {
	t.Parallel()
	typed := slotStale.New()
	foreign := func(code codes.Code) error { return status.Error(code, "no such row") }
	received := func(err error, ours, foreign errs.Relay) error {
		return errs.Received(errs.ToStatus(err).Err(), ours, foreign)
	}
	receivedForeign := func(relay errs.Relay) error {
		return errs.Received(status.Error(codes.InvalidArgument, secret), errs.RelayDefault, relay)
	}
	upstream := &errs.ToolError{Code: "some_code", Message: secret}
	own := fmt.Errorf("%s: %w", secret, context.DeadlineExceeded)
	join := errors.Join
	type want struct {
		code     errs.Code // empty for a status that is not ours
		status   codes.Code
		pushback string
		hidden   bool
		leaks    bool // the text may leave
	}
	var (
		masked   = want{code: errs.CodeInternal, status: codes.Internal, pushback: "-1", hidden: true}
		unknown  = want{code: errs.CodeOutcomeUnknown, status: codes.Unknown, pushback: "-1", hidden: true}
		canceled = want{code: errs.CodeCanceled, status: codes.Canceled, pushback: "-1"}
		deadline = want{code: errs.CodeDeadlineExceeded, status: codes.DeadlineExceeded, pushback: "-1"}
		stale    = want{code: "slot_stale", status: codes.FailedPrecondition}
		declared = want{code: "slot_stale", status: codes.Aborted, pushback: "-1"}
		notFound = want{status: codes.NotFound}
	)
	const read, effect = false, true
	tests := []struct {
		name   string
		err    error
		effect bool
		want   want
	}{
		{"plain", errors.New(secret), read, masked},
		{"plain, effect", errors.New(secret), effect, unknown},
		{"wrapped plain", fmt.Errorf("%s: %w", secret, fs.ErrNotExist), read, masked},
		{"INTERNAL", status.Error(codes.Internal, secret), read, masked},
		{"UNKNOWN", status.Error(codes.Unknown, secret), read, masked},
		{"DATA_LOSS", status.Error(codes.DataLoss, secret), read, masked},
		{"DATA_LOSS, effect", status.Error(codes.DataLoss, secret), effect, unknown},
		{"NOT_FOUND", foreign(codes.NotFound), read, notFound},
		{"NOT_FOUND, effect", foreign(codes.NotFound), effect, notFound},
		{"UNAVAILABLE", foreign(codes.Unavailable), read, want{status: codes.Unavailable}},
		{"UNAVAILABLE, effect", foreign(codes.Unavailable), effect, want{status: codes.Unavailable, pushback: "-1"}},
		{"CANCELLED", foreign(codes.Canceled), read, want{status: codes.Canceled}},
		{"code 42", foreign(42), read, want{status: 42}},
		{"wrapped NOT_FOUND", fmt.Errorf("%s: %w", secret, foreign(codes.NotFound)), read, notFound},
		{"status says OK", okError{}, read, masked},
		{"context", context.Canceled, read, canceled},
		{"wrapped deadline", own, read, deadline},
		{"context, effect", context.Canceled, effect, unknown},
		{"typed", typed, read, stale},
		{"typed, effect", typed, effect, stale},
		{"typed, wrapped four times", wrap4(typed), read, stale},
		{"typed, cause", slotStale.New(errs.Cause(errors.New(secret))), read, stale},
		{"declared", fmt.Errorf("%s: %w", secret, shopv1.NewSlotStale(nil)), read, declared},
		{"status of ours", typed.GRPCStatus().Err(), read, stale},
		{"typed and plain", join(errors.New(secret), typed), read, stale},
		{"typed and foreign", join(status.Error(codes.NotFound, secret), typed), read, stale},
		{"foreign and context", join(context.Canceled, foreign(codes.NotFound)), read, notFound},
		{"context and plain", join(errors.New(secret), context.Canceled), read, canceled},
		{"impossible literal", &errs.ToolError{Code: "X", Message: secret}, read, masked},
		{"impossible literal, effect", &errs.ToolError{Code: "X", Message: secret}, effect, unknown},
		{"typed nil", (*errs.ToolError)(nil), read, masked},
		{"typed nil, effect", (*errs.ToolError)(nil), effect, unknown},
		{"typed nil, declared", (*shopv1.SlotStaleError)(nil), read, masked},
		{"code", errs.Code("slot_stale"), read, masked},
		{"sentinel", fmt.Errorf("%s: %w", secret, errs.Sentinel{Domain: "d", Code: "slot_stale"}), read, masked},
		{"received", received(typed, errs.RelayDefault, errs.RelayDefault), read, stale},
		{"received, passthrough", fmt.Errorf("%s: %w", secret, received(typed, errs.Passthrough, errs.Translate)), read, stale},
		{"received, translate", received(upstream, errs.Translate, errs.RelayDefault), read, masked},
		{"received, translate, effect", received(upstream, errs.Translate, errs.RelayDefault), effect, unknown},
		{"foreign", receivedForeign(errs.RelayDefault), read, masked},
		{"foreign, translate", fmt.Errorf("x: %w", receivedForeign(errs.Translate)), read, masked},
		{"foreign, passthrough", receivedForeign(errs.Passthrough), read, want{status: codes.InvalidArgument, leaks: true}},
		{"own status beside a foreign one", join(foreign(codes.NotFound), receivedForeign(errs.RelayDefault)), read, notFound},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out := errs.Encoder{}.Encode(test.err, method, test.effect)
			if got := errs.CodeOf(out.Err); got != test.want.code {
				t.Errorf("code: got %q, want %q", got, test.want.code)
			}
			if out.Status.Code() != test.want.status || status.Code(out.Err) != test.want.status {
				t.Errorf("status: got %s and %s, want %s", out.Status.Code(), status.Code(out.Err), test.want.status)
			}
			if out.Pushback != test.want.pushback {
				t.Errorf("pushback: got %q, want %q", out.Pushback, test.want.pushback)
			}
			if hidden := test.want.hidden; (out.Hidden != nil) != hidden || (len(out.ErrorID) == 32) != hidden {
				t.Errorf("hidden: got %v under %q", out.Hidden, out.ErrorID)
			}
			if test.want.hidden && errs.InfoOf(out.Err).ErrorID != out.ErrorID {
				t.Errorf("error id: %q is on the wire, %q in the log", errs.InfoOf(out.Err).ErrorID, out.ErrorID)
			}
			raw := marshal(t, out.Status)
			leaks := bytes.Contains(raw, []byte("hunter2")) || strings.Contains(out.Err.Error(), "hunter2")
			if leaks != test.want.leaks {
				t.Errorf("the secret leaves: %t: %s", leaks, out.Status)
			}
			if !errors.Is(out.Err, test.err) {
				t.Error("the handler's error does not match in process any more")
			}
			if strings.Contains(out.Status.Message(), "rpc error:") {
				t.Errorf("message: %q", out.Status.Message())
			}
			if (out.Problem != "") != (errs.Validate(test.err) != nil || test.name == "status says OK") {
				t.Errorf("problem: %q", out.Problem)
			}
			again := errs.Encoder{}.Encode(out.Err, method, test.effect)
			if !bytes.Equal(marshal(t, again.Status), raw) || again.Pushback != out.Pushback {
				t.Errorf("encoding twice differs: %s, then %s", out.Status, again.Status)
			}
		})
	}
	if out := (errs.Encoder{}).Encode(nil, method, true); out != (errs.Encoded{}) {
		t.Errorf("nil: got %+v", out)
	}
}

// TestUnmasked lets the text of statuses through, but not of those that another server sent.
func TestUnmasked(t *testing.T) {
	t.Parallel()
	own := status.Error(codes.Internal, secret)
	for name, test := range map[string]struct {
		err      error
		unmasked bool
		leaks    bool
	}{
		"masked":               {own, false, false},
		"unmasked":             {own, true, true},
		"unmasked, plain":      {errors.New(secret), true, false},
		"unmasked, received":   {errs.Received(own, 0, errs.RelayDefault), true, false},
		"received":             {errs.Received(own, 0, errs.RelayDefault), false, false},
		"received passthrough": {errs.Received(own, 0, errs.Passthrough), false, true},
	} {
		out := errs.Encoder{Unmasked: test.unmasked}.Encode(test.err, method, false)
		if leaks := bytes.Contains(marshal(t, out.Status), []byte("hunter2")); leaks != test.leaks || (out.Hidden == nil) != leaks {
			t.Errorf("%s: the text leaves: %t", name, leaks)
		}
	}
}

func wrap4(err error) error {
	for i := range 4 {
		err = fmt.Errorf("layer %d, %s: %w", i, secret, err)
	}
	return err
}

// okError has a status that says OK.
type okError struct{}

func (okError) Error() string              { return secret }
func (okError) GRPCStatus() *status.Status { return status.New(codes.OK, secret) }

// TestSecretsStayInProcess searches the bytes, also of what typed errors carry besides their message.
func TestSecretsStayInProcess(t *testing.T) {
	t.Parallel()
	sentinel := errors.New(secret)
	tests := map[string]error{
		"cause of a literal":    &errs.AuthorizationError{Tool: "x", Cause: sentinel},
		"cause of a definition": slotStale.New(errs.Cause(fmt.Errorf("query: %w", sentinel))),
		"foreign cause":         slotStale.New(errs.Cause(errors.Join(sentinel, status.Error(codes.NotFound, secret)))),
		"cause of a cause":      slotStale.New(errs.Cause(&errs.AbortedError{Cause: sentinel})),
		"cause of a declared":   shopv1.NewSlotStale(nil, errs.Cause(sentinel)),
		"joined":                errors.Join(sentinel, slotStale.New()),
		"inferred":              errs.InferOutcome(sentinel, errs.Call{Name: "x"}),
		"internal with a cause": &errs.ServiceError{Code: errs.CodeInternal, Cause: sentinel},
		"translated cause": slotStale.New(errs.Cause(errors.Join(sentinel, errs.Received(
			errs.ToStatus(&errs.ToolError{Code: "upstream", Message: secret}).Err(), errs.Translate, errs.Translate)))),
	}
	for name, err := range tests {
		for _, effect := range []bool{false, true} {
			out := errs.Encoder{}.Encode(err, method, effect)
			if bytes.Contains(marshal(t, out.Status), []byte("hunter2")) {
				t.Errorf("%s: the secret leaves", name)
			}
			if !errors.Is(out.Err, sentinel) {
				t.Errorf("%s: it does not match in process", name)
			}
		}
	}
}

func TestPushback(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"never on a code that nobody retries", &errs.ToolError{Code: "some_code"}, ""},
		{"after_repair on one that nobody retries", slotStale.New(), ""},
		{"never on RESOURCE_EXHAUSTED", &errs.ToolError{Code: "some_code", Status: codes.ResourceExhausted}, "-1"},
		{"after_repair on ABORTED", &errs.ToolError{
			Code: "some_code", Retry: errs.AfterRepair, Status: codes.Aborted, Repair: errs.NewPlan(errs.AskUser("")),
		}, "-1"},
		{"as_is without a delay", &errs.ToolError{Code: "some_code", Retry: errs.AsIs}, ""},
		{"as_is with a delay", &errs.ToolError{Code: "some_code", Retry: errs.AsIs, RetryAfter: 400 * time.Millisecond}, "400"},
		{"rounded up", &errs.ToolError{Code: "some_code", Retry: errs.AsIs, RetryAfter: time.Millisecond + 1}, "2"},
		{"a nanosecond", &errs.ToolError{Code: "some_code", Retry: errs.AsIs, RetryAfter: 1}, "1"},
		{"negative", &errs.ToolError{Code: "some_code", Retry: errs.AsIs, RetryAfter: -time.Second}, ""},
		{"longer than 32 bits", &errs.ToolError{Code: "some_code", Retry: errs.AsIs, RetryAfter: 60 * 24 * time.Hour}, "2147483647"},
		{"the longest", &errs.ToolError{Code: "some_code", Retry: errs.AsIs, RetryAfter: 1<<63 - 1}, "2147483647"},
		{"never with a delay", &errs.ToolError{Code: "some_code", Status: codes.ResourceExhausted, RetryAfter: time.Second}, "-1"},
		{"unknown outcome", &errs.OutcomeUnknownError{Tool: "x"}, "-1"},
		{"inferred, keyed", &errs.OutcomeUnknownError{Tool: "x", OperationKey: "k", Inferred: true, Keyed: true}, ""},
		{"timeout", &errs.OperationTimeoutError{Operation: "x", RetryAfter: 1500 * time.Millisecond}, "1500"},
		{"aborted", &errs.AbortedError{}, "-1"},
		{"in flight", &errs.ServiceError{Code: errs.CodeOperationInFlight, RetryAfter: time.Second}, "1000"},
		{"unauthenticated", &errs.ServiceError{Code: errs.CodeUnauthenticated}, ""},
		{"verification", &errs.VerificationError{Tool: "x"}, "-1"},
		{"foreign UNAVAILABLE", status.Error(codes.Unavailable, "x"), ""},
	}
	for _, test := range tests {
		out := errs.Encoder{}.Encode(test.err, method, false)
		if out.Pushback != test.want {
			t.Errorf("%s: got %q, want %q", test.name, out.Pushback, test.want)
		}
		if errs.CodeOf(test.err) == "" {
			continue
		}
		if again := (errs.Encoder{}).Encode(receive(t, out.Status), method, false); again.Pushback != test.want {
			t.Errorf("%s, at the next hop: got %q", test.name, again.Pushback)
		}
	}
}

// TestDirectErrorsAreReturnedAsTheyAre: nothing is wrapped without need.
func TestDirectErrorsAreReturnedAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, err := range []error{slotStale.New(), shopv1.NewSlotStale(nil), overWire(t, slotStale.New()), status.Error(codes.NotFound, "no")} {
		if out := (errs.Encoder{}).Encode(err, method, false); out.Err != err { //nolint:errorlint // exactly this value
			t.Errorf("got %T, want the same value", out.Err)
		}
	}
}

//nolint:paralleltest // allocations are counted for the whole process
func TestSendingOnAllocatesNothing(t *testing.T) {
	received := overWire(t, slotStale.New())
	allocs := testing.AllocsPerRun(100, func() {
		if out := (errs.Encoder{}).Encode(received, method, false); out.Err == nil {
			t.Fatal()
		}
	})
	if allocs != 0 {
		t.Errorf("sending a received error on: %v allocations, want none", allocs)
	}
}

// TestForeignOversize bounds statuses that are not ours too.
func TestForeignOversize(t *testing.T) {
	t.Parallel()
	info := mustAny(t, &errdetails.ErrorInfo{Reason: "QUOTA", Domain: "example.com"})
	bad := &errdetails.BadRequest{}
	for range 500 {
		bad.FieldViolations = append(
			bad.FieldViolations,
			&errdetails.BadRequest_FieldViolation{Field: "field", Description: strings.Repeat("d", 50)},
		)
	}
	small := mustAny(t, &errdetails.ResourceInfo{ResourceName: "r"})
	tests := []struct {
		name    string
		p       *spb.Status
		details []string
	}{
		{"message", &spb.Status{Message: strings.Repeat("m", 1<<20)}, nil},
		{"message of CJK", &spb.Status{Message: strings.Repeat("一", 1<<18)}, nil},
		{
			"message and details",
			&spb.Status{Message: strings.Repeat("m", 1<<20), Details: repeat(small, 3)},
			[]string{"ResourceInfo", "ResourceInfo", "ResourceInfo"},
		},
		{"ErrorInfo after a large one", &spb.Status{Details: anys(mustAny(t, bad), small, info)}, []string{"ResourceInfo", "ErrorInfo"}},
		{"several of ErrorInfo, one of them ours", &spb.Status{Message: strings.Repeat("m", 5000), Details: anys(
			mustAny(t, &errdetails.ErrorInfo{Reason: "SLOT_STALE", Metadata: map[string]string{"retry": "as_is"}}), info, small,
		)}, []string{"ResourceInfo"}},
		{"many small ones", &spb.Status{Details: append(repeat(small, 200_000), info)}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.p.Code = int32(codes.ResourceExhausted)
			for _, limit := range []int{0, 1, 4096, 6000, 8000, 1 << 20} {
				out := errs.Encoder{Limit: limit}.Encode(status.FromProto(test.p).Err(), method, false)
				if most := min(max(limit, 4096), 8000) - 256; cost(out.Status) > most {
					t.Errorf("limit %d: %d bytes", limit, cost(out.Status))
				}
				if out.Status.Code() != codes.ResourceExhausted || out.Hidden != nil {
					t.Errorf("limit %d: %v", limit, out.Status.Code())
				}
				if got := names(out.Status); test.details != nil && strings.Join(got, " ") != strings.Join(test.details, " ") {
					t.Errorf("limit %d: details %v", limit, got)
				} else if test.name == "many small ones" && !strings.HasSuffix(strings.Join(got, " "), "ErrorInfo") {
					t.Errorf("limit %d: the ErrorInfo is lost among %d", limit, len(got))
				}
			}
		})
	}
}

func anys[T any](list ...T) []T { return list }

// names are the short names of the details.
func names(st *status.Status) []string {
	var list []string
	for _, detail := range st.Proto().GetDetails() {
		list = append(list, string(detail.MessageName().Name()))
	}
	return list
}

// TestUnknownFields: fields of a later Status, or bytes that somebody put there, go before anything that is understood.
func TestUnknownFields(t *testing.T) {
	t.Parallel()
	unknown := protowire.AppendBytes(protowire.AppendTag(nil, 99, protowire.BytesType), make([]byte, 4000))
	foreign := &spb.Status{
		Code:    int32(codes.NotFound),
		Message: "no such row",
		Details: anys(mustAny(t, &errdetails.ResourceInfo{ResourceName: "r"})),
	}
	ours := slotStale.New().GRPCStatus().Proto()
	for name, p := range map[string]*spb.Status{"foreign": foreign, "ours": ours} {
		want := len(p.GetDetails())
		p.ProtoReflect().SetUnknown(unknown)
		out := errs.Encoder{}.Encode(errs.FromStatus(status.FromProto(p)), method, false)
		if cost(out.Status) > 3840 || len(out.Status.Proto().GetDetails()) != want || out.Status.Message() != p.GetMessage() {
			t.Errorf("%s: %d bytes, %v", name, cost(out.Status), out.Status)
		}
		p.GetDetails()[0].ProtoReflect().SetUnknown(unknown)
		if out = (errs.Encoder{}).Encode(errs.FromStatus(status.FromProto(p)), method, false); cost(out.Status) > 3840 {
			t.Errorf("%s, in a detail: %d bytes", name, cost(out.Status))
		}
	}
}

// TestOversizeThatBoundsAloneMend: a received error that keeps to no bound fits once it does, and says that it was cut.
func TestOversizeThatBoundsAloneMend(t *testing.T) {
	t.Parallel()
	p := (&errs.AbortedError{RunID: "r"}).GRPCStatus().Proto()
	p.Details[1] = mustAny(t, &remedyv1.AbortedError{RunId: "r", Reason: strings.Repeat("x", 5000)})
	out := errs.Encoder{}.Encode(errs.FromStatus(status.FromProto(p)), method, false)
	got := as[*errs.AbortedError](receive(t, out.Status))
	if got == nil || got.RunID != "r" || len(got.Reason) != 128 || !errs.InfoOf(got).Truncated {
		t.Errorf("got %+v, %+v", got, errs.InfoOf(got))
	}
}

// TestNumberedErrors: where the caller is told nothing of what went wrong, it gets a number that the log has too.
func TestNumberedErrors(t *testing.T) {
	t.Parallel()
	cause := errors.New(secret)
	for name, test := range map[string]struct {
		err      error
		numbered bool
	}{
		"internal with a cause":        {&errs.ServiceError{Code: errs.CodeInternal, Cause: cause}, true},
		"wrapped":                      {fmt.Errorf("x: %w", &errs.ServiceError{Code: errs.CodeInternal, Cause: cause}), true},
		"unauthenticated with a cause": {&errs.ServiceError{Code: errs.CodeUnauthenticated, Cause: cause}, true},
		"internal without":             {&errs.ServiceError{Code: errs.CodeInternal}, false},
		"another with a cause":         {&errs.ServiceError{Code: errs.CodeOverloaded, Cause: cause}, false},
		"received":                     {overWire(t, &errs.ServiceError{Code: errs.CodeInternal, Cause: &errs.AbortedError{}}), false},
		"numbered already": {
			errs.WithInfo(&errs.ServiceError{Code: errs.CodeInternal, Cause: cause}, errs.Info{ErrorID: "mine"}), false,
		},
	} {
		out := errs.Encoder{}.Encode(test.err, method, false)
		if (len(out.ErrorID) == 32) != test.numbered || (out.Hidden != nil) != test.numbered || out.Problem != "" {
			t.Errorf("%s: got %q, hidden %v", name, out.ErrorID, out.Hidden)
		}
		if test.numbered && errs.InfoOf(receive(t, out.Status)).ErrorID != out.ErrorID || !errors.Is(out.Err, test.err) {
			t.Errorf("%s: %q is on the wire, %q in the log", name, errs.InfoOf(out.Err).ErrorID, out.ErrorID)
		}
		if again := (errs.Encoder{}).Encode(out.Err, method, false); errs.InfoOf(again.Err) != errs.InfoOf(out.Err) {
			t.Errorf("%s: encoding twice gives another number", name)
		}
	}
}

// TestForeignBadUTF8: one bad byte would make every client drop all details.
func TestForeignBadUTF8(t *testing.T) {
	t.Parallel()
	p := &spb.Status{
		Code:    int32(codes.NotFound),
		Message: "bad \xff byte",
		Details: anys(mustAny(t, &errdetails.ResourceInfo{ResourceName: "r"})),
	}
	out := errs.Encoder{}.Encode(status.FromProto(p).Err(), method, false)
	if got := parse(t, marshal(t, out.Status)); got.GetMessage() != "bad \uFFFD byte" || len(got.GetDetails()) != 1 {
		t.Errorf("got %v", got)
	}
	p.Details = append(p.Details, mustAny(t, &errdetails.ErrorInfo{Reason: "SLOT_STALE", Metadata: map[string]string{"retry": "never"}}))
	p.Details[0].TypeUrl = "x/\xff"
	out = errs.Encoder{}.Encode(errs.FromStatus(status.FromProto(p)), method, false)
	got := parse(t, marshal(t, out.Status))
	if got.GetMessage() != "bad \uFFFD byte" || len(got.GetDetails()) != 1 || errs.CodeOf(out.Err) != "slot_stale" {
		t.Errorf("ours: got %v", got)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	big := func() error {
		return &errs.ToolError{Code: "some_code", Message: "M.", Details: map[string]any{"text": strings.Repeat("x", 4000)}}
	}
	for _, test := range []struct {
		limit int
		whole bool
	}{{0, false}, {-1, false}, {4096, false}, {5000, false}, {8000, true}, {1 << 20, true}} {
		out := errs.Encoder{Limit: test.limit}.Encode(big(), method, false)
		e, ok := errors.AsType[*errs.ToolError](receive(t, out.Status))
		if !ok || (e.Details != nil) != test.whole || errs.InfoOf(e).Truncated == test.whole {
			t.Errorf("limit %d: %v, %+v", test.limit, e.Details != nil, errs.InfoOf(e))
		}
		if most := min(max(test.limit, 4096), 8000) - 256; cost(out.Status) > most {
			t.Errorf("limit %d: %d bytes", test.limit, cost(out.Status))
		}
		if test.whole { // a smaller limit at the next hop cuts what this one let through
			next := errs.Encoder{}.Encode(e, method, false)
			got, ok := errors.AsType[*errs.ToolError](receive(t, next.Status))
			if !ok || got.Details != nil || !errs.InfoOf(got).Truncated || cost(next.Status) > 3840 {
				t.Errorf("limit %d, then 4096: %+v", test.limit, got)
			}
			if again := (errs.Encoder{}).Encode(out.Err, method, false); cost(again.Status) > 3840 {
				t.Errorf("limit %d, then 4096 in one process: %d bytes", test.limit, cost(again.Status))
			}
			again := (errs.Encoder{Limit: test.limit}).Encode(out.Err, method, false)
			if again.Err != out.Err { //nolint:errorlint // exactly this value
				t.Errorf("limit %d twice: got %T, want the same value", test.limit, again.Err)
			}
		}
	}
}
