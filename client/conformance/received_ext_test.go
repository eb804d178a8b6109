package conformance_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/remedyrpc/remedy/client/conformance/internal/vector"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

const typeURL = "type.googleapis.com/"

// packed is a detail.
func packed(tb testing.TB, m proto.Message) *anypb.Any {
	tb.Helper()
	value, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	return &anypb.Any{TypeUrl: typeURL + string(m.ProtoReflect().Descriptor().FullName()), Value: value}
}

// adHoc is the identity of an error that no proto declares.
func adHoc(tb testing.TB, code, message string, retry remedyv1.RetryPolicy) *anypb.Any {
	tb.Helper()
	return packed(tb, &remedyv1.ToolError{Code: code, Message: message, Retry: retry})
}

// raw is a detail of a type that nobody here knows.
func raw(name string, value ...byte) *anypb.Any {
	return &anypb.Any{TypeUrl: typeURL + name, Value: value}
}

// info is an ErrorInfo; pairs are its metadata.
func info(tb testing.TB, reason, domain string, pairs ...string) *anypb.Any {
	tb.Helper()
	m := &errdetails.ErrorInfo{Reason: reason, Domain: domain, Metadata: map[string]string{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		m.Metadata[pairs[i]] = pairs[i+1]
	}
	return packed(tb, m)
}

// receiver collects vectors that are only decoded.
type receiver struct {
	testing.TB

	group string
	all   []vector.Vector
}

func (r *receiver) add(name, about string, code codes.Code, message string, details ...*anypb.Any) {
	r.Helper()
	p := &spb.Status{Code: int32(code), Message: message, Details: details}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err != nil {
		r.Fatalf("%s: %v", name, err)
	}
	r.bytes(name, about, b, nil)
}

// bytes takes any bytes; plain says what grpc-status and grpc-message say where they are no message.
func (r *receiver) bytes(name, about string, b []byte, plain *vector.Plain) {
	r.Helper()
	r.finish(vector.Vector{Name: r.group + "/" + name, About: about, Status: b, Plain: plain})
}

func (r *receiver) finish(v vector.Vector) {
	r.Helper()
	if err := v.Finish(); err != nil {
		r.Fatal(err)
	}
	r.all = append(r.all, v)
}

// foreignVectors are statuses that are not ours, sent and received.
func foreignVectors(tb testing.TB) []vector.Vector {
	tb.Helper()
	r := &receiver{TB: tb, group: "foreign"}
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		r.add("code_only/"+strings.ToLower(code.String()), "", code, "")
	}
	r.add("code_only/17", "A code that gRPC does not have.", 17, "from the future")
	r.add("message", "", codes.NotFound, "no such order [order_missing; do not retry]")
	r.add("no_rule", "Somebody else's ErrorInfo.", codes.FailedPrecondition, "quota",
		info(tb, "SERVICE_DISABLED", "googleapis.com", "service", "pubsub.googleapis.com"))
	r.add("other_details", "", codes.Unavailable, "busy", packed(tb, &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 2}}),
		packed(tb, &errdetails.DebugInfo{Detail: "stack"}))
	r.add("identity_alone", "An identity without an ErrorInfo is not ours.", codes.FailedPrecondition, "x",
		packed(tb, &remedyv1.ToolError{Code: "slot_stale", Retry: never}))
	anything := func(m proto.Message) json.RawMessage {
		text, err := vector.Anything(m)
		if err != nil {
			tb.Fatal(err)
		}
		return text
	}
	status := func(name, about string, in vector.Input) {
		in.Class = vector.ClassStatus
		r.all = append(r.all, encoding(tb, "foreign/sent/"+name, about, in))
	}
	status("code_and_message", "A handler's own status keeps code and message.",
		vector.Input{GRPCCode: int(codes.NotFound), Message: "no such order"})
	status("details", "", vector.Input{GRPCCode: int(codes.ResourceExhausted), Message: "slow down", Details: []json.RawMessage{
		anything(&errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 2}}),
		anything(&errdetails.ErrorInfo{Reason: "RATE_LIMIT_EXCEEDED", Domain: "googleapis.com"}),
	}})
	status("too_large", "The cap holds for foreign statuses too: details go from the last, then the message is cut.",
		vector.Input{GRPCCode: int(codes.NotFound), Message: strings.Repeat("no such order. ", 400), Details: []json.RawMessage{
			anything(&errdetails.DebugInfo{Detail: strings.Repeat("frame ", 1000)}),
		}})
	for _, which := range []string{"canceled", "deadline_exceeded"} {
		r.all = append(r.all, encoding(tb, "foreign/sent/"+which, "A context error of a handler becomes one of ours.",
			vector.Input{Class: vector.ClassContext, Message: which}))
	}
	return r.all
}

// lostVectors are the rule for calls that may have had an effect.
func lostVectors(tb testing.TB) []vector.Vector {
	tb.Helper()
	r := &receiver{TB: tb, group: "lost"}
	lost := func(name, about string, call vector.Call, code codes.Code, message string, details ...*anypb.Any) {
		r.add(name, about, code, message, details...)
		v := &r.all[len(r.all)-1]
		v.Call = &call
		if err := v.Finish(); err != nil {
			tb.Fatal(err)
		}
	}
	unkeyed := vector.Call{Name: "/shop.v1.ShopService/CancelOrder"}
	keyed := vector.Call{Name: "cancel_order", OperationKey: "order-7:cancel", Ledger: true}
	keyOnly := vector.Call{Name: "cancel_order", OperationKey: "order-7:cancel"}
	unsent := vector.Call{Name: "cancel_order", OperationKey: "order-7:cancel", Ledger: true, NeverSent: true}
	for code := codes.Canceled; code <= codes.Unauthenticated+1; code++ {
		name := strings.ToLower(strings.NewReplacer("(", "_", ")", "").Replace(code.String()))
		lost("code_only/"+name, "", unkeyed, code, "")
	}
	lost("keyed", "A call to a ledger under a key: sending it again under that key is safe.", keyed, codes.Unavailable, "connection reset")
	lost("key_without_ledger", "", keyOnly, codes.Unavailable, "connection reset")
	lost("never_sent", "No attempt left the process: the error is what it was.", unsent, codes.Unavailable, "connection refused")
	ours := func(code, effect string) []*anypb.Any {
		pairs := []string{"retry", "never"}
		if effect != "" {
			pairs = append(pairs, "effect", effect)
		}
		return []*anypb.Any{
			info(tb, strings.ToUpper(code), "remedy.v1", append(pairs, "operationId", "0192-o1")...), packed(tb, &remedyv1.ServiceError{Code: code}),
		}
	}
	for _, effect := range []string{"", "none", "applied", "unknown"} {
		for _, c := range []struct {
			code string
			grpc codes.Code
		}{
			{"internal", codes.Internal},
			{"canceled", codes.Canceled},
			{"deadline_exceeded", codes.DeadlineExceeded},
			{"operation_closed", codes.FailedPrecondition},
		} {
			stated := effect
			if stated == "" {
				stated = "absent"
			}
			lost("ours/"+c.code+"_"+stated, "", keyed, c.grpc, "[x]", ours(c.code, effect)...)
		}
	}
	lost("ours/tool_absent", "", unkeyed, codes.FailedPrecondition, "Locked. [order_locked; do not retry]",
		info(tb, "ORDER_LOCKED", "tool.remedy.v1", "retry", "never"), adHoc(tb, "order_locked", "Locked.", never))
	lost("ours/tool_unknown", "An unknown effect is an unknown outcome, whatever the code.", unkeyed, codes.FailedPrecondition,
		"Silent. [gateway_silent; do not retry]", info(tb, "GATEWAY_SILENT", "tool.remedy.v1", "retry", "never", "effect", "unknown"),
		adHoc(tb, "gateway_silent", "Silent.", never))
	lost("ours/outcome_unknown", "The server said so itself.", keyed, codes.Unknown, "Maybe. [outcome_unknown; do not retry]",
		info(tb, "OUTCOME_UNKNOWN", "remedy.v1", "retry", "never", "effect", "unknown", "operationId", "0192-o1"),
		packed(tb, &remedyv1.OutcomeUnknownError{Tool: "cancel_order", OperationId: "0192-o1"}))
	return r.all
}

// newerVectors are errors of a later version of the contract, and details of others.
func newerVectors(tb testing.TB) []vector.Vector {
	tb.Helper()
	r := &receiver{TB: tb, group: "newer"}
	const unknownName = "remedy.v1.QuarantineError"
	delay := packed(tb, &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 2}})
	plan := packed(tb, refreshPlan())
	r.add("code", "A code and an identity that this version does not have, in our own domain.", codes.Aborted,
		"The account is quarantined. [account_quarantined; retry unchanged is allowed, after 2s]",
		info(tb, "ACCOUNT_QUARANTINED", "remedy.v1", "retry", "as_is", "effect", "none", "tool", "send_payment"),
		raw(unknownName, 0x0a, 1, 'x'), delay)
	r.add("code_with_plan", "", codes.FailedPrecondition,
		"Quarantined. [account_quarantined; retry only after repair] Next action: Refresh the state.",
		info(tb, "ACCOUNT_QUARANTINED", "remedy.v1", "retry", "after_repair"), raw(unknownName), plan)
	r.add("service_code", "A value of ServiceError.code that this version does not have.", codes.FailedPrecondition,
		"The tenant is suspended. [tenant_suspended; do not retry]", info(tb, "TENANT_SUSPENDED", "remedy.v1", "retry", "never"),
		packed(tb, &remedyv1.ServiceError{Code: "tenant_suspended", Subject: "acme"}))
	r.add("confirmation_reason", "", codes.FailedPrecondition, "Delegated. [confirmation_delegated; do not retry]",
		info(tb, "CONFIRMATION_DELEGATED", "remedy.v1", "retry", "never"),
		packed(tb, &remedyv1.ConfirmationError{Tool: "send_payment", Reason: "delegated"}))
	r.add("auth_kind", "", codes.FailedPrecondition, "Locked out. [auth_failed; do not retry]",
		info(tb, "AUTH_FAILED", "remedy.v1", "retry", "never"),
		packed(tb, &remedyv1.AuthError{Auth: &remedyv1.AuthFailure{Kind: 99, Source: 98, Provider: "github"}}))
	r.add("limit_kind", "Rule and status are what was sent, not what this version would compute.", codes.ResourceExhausted,
		"openai is full. [provider_error; do not retry]", info(tb, "PROVIDER_ERROR", "remedy.v1", "retry", "never"),
		packed(tb, &remedyv1.ProviderError{Provider: "openai", Retryable: new(true), Limit: &remedyv1.ProviderLimit{Kind: 97}}))
	r.add("budget_limit", "", codes.ResourceExhausted, "Too many files. [budget_exceeded; do not retry]",
		info(tb, "BUDGET_EXCEEDED", "remedy.v1", "retry", "never"), packed(tb, &remedyv1.BudgetExceededError{Limit: 96, RunId: "0192-r1"}))
	r.add("action", "A step whose action this version does not have keeps its place.", codes.FailedPrecondition,
		"Locked. [order_locked; retry only after repair] Next actions, in order, one at a time, never in parallel: 1. Wait. "+
			"2. Refresh the state.",
		info(tb, "ORDER_LOCKED", "tool.remedy.v1", "retry", "after_repair"),
		adHoc(tb, "order_locked", "Locked.", afterRepair),
		packed(tb, &remedyv1.RepairPlan{Steps: []*remedyv1.RepairStep{
			{Action: 42, Tool: "clock", Instruction: "Wait."}, {Action: remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE},
		}}))
	r.add("effect", "An effect that this version does not know is none that is stated.", codes.FailedPrecondition,
		"Half done. [half_done; do not retry]",
		info(tb, "HALF_DONE", "tool.remedy.v1", "retry", "never", "effect", "partial", "color", "blue"),
		adHoc(tb, "half_done", "Half done.", never))
	r.add("field", "A field that this version does not have.", codes.PermissionDenied, "No. [authorization_denied; do not retry]",
		info(tb, "AUTHORIZATION_DENIED", "remedy.v1", "retry", "never"),
		withField(packed(tb, &remedyv1.AuthorizationError{Tool: "cancel_order"})))
	known := adHoc(tb, "order_locked", "Locked.", afterRepair)
	locked := info(tb, "ORDER_LOCKED", "tool.remedy.v1", "retry", "after_repair")
	orders := []struct {
		name    string
		details []*anypb.Any
	}{
		{"unknown_first", []*anypb.Any{raw("acme.v1.Trace", 1, 2, 3), locked, known, plan}},
		{"unknown_between", []*anypb.Any{locked, raw("acme.v1.Trace", 1, 2, 3), known, raw("acme.v1.Empty"), plan}},
		{"reversed", []*anypb.Any{raw("acme.v1.Trace", 1, 2, 3), plan, known, locked}},
		{"google_unknown", []*anypb.Any{
			locked, known, packed(tb, &errdetails.RequestInfo{RequestId: "r"}), raw("google.rpc.Weather", 8, 1), plan,
		}},
	}
	for _, o := range orders {
		r.add("order/"+o.name, "Details in any order, with others between them.", codes.FailedPrecondition,
			"Locked. [order_locked; retry only after repair] Next action: Refresh the state.", o.details...)
	}
	declared := []*anypb.Any{
		info(tb, "SEAT_TAKEN", "travel.v1", "retry", "after_repair"),
		adHoc(tb, "seat_taken", "The seat is taken.", afterRepair),
		raw("travel.v1.SeatTaken", 0x0a, 3, '1', '2', 'A'), plan,
	}
	r.add("declared", "A declared error of a package that the client was not generated for.", codes.Aborted,
		"The seat is taken. [seat_taken; retry only after repair] Next action: Refresh the state.", declared...)
	r.add("declared_alone", "The same without its ToolError.", codes.Aborted,
		"The seat is taken. [seat_taken; retry only after repair] Next action: Refresh the state.",
		slices.Delete(slices.Clone(declared), 1, 2)...)
	r.add("no_details", "Nothing but the ErrorInfo.", codes.FailedPrecondition, "Locked. [order_locked; do not retry]",
		info(tb, "ORDER_LOCKED", "tool.remedy.v1", "retry", "never"))
	r.add("other_domain", "ErrorInfo of a service that writes our rule by hand.", codes.FailedPrecondition, "Locked.",
		info(tb, "ORDER_LOCKED", "orders.acme.example", "retry", "never", "truncated", "true"))
	r.add("truncated", "", codes.FailedPrecondition, "Locked. [order_locked; do not retry]",
		info(tb, "ORDER_LOCKED", "tool.remedy.v1", "retry", "never", "truncated", "true"),
		adHoc(tb, "order_locked", "Locked.", never))
	r.add("status", "A status that does not go with the rule is what was sent.", codes.Internal,
		"Locked. [order_locked; retry unchanged is allowed]",
		info(tb, "ORDER_LOCKED", "tool.remedy.v1", "retry", "as_is"), adHoc(tb, "order_locked", "Locked.", asIs))
	return r.all
}

// withField adds a field with a high number.
func withField(detail *anypb.Any) *anypb.Any {
	detail.Value = protowire.AppendString(protowire.AppendTag(detail.GetValue(), 200, protowire.BytesType), "later")
	return detail
}
