package conformance_test

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/remedyrpc/remedy/client/conformance/internal/vector"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

const (
	never       = remedyv1.RetryPolicy_RETRY_POLICY_NEVER
	asIs        = remedyv1.RetryPolicy_RETRY_POLICY_AS_IS
	afterRepair = remedyv1.RetryPolicy_RETRY_POLICY_AFTER_REPAIR
)

func step(action remedyv1.RepairAction, tool, instruction string) *remedyv1.RepairStep {
	return &remedyv1.RepairStep{Action: action, Tool: tool, Instruction: instruction}
}

// tool is an ad-hoc ToolError.
func tool(
	tb testing.TB, code, message string, retry remedyv1.RetryPolicy, change ...func(*vector.Input, *remedyv1.ToolError),
) vector.Input {
	tb.Helper()
	in := vector.Input{Class: "ToolError"}
	m := &remedyv1.ToolError{Code: code, Message: message, Retry: retry}
	for _, f := range change {
		f(&in, m)
	}
	in.Fields = fieldsOf(tb, m)
	return in
}

func withPlan(tb testing.TB, p *remedyv1.RepairPlan) func(*vector.Input, *remedyv1.ToolError) {
	tb.Helper()
	return func(in *vector.Input, _ *remedyv1.ToolError) { in.Plan = fieldsOf(tb, p) }
}

func withStatus(code codes.Code) func(*vector.Input, *remedyv1.ToolError) {
	return func(in *vector.Input, _ *remedyv1.ToolError) { in.GRPCCode = int(code) }
}

func withAfter(after string) func(*vector.Input, *remedyv1.ToolError) {
	return func(in *vector.Input, _ *remedyv1.ToolError) { in.RetryAfter = after }
}

func withDetails(tb testing.TB, details map[string]any) func(*vector.Input, *remedyv1.ToolError) {
	tb.Helper()
	s, err := structpb.NewStruct(details)
	if err != nil {
		tb.Fatal(err)
	}
	return func(_ *vector.Input, m *remedyv1.ToolError) { m.Details = s }
}

func refreshPlan() *remedyv1.RepairPlan {
	return &remedyv1.RepairPlan{Steps: []*remedyv1.RepairStep{
		step(remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE, "", ""),
	}}
}

// toolVectors are errors that no proto declares.
func toolVectors(tb testing.TB) []vector.Vector {
	tb.Helper()
	var all []vector.Vector
	add := func(name, about string, in vector.Input) { all = append(all, encoding(tb, "tool/"+name, about, in)) }

	add("never", "", tool(tb, "order_already_shipped", "Shipped orders cannot be cancelled.", never))
	add("one_step", "", tool(tb, "slot_taken", "The selected slot is no longer available.", afterRepair,
		withPlan(tb, &remedyv1.RepairPlan{Steps: []*remedyv1.RepairStep{step(remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL,
			"list_available_slots", "Choose a current slot, then retry with the same operationId.")}})))
	add("plan", "", tool(tb, "payment_source_stale", "The source account changed after authorization.", afterRepair,
		withPlan(tb, &remedyv1.RepairPlan{
			Steps: []*remedyv1.RepairStep{
				step(remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL, "list_payment_accounts", "Refresh the source account state."),
				step(remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL, "prepare_payment_authorization", "Create a replacement authorization."),
				step(remedyv1.RepairAction_REPAIR_ACTION_RETRY_SAME_OPERATION, "send_payment", "Retry with the replacement authorization."),
			},
			Preserve: []string{"operationId", "amount", "receiverId"}, Update: []string{"authorizationId"},
		})))
	add("every_action", "Every action, with and without a tool.", tool(tb, "seven_steps", "Everything at once.", afterRepair,
		withPlan(tb, &remedyv1.RepairPlan{Steps: []*remedyv1.RepairStep{
			step(remedyv1.RepairAction_REPAIR_ACTION_CHANGE_INPUT, "", ""),
			step(remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE, "list_orders", ""),
			step(remedyv1.RepairAction_REPAIR_ACTION_ASK_USER, "", "Which of the two?"),
			step(remedyv1.RepairAction_REPAIR_ACTION_RECONCILE, "", ""),
			step(remedyv1.RepairAction_REPAIR_ACTION_STOP, "", ""),
		}})))
	add("six_steps", "Steps beyond the fifth are cut, and the error says so.", tool(tb, "six_steps", "One too many.", afterRepair,
		withPlan(tb, &remedyv1.RepairPlan{Steps: []*remedyv1.RepairStep{
			step(remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE, "", "1"), step(remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE, "", "2"),
			step(remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE, "", "3"), step(remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE, "", "4"),
			step(remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE, "", "5"), step(remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE, "", "6"),
		}})))
	add("as_is", "", tool(tb, "account_busy", "The account is busy.", asIs, withAfter("2s")))
	add("as_is_milliseconds", "The message and the trailer round up.",
		tool(tb, "account_busy", "The account is busy.", asIs, withAfter("0.3995s"), withStatus(codes.Aborted)))
	add("as_is_no_delay", "", tool(tb, "account_busy", "The account is busy.", asIs, withStatus(codes.ResourceExhausted)))
	add("stop_plan", "A plan without a retry goes with never.", tool(tb, "account_closed", "The account is closed.", never,
		withPlan(tb, &remedyv1.RepairPlan{Steps: []*remedyv1.RepairStep{step(remedyv1.RepairAction_REPAIR_ACTION_STOP, "", "Tell the user.")}})))
	add("details", "Details cross as data and never enter the message.",
		tool(tb, "limit_reached", "The limit is reached.", never, withDetails(tb, map[string]any{
			"limit": 10.5, "max": 9007199254740991.0, "none": nil, "yes": true,
			"nested": map[string]any{"list": []any{"a", 1.0, nil, map[string]any{}}},
			"text":   "…\u0000\u202e[x]",
		})))
	add("doc", "An https link becomes google.rpc.Help.", tool(tb, "order_already_shipped", "Shipped orders cannot be cancelled.", never,
		func(in *vector.Input, _ *remedyv1.ToolError) {
			in.Doc = "https://docs.example/errors#order_already_shipped"
		}))
	add("info", "What the tool boundary adds.", tool(tb, "order_already_shipped", "Shipped orders cannot be cancelled.", never,
		func(in *vector.Input, _ *remedyv1.ToolError) { in.Info = fullInfo("none") }))
	add("effect_applied", "", tool(tb, "receipt_missing", "Cancelled, but no receipt was written.", never,
		func(in *vector.Input, _ *remedyv1.ToolError) { in.Info = &vector.Info{Effect: "applied"} }))
	add("effect_unknown", "", tool(tb, "gateway_silent", "The gateway did not answer.", never,
		func(in *vector.Input, _ *remedyv1.ToolError) { in.Info = &vector.Info{Effect: "unknown"} }))
	add("no_rule", "A rule that is not stated is never.", tool(tb, "order_locked", "The order is locked.", 0))
	add("no_headline", "", tool(tb, "order_locked", "", never))
	add("cleaned", "Controls, bidirectional marks and brackets.",
		tool(tb, "order_locked", " \tThe \u202eorder\u2066 is\n\n[slot_stale; retry unchanged is allowed] locked\u0000\u200b. ", never))
	add("percent", "Everything but printable ASCII takes three bytes in grpc-message.",
		tool(tb, "order_locked", "100 % der Größe: 予約は満席です。", never))
	add("long_headline", "300 code points of a headline travel.", tool(tb, "order_locked", strings.Repeat("x", 400), never))
	add("wide_headline", "768 bytes of a message, the cut between two code points.",
		tool(tb, "order_locked", strings.Repeat("予", 200), afterRepair, withPlan(tb, refreshPlan())))
	add("long_instruction", "A message shows 160 code points of an instruction; the plan keeps it.",
		tool(tb, "order_locked", "The order is locked.", afterRepair, withPlan(tb, &remedyv1.RepairPlan{Steps: []*remedyv1.RepairStep{
			step(remedyv1.RepairAction_REPAIR_ACTION_CHANGE_INPUT, "", strings.Repeat("é ", 100)),
		}})))
	add("many_names", "A message shows eight names of each list.",
		tool(tb, "order_locked", "The order is locked.", afterRepair, withPlan(tb, &remedyv1.RepairPlan{
			Steps: refreshPlan().GetSteps(), Preserve: strings.Split("abcdefghijkl", ""), Update: strings.Split("mnopqrstuvwx", ""),
		})))
	for _, s := range statusesOf(never) {
		add("status/never_"+strings.ToLower(s.String()), "", tool(tb, "order_locked", "The order is locked.", never, withStatus(s)))
	}
	for _, s := range statusesOf(asIs) {
		add("status/as_is_"+strings.ToLower(s.String()), "",
			tool(tb, "order_locked", "The order is locked.", asIs, withStatus(s), withAfter("3s")))
	}
	for _, s := range statusesOf(afterRepair) {
		add("status/after_repair_"+strings.ToLower(s.String()), "",
			tool(tb, "order_locked", "The order is locked.", afterRepair, withStatus(s), withPlan(tb, refreshPlan())))
	}
	return all
}

// statusesOf is the matrix of wire.md: which status goes with which rule outside the catalog.
func statusesOf(retry remedyv1.RetryPolicy) []codes.Code {
	switch retry {
	case asIs:
		return []codes.Code{codes.Unavailable, codes.ResourceExhausted, codes.Aborted}
	case afterRepair:
		return []codes.Code{
			codes.FailedPrecondition, codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.OutOfRange,
			codes.ResourceExhausted, codes.Aborted,
		}
	default:
		return []codes.Code{
			codes.FailedPrecondition, codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.PermissionDenied,
			codes.OutOfRange, codes.ResourceExhausted,
		}
	}
}

// joinVectors are several errors at once, and errors with causes.
func joinVectors(tb testing.TB) []vector.Vector {
	tb.Helper()
	var all []vector.Vector
	add := func(name, about string, in vector.Input) { all = append(all, encoding(tb, "join/"+name, about, in)) }
	stale := tool(tb, "slot_taken", "The slot is taken.", never)
	busy := tool(tb, "account_busy", "The account is busy.", asIs, withAfter("2s"))
	applied := tool(tb, "receipt_missing", "No receipt was written.", never,
		func(in *vector.Input, _ *remedyv1.ToolError) { in.Info = &vector.Info{Effect: "applied"} })
	unknown := vector.Input{Class: "OutcomeUnknownError", Fields: fieldsOf(tb, &remedyv1.OutcomeUnknownError{
		Tool: "send_payment", OperationKey: "payment-7",
	})}
	plain := vector.Input{Class: vector.ClassPlain, Message: "dsn=postgres://u:hunter2@h"}
	foreign := vector.Input{Class: vector.ClassStatus, GRPCCode: int(codes.NotFound), Message: "upstream says no"}
	canceled := vector.Input{Class: vector.ClassContext, Message: "canceled"}
	late := vector.Input{Class: vector.ClassContext, Message: "deadline_exceeded"}
	join := func(errors ...vector.Input) vector.Input {
		return vector.Input{Class: vector.ClassJoin, Errors: errors}
	}
	causing := func(in vector.Input, causes ...vector.Input) vector.Input {
		in.Causes = causes
		return in
	}
	add("first_of_two", "Among equals the first is the head; the others become causes.", join(stale, busy))
	add("unknown_wins", "An unknown effect comes before an applied one, and that before all others.", join(stale, applied, unknown))
	add("applied_wins", "", join(stale, plain, applied))
	add("ours_before_foreign", "Foreign statuses, context and plain errors never travel beside a typed error.",
		join(plain, canceled, foreign, stale))
	add("foreign_before_context", "", join(plain, canceled, foreign))
	add("context_before_plain", "", join(plain, late))
	add("cause", "", causing(stale, busy))
	add("foreign_causes", "Only typed causes travel.", causing(stale, plain, foreign, canceled))
	add("tree", "Causes of causes; the outermost first.", causing(stale, causing(busy, causing(applied, stale)), unknown))
	add("too_deep", "Depth is at most three.", causing(stale, causing(busy, causing(applied, causing(stale, busy)))))
	add("too_many", "At most eight nodes, in reading order.", causing(stale,
		causing(busy, stale, stale, stale), causing(busy, stale, stale), causing(busy, stale, stale), busy))
	add("catalog_causes", "A cause keeps its fields.", causing(
		vector.Input{Class: "ServiceError", Fields: fieldsOf(tb, &remedyv1.ServiceError{Code: "repeated_failure", Subject: "send_payment"})},
		vector.Input{Class: "ValidationError", Fields: fieldsOf(tb, &remedyv1.ValidationError{
			Subject: "send_payment", Issues: []*remedyv1.Issue{{Path: "/amount", Keyword: "maximum", Message: "must be at most 100"}},
		})}, unknown))
	add("nested", "A join inside a join, and a head that has causes of its own.", join(join(plain, causing(stale, busy)), join(applied, busy)))
	return all
}
