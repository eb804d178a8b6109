package conformance_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/client/conformance/internal/vector"
	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// The bounds of the contract, written down a second time: what is encoded is held to these, not to those of errs.
const (
	largestList    = 4096 - 256 // the rest is for trailers that are not ours
	nearlyFull     = 3700
	largestMessage = 768
)

// TestCatalogIsComplete wants every row of errors.proto, as one meets it and at the cap, with the status, rule, effect and
// plan that its options say.
func TestCatalogIsComplete(t *testing.T) {
	t.Parallel()
	byName := make(map[string]vector.Vector)
	for _, v := range load(t) {
		byName[v.Name] = v
	}
	rows := catalogRows()
	if len(rows) < 40 {
		t.Fatalf("only %d rows were found in errors.proto", len(rows))
	}
	for _, r := range rows {
		for _, g := range []string{"catalog/", "cap/"} {
			v, ok := byName[g+r.name()]
			if !ok {
				t.Errorf("no vector %s", g+r.name())
				continue
			}
			for _, problem := range r.differs(v) {
				t.Errorf("%s: %s", v.Name, problem)
			}
		}
	}
	for _, kind := range cappedTools(t) {
		if _, ok := byName["cap/"+kind.name]; !ok {
			t.Errorf("no vector cap/%s", kind.name)
		}
	}
}

// differs says where a vector of the row is not what the options of errors.proto say.
func (r row) differs(v vector.Vector) []string {
	var problems []string
	want := func(what string, got, want any) {
		if got != want {
			problems = append(problems, fmt.Sprintf("%s is %v, want %v", what, got, want))
		}
	}
	o, x := r.options, v.Expect
	want("class", x.Class, r.class)
	want("code", x.Code, o.GetCode())
	want("domain", x.Domain, "remedy.v1")
	want("status", x.GRPCCode, int(o.GetStatus()))
	want("rule", x.Retry, strings.ToLower(strings.TrimPrefix(o.GetRetry().String(), "RETRY_POLICY_")))
	want("reason", v.Google.Reason, strings.ToUpper(o.GetCode()))
	if o.GetEffect() != remedyv1.Effect_EFFECT_UNSPECIFIED {
		want("effect", v.Google.Metadata["effect"], strings.ToLower(strings.TrimPrefix(o.GetEffect().String(), "EFFECT_")))
	}
	if strings.HasPrefix(v.Name, "catalog/") {
		plan := ""
		if o.GetRepair() != nil {
			text, err := vector.JSON(o.GetRepair())
			if err != nil {
				return append(problems, err.Error())
			}
			plan = string(text)
		}
		want("plan", compact(x.Plan), plan)
		if headline := o.GetMessage(); headline != "" && !strings.Contains(headline, "{") {
			want("headline", strings.HasPrefix(x.Message, headline+" ["), true)
		}
	}
	return problems
}

// TestContract holds everything that is encoded to wire.md: order of details, sizes, trailers, text.
func TestContract(t *testing.T) {
	t.Parallel()
	for _, v := range load(t) {
		if v.Direction == vector.Encode {
			for _, problem := range broken(v) {
				t.Errorf("%s: %s", v.Name, problem)
			}
		}
	}
}

// order is the place of each detail.
var order = map[string]int{
	"google.rpc.ErrorInfo": 1, "remedy.v1.RepairPlan": 4, "google.rpc.BadRequest": 5, "google.rpc.RetryInfo": 6,
	"google.rpc.QuotaFailure": 7, "google.rpc.PreconditionFailure": 8, "google.rpc.ResourceInfo": 9, "google.rpc.Help": 10,
	"remedy.v1.Causes": 11,
}

// place is the place of any detail: an identity is second, a declared message third.
func place(url string) int {
	name := strings.TrimPrefix(url, "type.googleapis.com/")
	switch p, ok := order[name]; {
	case ok:
		return p
	case strings.HasPrefix(name, "remedy.v1."):
		return 2
	default:
		return 3
	}
}

// broken says what of the contract a vector breaks.
func broken(v vector.Vector) []string {
	var p spb.Status
	if err := proto.Unmarshal(v.Status, &p); err != nil {
		return []string{err.Error()}
	}
	var problems []string
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if cost := vector.ListCost(v.Status, p.GetMessage()); cost != v.ListCost || cost > largestList {
		bad("the trailer list has %d bytes, the vector says %d, at most %d fit", cost, v.ListCost, largestList)
	}
	if strings.HasPrefix(v.Name, "cap/") && (!v.Expect.Truncated || v.ListCost < nearlyFull) {
		bad("truncated %v at %d bytes is not at the cap", v.Expect.Truncated, v.ListCost)
	}
	if v.Expect.Class == vector.Foreign {
		return problems
	}
	if encoded := vector.ListCost(nil, p.GetMessage()) - vector.ListCost(nil, ""); encoded > largestMessage {
		bad("the message takes %d bytes, at most %d", encoded, largestMessage)
	}
	last := 0
	for _, detail := range p.GetDetails() {
		at := place(detail.GetTypeUrl())
		if at <= last {
			bad("%s is twice or out of its place", detail.GetTypeUrl())
		}
		last = at
	}
	if len(p.GetDetails()) < 2 || place(p.GetDetails()[0].GetTypeUrl()) != 1 || place(p.GetDetails()[1].GetTypeUrl()) != 2 {
		bad("ErrorInfo and identity are not the first two details")
	}
	if wanted := pushback(codes.Code(p.GetCode()), v.Expect.Retry, p.GetDetails()); v.Pushback != wanted {
		bad("pushback is %q, want %q", v.Pushback, wanted)
	}
	for _, r := range p.GetMessage() {
		if r < ' ' || r == '\u202e' || r == '\u2066' || r == '\u200b' {
			bad("the message holds %U", r)
		}
	}
	if strings.Count(p.GetMessage(), "[") != 1 || strings.Count(p.GetMessage(), "]") != 1 {
		bad("the message %q does not have one pair of brackets", p.GetMessage())
	}
	return append(problems, secondTrip(v)...)
}

// secondTrip sends what was received: the same type, code and bytes.
func secondTrip(v vector.Vector) []string {
	var problems []string
	got := v.Decoded()
	if err := vector.CheckFields(got); err != nil {
		problems = append(problems, err.Error())
	}
	if !errors.Is(got, errs.Code(v.Expect.Code)) || !errors.Is(got, errs.Sentinel{Domain: v.Expect.Domain, Code: v.Expect.Code}) {
		problems = append(problems, "code and domain do not match with errors.Is")
	}
	again := errs.Encoder{}.Encode(got, "", false)
	if b, err := proto.Marshal(again.Status.Proto()); err != nil || !bytes.Equal(b, v.Status) {
		problems = append(problems, "sent on, it is other bytes")
	}
	if again.Pushback != v.Pushback {
		problems = append(problems, fmt.Sprintf("sent on, its pushback is %q", again.Pushback))
	}
	return problems
}

// pushback is the trailer that wire.md asks for.
func pushback(code codes.Code, retry string, details []*anypb.Any) string {
	retried := []codes.Code{
		codes.Canceled, codes.Unknown, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Aborted, codes.Internal, codes.Unavailable,
		codes.DataLoss,
	}
	if !slices.Contains(retried, code) {
		return ""
	}
	if retry != "as_is" {
		return "-1"
	}
	for _, detail := range details {
		var m errdetails.RetryInfo
		if strings.HasSuffix(detail.GetTypeUrl(), "google.rpc.RetryInfo") && proto.Unmarshal(detail.GetValue(), &m) == nil {
			return strconv.FormatInt((m.GetRetryDelay().AsDuration().Nanoseconds()+999_999)/1_000_000, 10)
		}
	}
	return ""
}

// compact takes the white space out of JSON.
func compact(text json.RawMessage) string {
	var b bytes.Buffer
	if len(text) > 0 && json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

// TestMessages holds the vectors to the messages that the design gives in full.
func TestMessages(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"tool/never": "Shipped orders cannot be cancelled. [order_already_shipped; do not retry]",
		"tool/one_step": "The selected slot is no longer available. [slot_taken; retry only after repair] Next action: " +
			"Call list_available_slots and wait for its result before continuing. Choose a current slot, then retry with the same operationId.",
		"tool/plan": "The source account changed after authorization. [payment_source_stale; retry only after repair] Next actions, in order, " +
			"one at a time, never in parallel: 1. Call list_payment_accounts and wait for its result before continuing. " +
			"Refresh the source account state. 2. Call prepare_payment_authorization and wait for its result before continuing. " +
			"Create a replacement authorization. 3. Retry the same operation with send_payment. Retry with the replacement authorization. " +
			"Keep unchanged: operationId, amount, receiverId. Replace from repair output: authorizationId.",
		"catalog/invalid_input": `Input does not match the schema of cancel_order: /orderId is required; /items/0/reason must be one of ` +
			`"customer_request", "duplicate". [invalid_input; retry only after repair] Next action: Change the input.`,
		"catalog/outcome_unknown/reported": "send_payment may or may not have taken effect. [outcome_unknown; do not retry] Next action: " +
			"Reconcile the original operation under the same operation key; never use a new key.",
		"catalog/operation_timeout": "fetch_page timed out after 1500ms [operation_timeout; retry unchanged is allowed]",
		"catalog/aborted":           "Agent run aborted [aborted; do not retry]",
		"tool/as_is":                "The account is busy. [account_busy; retry unchanged is allowed, after 2s]",
		"tool/as_is_milliseconds":   "The account is busy. [account_busy; retry unchanged is allowed, after 400ms]",
		"catalog/outcome_unknown/inferred_keyed": "The answer to send_payment was lost; it may or may not have taken effect. " +
			"[outcome_unknown; retry with the same operation key only] Next action: Retry the same operation. " +
			"Use the same operation key, never a new one.",
		"lost/keyed": "The answer to cancel_order was lost; it may or may not have taken effect. " +
			"[outcome_unknown; retry with the same operation key only] Next action: Retry the same operation. " +
			"Use the same operation key, never a new one.",
	}
	for _, v := range load(t) {
		if text, ok := want[v.Name]; ok {
			if v.Expect.Message != text {
				t.Errorf("%s:\n got  %s\n want %s", v.Name, v.Expect.Message, text)
			}
			delete(want, v.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("no vector %s", name)
	}
}

// alike reports whether two errors are of one type, code and rule.
func alike(a, b vector.Expect) bool {
	return a.Class == b.Class && a.DeclaredClass == b.DeclaredClass && a.Code == b.Code && a.Retry == b.Retry
}

// TestReceivedAgain sends on what arrived, whoever wrote it: what fits is sent byte for byte.
func TestReceivedAgain(t *testing.T) {
	t.Parallel()
	for _, v := range load(t) {
		if v.Direction == vector.Encode || v.Expect.Class == vector.Foreign || v.Call != nil {
			continue
		}
		again := errs.Encoder{}.Encode(v.Decoded(), "", false)
		cost := vector.ListCost(v.Status, v.Received().Message())
		b, err := proto.Marshal(again.Status.Proto())
		if err != nil {
			t.Errorf("%s: sent on, it is no message: %v", v.Name, err)
			continue
		}
		if cost <= largestList && v.Name != "hostile/bytes/unknown_field" && !bytes.Equal(b, v.Status) {
			t.Errorf("%s: sent on, it is other bytes", v.Name)
		}
		if now := vector.ListCost(b, again.Status.Message()); now > largestList {
			t.Errorf("%s: sent on, its trailer list has %d bytes", v.Name, now)
		}
		x, err := vector.Describe(errs.FromStatus(again.Status))
		if err != nil || !alike(x, v.Expect) {
			t.Errorf("%s: sent on, it is %s %s %s (%v)", v.Name, x.Class, x.Code, x.Retry, err)
		}
	}
}

// TestRelayed sends every error over a hop with the largest limit to one with the default: it shrinks and stays what it is.
func TestRelayed(t *testing.T) {
	t.Parallel()
	for v := range encoded(load(t)) {
		failure, err := v.Input.Error()
		if err != nil {
			t.Fatal(err)
		}
		first := errs.Encoder{Limit: errs.MaxLimit}.Encode(failure, "", false)
		second := errs.Encoder{}.Encode(errs.FromStatus(first.Status), "", false)
		if cost := vector.ListCost(marshal(t, second.Status.Proto()), second.Status.Message()); cost > largestList {
			t.Errorf("%s: its trailer list has %d bytes", v.Name, cost)
		}
		x, err := vector.Describe(errs.FromStatus(second.Status))
		if err != nil || !alike(x, v.Expect) || second.Pushback != v.Pushback {
			t.Errorf("%s: it is %s %s %s %s (%v)", v.Name, x.Class, x.Code, x.Retry, second.Pushback, err)
		}
	}
}
