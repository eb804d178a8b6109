package errs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/trusted"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

// TestEveryTypeSurvivesTheWire sends every error once and over four hops.
func TestEveryTypeSurvivesTheWire(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			first := marshal(t, errs.ToStatus(s.err))
			var err error = s.err
			for hop := range 5 { // zero is in process
				if !errs.Equal(err, s.err) || !errs.Equal(s.err, err) {
					t.Fatalf("hop %d: not Equal", hop)
				}
				if !asOwn(err, s.err) {
					t.Fatalf("hop %d: got %T", hop, err)
				}
				matches(t, err, s.err)
				if got := marshal(t, errs.ToStatus(err)); !bytes.Equal(got, first) {
					t.Fatalf("hop %d: other bytes", hop)
				}
				if hop == 2 {
					err = fmt.Errorf("hop %d: %w", hop, err) // wrapping must leave no trace
				}
				err = overWire(t, err)
				if strings.Contains(err.Error(), "hop 2") || strings.Contains(err.Error(), "rpc error:") {
					t.Fatalf("hop %d: %v", hop, err)
				}
			}
		})
	}
}

// matches holds err to everything that can be asked of it.
func matches(t *testing.T, err error, want errs.Error) {
	t.Helper()
	domain := errs.InfoOf(want).Domain
	if !errors.Is(err, errs.Code(want.ErrorCode())) || errors.Is(err, errs.Code("another_code")) {
		t.Errorf("errors.Is with a Code is wrong for %v", err)
	}
	if !errors.Is(err, errs.Sentinel{Domain: domain, Code: want.ErrorCode()}) ||
		errors.Is(err, errs.Sentinel{Domain: "other.v1", Code: want.ErrorCode()}) {
		t.Errorf("errors.Is with a Sentinel is wrong for %v", err)
	}
	if got := status.Code(err); got != want.GRPCStatus().Code() {
		t.Errorf("status.Code: got %s", got)
	}
	st, ok := status.FromError(err)
	if diff := cmp.Diff(want.GRPCStatus().Proto(), st.Proto(), protocmp.Transform()); !ok || diff != "" {
		t.Errorf("status.FromError: %t, %s", ok, diff)
	}
	if err.Error() != want.Error() {
		t.Errorf("Error: got %q, want %q", err, want)
	}
	_, declared := want.(errs.Declared)
	if tool, isTool := want.(*errs.ToolError); declared || isTool {
		got, ok := errors.AsType[*errs.ToolError](err)
		if !ok || got.Code != want.ErrorCode() || got.Retry != want.RetryPolicy() && isTool && tool.Retry != 0 {
			t.Errorf("errors.As with ToolError: %t, %+v", ok, got)
		}
	}
}

// TestConcurrentUse has many goroutines ask one error for the first time: all get one answer.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	for _, e := range []errs.Error{
		slotStale.New(errs.Detail("slotId", "s-17")), shopv1.NewSlotStale(nil, errs.Cause(&errs.AbortedError{})), &errs.ToolError{Code: "X"},
		&errs.ValidationError{Issues: []errs.Issue{{Path: "/a"}}},
	} {
		var all sync.WaitGroup
		answers := make([]*status.Status, 16)
		for i := range answers {
			all.Go(func() {
				_ = errs.WithInfo(e, call)
				_ = errs.ToStatus(errors.Join(e, &errs.AbortedError{Cause: e}))
				_, _ = errs.Encoder{Limit: errs.MaxLimit}.Encode(e, method, true), e.Error()
				answers[i] = e.GRPCStatus()
			})
		}
		all.Wait()
		for _, st := range answers {
			if st != answers[0] {
				t.Errorf("%T: two answers", e)
			}
		}
	}
}

// TestFieldsSurviveTheWire compares the exported fields.
func TestFieldsSurviveTheWire(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		if _, ok := s.err.(errs.Declared); ok {
			continue
		}
		got := overWire(t, s.err)
		want := s.err
		if tool, ok := want.(*errs.ToolError); ok { // what is left out means the default, and is received as what it means
			headline := tool.Message
			if headline == "" {
				headline = trusted.Text(strings.ReplaceAll(tool.Code, "_", " ") + ".")
			}
			want = &errs.ToolError{
				Code: tool.Code, Message: headline, Retry: tool.RetryPolicy(), Status: tool.GRPCStatus().Code(), Repair: tool.Repair,
				RetryAfter: tool.RetryAfter, Details: jsonNumbers(tool.Details),
			}
		}
		diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(
			errs.ToolError{}, errs.ValidationError{}, errs.AuthorizationError{}, errs.ConfirmationError{}, errs.VerificationError{},
			errs.OutcomeUnknownError{}, errs.AbortedError{}, errs.AuthError{}, errs.BudgetExceededError{}, errs.ContextExceededError{},
			errs.ProviderError{}, errs.ToolNotAllowedError{}, errs.ToolPairingError{}, errs.OperationTimeoutError{},
			errs.LengthResumeExhaustedError{}, errs.ServiceError{},
		), cmp.Comparer(func(a, b *errs.Plan) bool { return a.Equal(b) }))
		if diff != "" {
			t.Errorf("%s (-sent +received):\n%s", s.name, diff)
		}
	}
}

// jsonNumbers is what structured data looks like after the wire: every number is a float64.
func jsonNumbers(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	s, err := structpb.NewStruct(m)
	if err != nil {
		panic(err)
	}
	return s.AsMap()
}

func TestDeclaredFieldsSurviveTheWire(t *testing.T) {
	t.Parallel()
	message := &shopv1.SlotStale{
		SlotId: "s-17", SeatsLeft: 2, Reason: shopv1.SlotStale_REASON_CLOSED, Alternatives: []*shopv1.Slot{{Id: "s-18"}, {Id: "s-19"}},
		Prices: map[string]int64{"s-18": 1200}, Cursor: []byte{1, 0},
	}
	sent := shopv1.NewSlotStale(message, errs.Detail("trace", "t-1"))
	message.SlotId = "changed afterwards"
	got, ok := errors.AsType[*shopv1.SlotStaleError](fmt.Errorf("booking: %w", overWire(t, sent)))
	if !ok {
		t.Fatal("not a SlotStaleError")
	}
	if got.GetSlotId() != "s-17" || got.GetSeatsLeft() != 2 || got.GetReason() != shopv1.SlotStale_REASON_CLOSED ||
		len(got.GetAlternatives()) != 2 || got.GetAlternatives()[1].GetId() != "s-19" || got.GetPrices()["s-18"] != 1200 ||
		!bytes.Equal(got.GetCursor(), []byte{1, 0}) || got.GetTakenAt() != nil {
		t.Errorf("got %v", got)
	}
	if tool, ok := errors.AsType[*errs.ToolError](got); !ok || tool.Details["trace"] != "t-1" || tool.Status != codes.Aborted {
		t.Errorf("as a ToolError: %+v", tool)
	}
	want := `Slot "s-17" is no longer available; 2 seats are left. [slot_stale; retry only after repair] Next action: ` +
		"Call list_available_slots and wait for its result before continuing. Choose a current slot, then retry with the same operationId. " +
		"Keep unchanged: operationId. Replace from repair output: slotId."
	if got.Error() != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	help := detailOf[*errdetails.Help](t, got.GRPCStatus())
	if help.GetLinks()[0].GetUrl() != "https://docs.example.com/errors/slot-stale" {
		t.Errorf("help: %v", help)
	}
}

// detailOf returns the one detail of a type.
func detailOf[M proto.Message](t *testing.T, st *status.Status) M {
	t.Helper()
	var found []M
	for _, detail := range st.Details() {
		if m, ok := detail.(M); ok {
			found = append(found, m)
		}
	}
	if len(found) != 1 {
		t.Fatalf("got %d details of type %T, want one", len(found), *new(M))
	}
	return found[0]
}

// TestSameCodeInTwoPackages: the domain tells them apart, a Code alone does not.
func TestSameCodeInTwoPackages(t *testing.T) {
	t.Parallel()
	slot := overWire(t, shopv1.NewSlotStale(nil))
	shelf := overWire(t, shopv1.NewShelfStale(nil))
	plain := overWire(t, slotStale.New())
	if !is[*shopv1.SlotStaleError](slot) || is[*shopv1.ShelfStaleError](slot) || is[*shopv1.SlotStaleError](shelf) ||
		!is[*shopv1.ShelfStaleError](shelf) || is[*shopv1.SlotStaleError](plain) {
		t.Error("the types are mixed up")
	}
	for _, err := range []error{slot, shelf, plain} {
		if !errors.Is(err, errs.Code("slot_stale")) {
			t.Errorf("%v does not match its code", err)
		}
		if errors.Is(err, errs.Sentinel{Domain: "shop.v1", Code: "slot_stale"}) != is[*shopv1.SlotStaleError](err) {
			t.Errorf("%v: the sentinel of shop.v1 is wrong", err)
		}
	}
	if errs.Equal(slot, shelf) || errs.Equal(slot, plain) {
		t.Error("errors of two packages are Equal")
	}
}

// TestClientThatDoesNotKnowTheType renames the package of a declared error to one that this program does not have.
func TestClientThatDoesNotKnowTheType(t *testing.T) {
	t.Parallel()
	sent := shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: "s-17"})
	raw := bytes.ReplaceAll(marshal(t, sent.GRPCStatus()), []byte("shop.v1"), []byte("soap.v1"))
	got := receive(t, status.FromProto(parse(t, raw)))
	tool, ok := errors.AsType[*errs.ToolError](got)
	if !ok || tool.Code != "slot_stale" || tool.Retry != errs.AfterRepair || !tool.Plan().Equal(sent.Plan()) ||
		tool.Status != codes.Aborted {
		t.Fatalf("got %T %+v", got, got)
	}
	if !errors.Is(got, errs.Sentinel{Domain: "soap.v1", Code: "slot_stale"}) {
		t.Error("the domain is lost")
	}
	if again := marshal(t, errs.ToStatus(got)); !bytes.Equal(again, raw) {
		t.Error("what it does not know is not sent on as it came")
	}
}

// TestDeclaredPayloadThatDoesNotDecode keeps code, rule and plan, and the bytes.
func TestDeclaredPayloadThatDoesNotDecode(t *testing.T) {
	t.Parallel()
	p := shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: "s-17"}).GRPCStatus().Proto()
	for _, detail := range p.GetDetails() {
		if strings.HasSuffix(detail.GetTypeUrl(), "SlotStale") {
			detail.Value = []byte{0xff}
		}
	}
	got := errs.FromStatus(status.FromProto(p))
	tool, ok := errors.AsType[*errs.ToolError](got)
	if !ok || tool.Code != "slot_stale" || tool.Retry != errs.AfterRepair || len(tool.Plan().Steps()) != 1 {
		t.Fatalf("got %T %+v", got, got)
	}
	if diff := cmp.Diff(p, errs.ToStatus(got).Proto(), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

// TestEmptyDeclaredPayload is what the ladder leaves: the type.
func TestEmptyDeclaredPayload(t *testing.T) {
	t.Parallel()
	p := shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: "s-17"}).GRPCStatus().Proto()
	for _, detail := range p.GetDetails() {
		if strings.HasSuffix(detail.GetTypeUrl(), "SlotStale") {
			detail.Value = nil
		}
	}
	got, ok := errors.AsType[*shopv1.SlotStaleError](errs.FromStatus(status.FromProto(p)))
	if !ok || got.GetSlotId() != "" {
		t.Errorf("got %v, %t", got, ok)
	}
}

func TestContextSentinels(t *testing.T) {
	t.Parallel()
	canceled := overWire(t, context.Canceled)
	deadline := overWire(t, fmt.Errorf("booking: %w", context.DeadlineExceeded))
	if !errors.Is(canceled, context.Canceled) || errors.Is(canceled, context.DeadlineExceeded) {
		t.Errorf("canceled: %v", canceled)
	}
	if !errors.Is(deadline, context.DeadlineExceeded) || errors.Is(deadline, context.Canceled) {
		t.Errorf("deadline: %v", deadline)
	}
	// A tool may not use the codes, and its error does not match by accident.
	aborted := overWire(t, &errs.AbortedError{})
	timeout := overWire(t, &errs.OperationTimeoutError{Operation: "x", Timeout: time.Second})
	if errors.Is(aborted, context.Canceled) || errors.Is(timeout, context.DeadlineExceeded) {
		t.Error("other errors match the context errors")
	}
	// Only in the domain of the catalog.
	p := errs.ToStatus(context.Canceled).Proto()
	p.Details[0] = mustAny(t, &errdetails.ErrorInfo{Reason: "CANCELED", Domain: "shop.v1", Metadata: map[string]string{"retry": "never"}})
	if errors.Is(errs.FromStatus(status.FromProto(p)), context.Canceled) {
		t.Error("another domain's canceled matches")
	}
}

func mustAny(t *testing.T, m proto.Message) *anypb.Any {
	t.Helper()
	a, err := anypb.New(m)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestOursForeignUnknown is the decision table of the wire contract.
func TestOursForeignUnknown(t *testing.T) {
	t.Parallel()
	info := func(reason, domain, retry string) *anypb.Any {
		m := &errdetails.ErrorInfo{Reason: reason, Domain: domain}
		if retry != "" {
			m.Metadata = map[string]string{"retry": retry, "unheard": "of"}
		}
		return mustAny(t, m)
	}
	ours := info("SLOT_STALE", "tool.remedy.v1", "never")
	tool := mustAny(t, &remedyv1.ToolError{Code: "slot_stale", Message: "Gone."})
	unknown := &anypb.Any{TypeUrl: "type.googleapis.com/unheard.of.Type", Value: []byte{1, 2, 3}}
	tests := []struct {
		name    string
		details []*anypb.Any
		want    string // type, empty for an error that is not ours
	}{
		{"nothing", nil, ""},
		{"no ErrorInfo", []*anypb.Any{tool}, ""},
		{"two of them", []*anypb.Any{ours, ours}, ""},
		{"two of them, one under another prefix", []*anypb.Any{ours, {TypeUrl: "x.example/google.rpc.ErrorInfo"}}, ""},
		{"two of them, one empty", []*anypb.Any{{TypeUrl: ours.GetTypeUrl()}, ours}, ""},
		{"no rule", []*anypb.Any{info("SLOT_STALE", "d", "")}, ""},
		{"another rule", []*anypb.Any{info("SLOT_STALE", "d", "sometimes")}, ""},
		{"no reason", []*anypb.Any{info("", "d", "never")}, ""},
		{"lower case", []*anypb.Any{info("slot_stale", "d", "never")}, ""},
		{"too short", []*anypb.Any{info("SL", "d", "never")}, ""},
		{"ends in an underscore", []*anypb.Any{info("SLOT_", "d", "never")}, ""},
		{"starts with a digit", []*anypb.Any{info("1SLOT", "d", "never")}, ""},
		{"broken", []*anypb.Any{{TypeUrl: ours.GetTypeUrl(), Value: append([]byte{0x0a, 0xff}, ours.GetValue()...)}}, ""},
		{
			"bad UTF-8",
			[]*anypb.Any{{TypeUrl: ours.GetTypeUrl(), Value: bytes.ReplaceAll(ours.GetValue(), []byte("unheard"), []byte("unhe\xffrd"))}},
			"",
		},
		{"bare", []*anypb.Any{ours}, "*errs.ToolError"},
		{"no domain", []*anypb.Any{info("SLOT_STALE", "", "never")}, "*errs.ToolError"},
		{"without a prefix", []*anypb.Any{{TypeUrl: "google.rpc.ErrorInfo", Value: ours.GetValue()}}, "*errs.ToolError"},
		{"last", []*anypb.Any{unknown, tool, ours}, "*errs.ToolError"},
		{
			"identity that says another code",
			[]*anypb.Any{ours, mustAny(t, &remedyv1.ToolError{Code: "other_code", Message: "Never seen."})},
			"*errs.ToolError",
		},
		{"built in", []*anypb.Any{info("ABORTED", "remedy.v1", "never"), mustAny(t, &remedyv1.AbortedError{RunId: "r"})}, "*errs.AbortedError"},
		{"built in, other domain", []*anypb.Any{info("ABORTED", "d", "never"), mustAny(t, &remedyv1.AbortedError{})}, "*errs.ToolError"},
		{"built in, other code", []*anypb.Any{info("CANCELED", "remedy.v1", "never"), mustAny(t, &remedyv1.AbortedError{})}, "*errs.ToolError"},
		{
			"built in, broken",
			[]*anypb.Any{info("ABORTED", "remedy.v1", "never"), {TypeUrl: "type.googleapis.com/remedy.v1.AbortedError", Value: []byte{0xff}}},
			"*errs.ToolError",
		},
		{
			"of a later version",
			[]*anypb.Any{info("NEW_CODE", "remedy.v1", "never"), {TypeUrl: "type.googleapis.com/remedy.v1.NewError", Value: []byte{8, 1}}},
			"*errs.ToolError",
		},
		{"declared, wrong package", []*anypb.Any{info("SLOT_STALE", "shop.v2", "never"), mustAny(t, &shopv1.SlotStale{})}, "*errs.ToolError"},
		{"declared, below the domain", []*anypb.Any{info("SLOT_STALE", "shop", "never"), mustAny(t, &shopv1.SlotStale{})}, "*errs.ToolError"},
		{"declared, wrong code", []*anypb.Any{info("SLOT_FULL", "shop.v1", "never"), mustAny(t, &shopv1.SlotStale{})}, "*errs.ToolError"},
		{"declared, not an error", []*anypb.Any{info("SLOT_STALE", "shop.v1", "never"), mustAny(t, &shopv1.Slot{})}, "*errs.ToolError"},
		{
			"declared, second of its package",
			[]*anypb.Any{info("SLOT_STALE", "shop.v1", "never"), mustAny(t, &shopv1.ChargedTwice{}), mustAny(t, &shopv1.SlotStale{SlotId: "a"})},
			"*shopv1.SlotStaleError",
		},
		{
			"declared, before everything",
			[]*anypb.Any{mustAny(t, &shopv1.SlotStale{}), info("SLOT_STALE", "shop.v1", "never")},
			"*shopv1.SlotStaleError",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := &spb.Status{Code: int32(codes.FailedPrecondition), Message: "Some text. [slot_stale; x]", Details: test.details}
			st := status.FromProto(p)
			in := st.Err()
			out := errs.FromError(in)
			if test.want == "" {
				if out != in { //nolint:errorlint // exactly this value
					t.Fatalf("got %T, want the same value", out)
				}
				return
			}
			if got := fmt.Sprintf("%T", out); got != test.want {
				t.Fatalf("got %s", got)
			}
			if got := as[errs.Error](out); got.RetryPolicy() != errs.Never || got.GRPCStatus().Code() != codes.FailedPrecondition {
				t.Errorf("got %v", got)
			}
			if diff := cmp.Diff(p, errs.ToStatus(out).Proto(), protocmp.Transform()); diff != "" {
				t.Errorf("not sent on as it came: %s", diff)
			}
		})
	}
	if errs.FromStatus(nil) != nil || errs.FromStatus(status.New(codes.OK, "")) != nil || errs.FromError(nil) != nil ||
		errs.ToStatus(nil) != nil {
		t.Error("nil is not nil")
	}
}

// TestTextIsNeverParsedForTheType: whatever the message says, the details decide.
func TestTextIsNeverParsedForTheType(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		p := s.err.GRPCStatus().Proto()
		p.Message = "Everything is fine. [internal; retry unchanged is allowed]"
		got := errs.FromStatus(status.FromProto(p))
		if !asOwn(got, s.err) || errs.CodeOf(got) != errs.Code(s.err.ErrorCode()) || errs.RetryOf(got) != s.err.RetryPolicy() {
			t.Errorf("%s: got %T %v", s.name, got, got)
		}
	}
}

func TestFromErrorOfWrappedStatuses(t *testing.T) {
	t.Parallel()
	sent := slotStale.New()
	inner := sent.GRPCStatus().Err()
	sentinel := errors.New("sentinel")
	wrapped := fmt.Errorf("max retries exhausted: %w: %w", sentinel, inner)
	got := errs.FromError(wrapped)
	if got.Error() != sent.Error() {
		t.Errorf("got %q", got)
	}
	if !errors.Is(got, sentinel) || !errors.Is(got, wrapped) || !errors.Is(got, inner) {
		t.Error("what it was wrapped in does not match any more")
	}
	if !errs.Equal(got, sent) || errs.FromError(got) != got { //nolint:errorlint // exactly this value
		t.Error("not idempotent")
	}
	// grpc's own wrapping, which rewrites the message and keeps the details
	rewritten := sent.GRPCStatus().Proto()
	rewritten.Message = "max retries exhausted: " + rewritten.GetMessage()
	e, ok := errors.AsType[*errs.ToolError](errs.FromStatus(status.FromProto(rewritten)))
	if !ok || e.Code != "slot_stale" || e.Message != "The selected slot is no longer available." {
		t.Errorf("got %+v", e)
	}
	typed := fmt.Errorf("outer: %w", sent)
	if errs.FromError(typed) != typed { //nolint:errorlint // exactly this value
		t.Error("what wraps a typed error is not returned unchanged")
	}
}
