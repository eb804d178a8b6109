package errs_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"pgregory.net/rapid"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/trusted"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

// text draws short and long, plain and hostile text.
func text() *rapid.Generator[string] {
	pieces := rapid.SampledFrom(
		[]string{"slot", " ", "[x]", "\x00", "\xff", "一", "🧾", "\u202e", "\u200d", "%", "\n", "é", "{slot}", "; do not retry]"},
	)
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "cancel_order", "op-1", "/shop.v1.Shop/Cancel"}),
		rapid.String(),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(strings.Join(rapid.SliceOfN(pieces, 1, 8).Draw(t, "pieces"), ""), rapid.IntRange(1, 300).Draw(t, "times"))
		}),
	)
}

func value() *rapid.Generator[any] {
	return rapid.Deferred(func() *rapid.Generator[any] {
		return rapid.OneOf(
			text().AsAny(), rapid.Int64().AsAny(), rapid.Float64().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
			rapid.SliceOfN(value(), 0, 3).AsAny(), rapid.MapOfN(text(), value(), 0, 3).AsAny(), rapid.SliceOf(rapid.Byte()).AsAny(),
		)
	})
}

func plan() *rapid.Generator[*errs.Plan] {
	name := rapid.SampledFrom([]string{"a", "amount", "$.x", strings.Repeat("n", 64)})
	return rapid.Custom(func(t *rapid.T) *errs.Plan {
		var steps []errs.Step
		for range rapid.IntRange(0, 7).Draw(t, "steps") {
			tool, note := rapid.SampledFrom(
				[]string{"list", "a.b/C-d", strings.Repeat("t", 64)},
			).Draw(
				t,
				"tool",
			), trusted.Text(
				text().Draw(t, "instruction"),
			)
			steps = append(steps, rapid.SampledFrom([]errs.Step{
				errs.ChangeInput(
					note,
				),
				errs.CallTool(tool, note),
				errs.RefreshState("", note),
				errs.RetrySameOperation(tool, note),
				errs.AskUser(note),
				errs.Reconcile(note),
				errs.Stop(note),
			}).Draw(t, "step"))
		}
		p := errs.NewPlan(steps...).WithPreserve(rapid.SliceOfN(name, 0, 20).Draw(t, "preserve")...)
		if rapid.Bool().Draw(t, "update") {
			p = p.WithUpdate("token", "other")
		}
		return p
	})
}

// built draws any error that the public API makes, possible ones and others.
func built() *rapid.Generator[error] {
	return rapid.Custom(func(t *rapid.T) error {
		draw := func() string { return text().Draw(t, "text") }
		cause := rapid.SampledFrom(
			[]error{nil, errors.New(secret), &errs.AbortedError{RunID: "r"}, shopv1.NewSlotStale(nil), status.Error(codes.NotFound, secret)},
		).Draw(
			t,
			"cause",
		)
		headline := trusted.Text(draw())
		after := time.Duration(rapid.Int64().Draw(t, "after"))
		var err errs.Error
		switch rapid.IntRange(0, 17).Draw(t, "type") {
		case 0:
			retry := rapid.SampledFrom([]errs.RetryPolicy{0, errs.Never, errs.AsIs, errs.AfterRepair, 9}).Draw(t, "retry")
			err = &errs.ToolError{
				Code: rapid.SampledFrom(
					[]string{"some_code", "slot_stale", strings.Repeat("c", 63), "X", "internal"},
				).Draw(
					t,
					"code",
				),
				Message:    headline,
				Retry:      retry,
				Status:     codes.Code(rapid.IntRange(0, 18).Draw(t, "status")),
				Repair:     plan().Draw(t, "plan"),
				RetryAfter: after,
				Details:    rapid.MapOfN(text(), value(), 0, 5).Draw(t, "details"),
				Cause:      cause,
			}
		case 1:
			err = stockLow.New(
				errs.Value("left", value().Draw(t, "v")),
				errs.Value("item", draw()),
				errs.Detail(draw(), value().Draw(t, "d")),
				errs.After(after),
				errs.Cause(cause),
			)
		case 2:
			var issues []errs.Issue
			for range rapid.IntRange(0, 20).Draw(t, "issues") {
				issues = append(issues, errs.Issue{Path: draw(), Keyword: draw(), Message: draw()})
			}
			err = &errs.ValidationError{Subject: draw(), Issues: issues, Message: headline, Cause: cause}
		case 3:
			err = &errs.AuthorizationError{Tool: draw(), Reason: draw(), Message: headline, Cause: cause}
		case 4:
			err = &errs.ConfirmationError{
				Tool:           draw(),
				OperationKey:   draw(),
				Reason:         errs.ConfirmationReason(rapid.SampledFrom([]string{"required", "expired", "unheard"}).Draw(t, "reason")),
				ConfirmationID: draw(),
				ExpiresAt:      time.Unix(rapid.Int64().Draw(t, "at"), 0),
				Message:        headline,
				Cause:          cause,
			}
		case 5:
			err = &errs.VerificationError{Tool: draw(), OperationKey: draw(), Reason: draw(), OperationID: draw(), Message: headline, Cause: cause}
		case 6:
			err = &errs.OutcomeUnknownError{
				Tool:         draw(),
				OperationKey: draw(),
				OperationID:  draw(),
				Reason:       draw(),
				Inferred:     rapid.Bool().Draw(t, "inferred"),
				Keyed:        rapid.Bool().Draw(t, "keyed"),
				Message:      headline,
				Cause:        cause,
			}
		case 7:
			err = &errs.AbortedError{RunID: draw(), Reason: draw(), Message: headline, Cause: cause}
		case 8:
			err = &errs.AuthError{
				Auth: errs.AuthFailure{
					Kind:         errs.AuthKind(rapid.SampledFrom([]string{"busy", "expired", ""}).Draw(t, "kind")),
					Source:       errs.AuthMCP,
					Provider:     draw(),
					ProviderID:   draw(),
					AccountID:    draw(),
					AccountLabel: draw(),
				},
				RetryAfter: after,
				Message:    headline,
				Cause:      cause,
			}
		case 9:
			err = &errs.BudgetExceededError{
				Limit:       errs.BudgetLimit(rapid.SampledFrom([]string{"cost", "tokens", "wall_clock", "COST"}).Draw(t, "limit")),
				LimitValue:  rapid.Float64().Draw(t, "value"),
				ActualValue: rapid.Float64().Draw(t, "actual"),
				RunID:       draw(),
				BudgetRunID: draw(),
				LimitNanos:  rapid.Int64().Draw(t, "nanos"),
				Message:     headline,
				Cause:       cause,
			}
		case 10:
			err = &errs.ContextExceededError{Provider: draw(), ProviderCode: draw(), Message: headline, Cause: cause}
		case 11:
			e := &errs.ProviderError{
				Provider:     draw(),
				ProviderCode: draw(),
				Retryable:    rapid.SampledFrom([]*bool{nil, new(true), new(false)}).Draw(t, "retryable"),
				Limit: rapid.SampledFrom(
					[]*errs.ProviderLimit{nil, {Kind: errs.LimitOverload, RetryAfter: after}, {Kind: "", Window: draw()}, {Kind: "unheard"}},
				).Draw(
					t,
					"limit",
				),
				Message: headline,
				Cause:   cause,
			}
			if e.Limit == nil {
				e.RetryAfter = after
			}
			err = e
		case 12:
			err = &errs.ToolNotAllowedError{
				ToolName:     draw(),
				DisplayName:  draw(),
				ActiveSkills: rapid.SliceOfN(text(), 0, 10).Draw(t, "skills"),
				AllowedUnion: rapid.SliceOfN(text(), 0, 20).Draw(t, "union"),
				Message:      headline,
				Cause:        cause,
			}
		case 13:
			err = &errs.ToolPairingError{
				Provider:     draw(),
				ProviderCode: draw(),
				Repairs:      repeat(errs.PairingRepair{CallID: draw(), MessageIndex: -1, Mode: draw()}, rapid.IntRange(0, 20).Draw(t, "repairs")),
				Message:      headline,
				Cause:        cause,
			}
		case 14:
			err = &errs.OperationTimeoutError{Operation: draw(), Timeout: after, RetryAfter: after, Message: headline, Cause: cause}
		case 15:
			err = &errs.LengthResumeExhaustedError{Provider: draw(), Attempts: rapid.Int32().Draw(t, "attempts"), Message: headline, Cause: cause}
		case 16:
			err = &errs.ServiceError{
				Code:       errs.Code(rapid.SampledFrom([]string{"overloaded", "tool_not_found", "internal", "unheard"}).Draw(t, "code")),
				Subject:    draw(),
				RetryAfter: after,
				Message:    headline,
				Cause:      cause,
			}
		default:
			err = shopv1.NewSlotStale(
				&shopv1.SlotStale{SlotId: draw(), Cursor: rapid.SliceOf(rapid.Byte()).Draw(t, "cursor"), SeatsLeft: rapid.Int32().Draw(t, "seats")},
				errs.Cause(cause),
				errs.After(after),
			)
		}
		if rapid.Bool().Draw(t, "annotated") {
			return errs.WithInfo(
				err,
				errs.Info{
					Tool:         draw(),
					OperationKey: draw(),
					OperationID:  draw(),
					RunID:        draw(),
					ErrorID:      draw(),
					Effect:       errs.Effect(rapid.Int32Range(0, 5).Draw(t, "effect")),
				},
			)
		}
		return err
	})
}

// TestEveryErrorRoundTripsAndFits is the promise, for any error that can be built.
func TestEveryErrorRoundTripsAndFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		err := built().Draw(r, "error")
		limit := rapid.SampledFrom([]int{0, 4096, 5000, 8000}).Draw(r, "limit")
		out := errs.Encoder{Limit: limit}.Encode(err, method, false)
		fits(r, out.Status, limit)
		raw, merr := proto.Marshal(out.Status.Proto())
		if merr != nil {
			r.Fatal(merr)
		}
		if bytes.Contains(raw, []byte("hunter2")) {
			r.Fatal("the secret leaves")
		}
		var p spb.Status
		if err := proto.Unmarshal(raw, &p); err != nil {
			r.Fatal(err)
		}
		got := errs.FromStatus(status.FromProto(&p))
		if !errs.Equal(got, out.Err) || errs.CodeOf(got) != errs.CodeOf(out.Err) || !errs.PlanOf(got).Equal(errs.PlanOf(out.Err)) ||
			errs.InfoOf(got) != errs.InfoOf(out.Err) {
			r.Fatalf("sent %+v, received %+v", errs.InfoOf(out.Err), errs.InfoOf(got))
		}
		if out.Hidden == nil && fmt.Sprintf("%T", got) != strings.Replace(fmt.Sprintf("%T", err), "*errs.sent", fmt.Sprintf("%T", got), 1) {
			r.Fatalf("sent %T, received %T", err, got)
		}
		again := errs.Encoder{Limit: limit}.Encode(got, method, false)
		if b, _ := proto.Marshal(again.Status.Proto()); !bytes.Equal(b, raw) || again.Pushback != out.Pushback {
			r.Fatal("the next hop sends something else")
		}
	})
}

// fits holds a status of ours to the bounds of the wire contract.
func fits(t *rapid.T, st *status.Status, limit int) {
	if n, most := cost(st), min(max(limit, 4096), 8000)-256; n > most {
		t.Fatalf("the list takes %d bytes, at most %d", n, most)
	}
	message := st.Message()
	if n := encodedLen(message); n > 768 {
		t.Fatalf("the message takes %d bytes", n)
	}
	if strings.Count(message, "[") != 1 || strings.Count(message, "]") != 1 {
		t.Fatalf("brackets: %q", message)
	}
	kinds := make(map[string]bool)
	for i, detail := range st.Proto().GetDetails() {
		name := string(detail.MessageName())
		if kinds[name] || (i == 0) != (name == "google.rpc.ErrorInfo") {
			t.Fatalf("details: %v", names(st))
		}
		kinds[name] = true
	}
}

// TestAnyStatusIsTakenAndSentOn: decoding never fails, and what fits is sent on as it came.
func TestAnyStatusIsTakenAndSentOn(t *testing.T) {
	t.Parallel()
	urls := []string{
		"type.googleapis.com/google.rpc.ErrorInfo",
		"type.googleapis.com/remedy.v1.ToolError",
		"type.googleapis.com/remedy.v1.RepairPlan",
		"type.googleapis.com/remedy.v1.Causes",
		"type.googleapis.com/google.rpc.RetryInfo",
		"type.googleapis.com/google.rpc.BadRequest",
		"type.googleapis.com/shop.v1.SlotStale",
		"type.googleapis.com/remedy.v1.ServiceError",
		"x/unknown.Type",
		"",
		"/",
		"google.rpc.ErrorInfo",
	}
	values := rapid.OneOf(
		rapid.SliceOf(rapid.Byte()),
		rapid.Custom(func(t *rapid.T) []byte {
			reason := rapid.SampledFrom([]string{"SLOT_STALE", "INTERNAL", "ABORTED", "x"}).Draw(t, "reason")
			domain := rapid.SampledFrom([]string{"remedy.v1", "tool.remedy.v1", "shop.v1", "", strings.Repeat("d", 5000)}).Draw(t, "domain")
			retry := rapid.SampledFrom([]string{"never", "as_is", "after_repair", "other"}).Draw(t, "retry")
			m := []proto.Message{
				&errdetails.ErrorInfo{
					Reason:   reason,
					Domain:   domain,
					Metadata: map[string]string{"retry": retry, "effect": "unknown", "operationKey": rapid.StringN(0, 100, -1).Draw(t, "key")},
				},
				&remedyv1.ToolError{Code: strings.ToLower(reason), Message: rapid.StringN(0, 2000, -1).Draw(t, "headline")},
				&remedyv1.ServiceError{Code: strings.ToLower(reason), Subject: rapid.StringN(0, 2000, -1).Draw(t, "subject")},
				&remedyv1.RepairPlan{
					Steps: repeat(
						&remedyv1.RepairStep{
							Action:      remedyv1.RepairAction(rapid.Int32Range(-1, 9).Draw(t, "action")),
							Tool:        rapid.String().Draw(t, "tool"),
							Instruction: rapid.String().Draw(t, "instruction"),
						},
						rapid.IntRange(0, 50).Draw(t, "steps"),
					),
				},
				&shopv1.SlotStale{SlotId: rapid.String().Draw(t, "slot")},
				&remedyv1.Causes{
					Causes: repeat(
						&remedyv1.Cause{GrpcCode: 9, Message: "m", Details: []*anypb.Any{{TypeUrl: urls[0]}}},
						rapid.IntRange(0, 12).Draw(t, "causes"),
					),
				},
			}
			b, err := proto.MarshalOptions{Deterministic: true}.Marshal(rapid.SampledFrom(m).Draw(t, "message"))
			if err != nil {
				return nil
			}
			return b
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		p := &spb.Status{Code: rapid.Int32Range(0, 20).Draw(t, "code"), Message: text().Draw(t, "message")}
		for range rapid.IntRange(0, 8).Draw(t, "details") {
			p.Details = append(p.Details, &anypb.Any{TypeUrl: rapid.SampledFrom(urls).Draw(t, "url"), Value: values.Draw(t, "value")})
		}
		raw, err := proto.Marshal(p)
		st := status.FromProto(p)
		got := errs.FromStatus(st)
		if (got == nil) != (st.Code() == codes.OK) {
			t.Fatalf("got %v", got)
		}
		if got == nil {
			return
		}
		for _, limit := range []int{0, 8000} {
			out := errs.Encoder{Limit: limit, Unmasked: true}.Encode(got, method, false)
			if n := cost(out.Status); n > min(max(limit, 4096), 8000)-256 {
				t.Fatalf("limit %d: the list takes %d bytes", limit, n)
			}
			again, merr := proto.Marshal(out.Status.Proto())
			if merr != nil {
				t.Fatal(merr)
			}
			if whole := cost(st) <= min(max(limit, 4096), 8000)-256; whole && err == nil && !bytes.Equal(again, raw) {
				t.Fatalf("limit %d: what fits is not sent on as it came", limit)
			}
			if errs.CodeOf(got) != errs.CodeOf(out.Err) || errs.RetryOf(errs.FromStatus(out.Status)) != errs.RetryOf(got) {
				t.Fatalf("limit %d: %s became %s", limit, errs.CodeOf(got), errs.CodeOf(out.Err))
			}
		}
	})
}

// TestJoinsAreDeterministic: whatever is joined, the same errors give the same bytes.
func TestJoinsAreDeterministic(t *testing.T) {
	t.Parallel()
	list := []error{errors.New("plain"), status.Error(codes.NotFound, "no")}
	for _, s := range samples() {
		list = append(list, s.err)
	}
	rapid.Check(t, func(t *rapid.T) {
		chosen := rapid.SliceOfN(rapid.SampledFrom(list), 1, 10).Draw(t, "errors")
		join := func() error {
			half := len(chosen) / 2
			return fmt.Errorf("%w: %w", errors.Join(chosen[:half]...), errors.Join(chosen[half:]...))
		}
		a, b := errs.Encoder{}.Encode(join(), method, false), errs.Encoder{}.Encode(join(), method, false)
		if a.Hidden != nil {
			return // an error id each
		}
		x, y := a.Status.Proto(), b.Status.Proto()
		if !proto.Equal(x, y) {
			t.Fatal("the same join, two answers")
		}
		if n := cost(a.Status); n > 3840 {
			t.Fatalf("the list takes %d bytes", n)
		}
		best := slices.MinFunc(chosen, func(a, b error) int { return rank(a) - rank(b) })
		if rank(best) < 3 && errs.CodeOf(a.Err) != errs.CodeOf(best) {
			t.Fatalf("the head is %s, want %s", errs.CodeOf(a.Err), errs.CodeOf(best))
		}
	})
}

// rank is the order of the wire contract.
func rank(err error) int {
	switch {
	case errs.CodeOf(err) == "":
		return 3
	case errs.EffectOf(err) == errs.EffectUnknown:
		return 0
	case errs.EffectOf(err) == errs.EffectApplied:
		return 1
	default:
		return 2
	}
}
