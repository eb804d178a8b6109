package shop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/internal/shop"
	"github.com/remedyrpc/remedy/server"
)

// agent calls the tools of a shop over gRPC, as an agent would: it sends JSON and gets typed errors.
type agent struct {
	t      *testing.T
	store  *shop.Store
	client servicev1.ToolServiceClient
}

func newAgent(t *testing.T) *agent {
	t.Helper()
	seed := shop.DefaultSeed()
	seed.Now = func() time.Time { return time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC) }
	store := shop.New(seed)
	srv, err := server.New(shop.Tools(store), server.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	stage, err := auth.New(func(ctx context.Context, _ string) (auth.Identity, error) {
		if who := metadata.ValueFromIncomingContext(ctx, "who"); len(who) == 1 {
			return auth.Identity{Principal: who[0]}, nil
		}
		return auth.Identity{Principal: "clerk"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	options, err := interceptors.ServerOptions(interceptors.WithAuth(stage))
	if err != nil {
		t.Fatal(err)
	}
	conn := grpctest.ServeAny(t, func(r grpc.ServiceRegistrar) { srv.Register(r) }, options, interceptors.DialOptions())
	return &agent{t: t, store: store, client: servicev1.NewToolServiceClient(conn)}
}

// call calls a tool under a key, empty for none.
func (a *agent) call(tool, key, input string) (*servicev1.ToolResult, error) {
	return a.callAs(a.t.Context(), tool, key, input)
}

func (a *agent) callAs(ctx context.Context, tool, key, input string) (*servicev1.ToolResult, error) {
	response, err := a.client.CallTool(ctx, &servicev1.CallToolRequest{
		Tool: tool, OperationKey: key, Input: &servicev1.CallToolRequest_InputJson{InputJson: input},
	})
	return response.GetResult(), err
}

func (a *agent) must(tool, key, input string) map[string]any {
	a.t.Helper()
	result, err := a.call(tool, key, input)
	if err != nil {
		a.t.Fatalf("%s %s: %v", tool, input, err)
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(result.GetOutputJson()), &out); err != nil {
		a.t.Fatal(err)
	}
	return out
}

// authorize prepares a payment and returns the input of send_payment for it.
func (a *agent) authorize(operation, receiver string, amount int) string {
	a.t.Helper()
	out := a.must("prepare_payment_authorization", "prepare-"+operation+"-"+receiver,
		fmt.Sprintf(`{"sourceAccountId":"acc_main","receiverId":%q,"amount":%d}`, receiver, amount))
	return payment(operation, out["authorizationId"], amount, receiver)
}

func payment(operation string, authorization any, amount int, receiver string) string {
	return fmt.Sprintf(`{"operationId":%q,"authorizationId":%q,"amount":%d,"receiverId":%q}`, operation, authorization, amount, receiver)
}

// failure is what an error is expected to say.
type failure struct {
	code    errs.Code
	status  codes.Code
	effect  errs.Effect
	message string
}

func (a *agent) expect(err error, want failure) {
	a.t.Helper()
	got := failure{errs.CodeOf(err), status.Code(err), errs.EffectOf(err), errs.Message(err)}
	if got != want {
		a.t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestInvalidInput(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	_, err := a.call("cancel_order", "k", `{"reason":"boredom"}`)
	a.expect(err, failure{
		errs.CodeInvalidInput, codes.InvalidArgument, errs.EffectUnspecified,
		`Input does not match the schema of cancel_order: /orderId is required; /reason must be one of "customer_request", ` +
			`"duplicate". [invalid_input; retry only after repair] Next action: Change the input.`,
	})
	e, ok := errors.AsType[*errs.ValidationError](err)
	if !ok || len(e.Issues) != 2 || e.Issues[0].Path != "/orderId" || e.Issues[1].Keyword != "enum" {
		t.Errorf("got %+v", e)
	}
}

func TestOrderAlreadyShipped(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	_, err := a.call("cancel_order", "k", `{"orderId":"ord_2","reason":"duplicate"}`)
	a.expect(err, failure{
		"order_already_shipped", codes.FailedPrecondition, errs.EffectNone,
		`Shipped orders cannot be cancelled. [order_already_shipped; do not retry]`,
	})
	if e, ok := errors.AsType[*errs.ToolError](err); !ok || e.Details["orderId"] != "ord_2" {
		t.Errorf("got %+v", e)
	}
}

func TestCancelOrder(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	const input = `{"orderId":"ord_1","reason":"customer_request"}`
	first, err := a.call("cancel_order", "k", input)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := first.GetOutputJson(), `{"orderId":"ord_1","status":"cancelled","cancelledAt":"2026-09-01T12:00:00Z"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !first.GetVerified() || first.GetReplayed() || first.GetOperationId() == "" || first.GetFirstCompletedAt() == nil {
		t.Errorf("got %v", first)
	}
	a.store.Reopen("ord_1")
	again, err := a.call("cancel_order", "k", input)
	if err != nil {
		t.Fatal(err)
	}
	if !again.GetReplayed() || !again.GetVerified() || again.GetOperationId() != first.GetOperationId() ||
		again.GetOutputJson() != first.GetOutputJson() || !again.GetFirstCompletedAt().AsTime().Equal(first.GetFirstCompletedAt().AsTime()) {
		t.Errorf("got  %v\nafter %v", again, first)
	}
	_, err = a.call("cancel_order", "k", `{"orderId":"ord_3","reason":"customer_request"}`)
	a.expect(err, failure{
		errs.CodeOperationConflict, codes.InvalidArgument, errs.EffectUnspecified,
		`The operation key was used for another input. [operation_conflict; retry only after repair] Next action: Change the ` +
			`input. Send the original input with this key, or a new key for a new intent.`,
	})
	_, err = a.call("cancel_order", "", input)
	a.expect(err, failure{
		errs.CodeOperationKeyRequired, codes.InvalidArgument, errs.EffectNone,
		`cancel_order needs an operation key. [operation_key_required; retry only after repair] Next action: Change the input. ` +
			`Send a new unique operation key.`,
	})
}

func TestAuthorizationDenied(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "who", "auditor")
	_, err := a.callAs(ctx, "cancel_order", "k", `{"orderId":"ord_1","reason":"duplicate"}`)
	a.expect(err, failure{
		errs.CodeAuthorizationDenied, codes.PermissionDenied, errs.EffectUnspecified,
		`Not authorized to call cancel_order. [authorization_denied; do not retry]`,
	})
	if e, ok := errors.AsType[*errs.AuthorizationError](err); !ok || e.Reason != "auditors may only read" {
		t.Errorf("got %+v", e)
	}
	ctx = metadata.AppendToOutgoingContext(t.Context(), "who", "alice")
	for _, order := range []string{"ord_3", "ord_none"} {
		_, err = a.callAs(ctx, "cancel_order", "k", `{"orderId":"`+order+`","reason":"duplicate"}`)
		if errs.CodeOf(err) != errs.CodeAuthorizationDenied {
			t.Errorf("%s, of another customer or of nobody: got %v", order, err)
		}
	}
}

func TestSlotStale(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	list := func() string {
		slots, _ := a.must("list_available_slots", "", `{}`)["slots"].([]any)
		first, _ := slots[0].(map[string]any)
		return fmt.Sprint(first["slotId"])
	}
	slot := list()
	a.store.Republish()
	_, err := a.call("book_slot", "", `{"operationId":"op-1","slotId":"`+slot+`"}`)
	a.expect(err, failure{
		"slot_stale", codes.FailedPrecondition, errs.EffectNone,
		`The selected slot is no longer available. [slot_stale; retry only after repair] Next action: Call list_available_slots ` +
			`and wait for its result before continuing. Choose a current slot, then retry with the same operationId.`,
	})
	// The repair: another slot under the same operationId.
	result, err := a.call("book_slot", "", `{"operationId":"op-1","slotId":"`+list()+`"}`)
	if err != nil || !result.GetVerified() {
		t.Errorf("got %v, %v", result, err)
	}
}

func TestPaymentSourceStale(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	input := a.authorize("pay-1", "rcv_acme", 100)
	a.store.Deposit("acc_main", 1)
	_, err := a.call("send_payment", "", input)
	a.expect(err, failure{
		"payment_source_stale", codes.FailedPrecondition, errs.EffectNone,
		`The source account changed after authorization. [payment_source_stale; retry only after repair] Next actions, in order, ` +
			`one at a time, never in parallel: 1. Call list_payment_accounts and wait for its result before continuing. Refresh the ` +
			`source account state. 2. Call prepare_payment_authorization and wait for its result before continuing. Create a ` +
			`replacement authorization. 3. Retry the same operation with send_payment. Retry with the replacement authorization. ` +
			`Keep unchanged: operationId, amount, receiverId. Replace from repair output: authorizationId.`,
	})
	// The repair, step by step as the plan says.
	a.must("list_payment_accounts", "", `{}`)
	out := a.must("prepare_payment_authorization", "again", `{"sourceAccountId":"acc_main","receiverId":"rcv_acme","amount":100}`)
	result, err := a.call("send_payment", "", payment("pay-1", out["authorizationId"], 100, "rcv_acme"))
	if err != nil || !result.GetVerified() {
		t.Errorf("got %v, %v", result, err)
	}
	if n := a.store.Bank("acme").Payments(); n != 1 {
		t.Errorf("the bank booked %d payments", n)
	}
}

func TestConfirmation(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	input := a.authorize("pay-1", "rcv_acme", 600_000)
	_, err := a.call("send_payment", "", input)
	a.expect(err, failure{
		errs.CodeConfirmationRequired, codes.FailedPrecondition, errs.EffectNone,
		`send_payment needs confirmation before it runs. [confirmation_required; retry only after repair] Next actions, in order, ` +
			`one at a time, never in parallel: 1. Ask the user. Ask for this exact call to be confirmed. 2. Retry the same operation.`,
	})
	a.store.Decide("auth_1", false)
	_, err = a.call("send_payment", "", input)
	a.expect(err, failure{
		errs.CodeConfirmationDeclined, codes.FailedPrecondition, errs.EffectNone,
		`The user declined send_payment. [confirmation_declined; do not retry]`,
	})
	if e, ok := errors.AsType[*errs.ConfirmationError](err); !ok || e.OperationKey != "pay-1" || e.ConfirmationID != "auth_1" {
		t.Errorf("got %+v", e)
	}
	a.store.Decide("auth_1", true)
	if _, err := a.call("send_payment", "", input); err != nil {
		t.Error(err)
	}
}

func TestVerificationFailed(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	input := a.authorize("pay-1", "rcv_umbrella", 1_000)
	for _, try := range []string{"first", "replay"} {
		_, err := a.call("send_payment", "", input)
		a.expect(err, failure{
			errs.CodeVerificationFailed, codes.DataLoss, errs.EffectApplied,
			`send_payment ran, but its result is not what was intended. [verification_failed; do not retry] Next action: Reconcile ` +
				`the original operation under the same operation key; never use a new key.`,
		})
		if e, ok := errors.AsType[*errs.VerificationError](err); !ok || e.Reason != "not_verified" || e.OperationID == "" {
			t.Errorf("%s: got %+v", try, e)
		}
	}
	if n := a.store.Bank("umbrella").Payments(); n != 1 {
		t.Errorf("the bank booked %d payments", n)
	}
}

func TestLostAnswerIsRecovered(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	result, err := a.call("send_payment", "", a.authorize("pay-1", "rcv_globex", 1_000))
	if err != nil || !result.GetVerified() || result.GetReplayed() {
		t.Errorf("got %v, %v", result, err)
	}
	if n := a.store.Bank("globex").Payments(); n != 1 {
		t.Errorf("the bank booked %d payments", n)
	}
}

func TestOutcomeUnknown(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	input := a.authorize("pay-1", "rcv_initech", 1_000)
	for range 3 {
		_, err := a.call("send_payment", "", input)
		a.expect(err, failure{
			errs.CodeOutcomeUnknown, codes.Unknown, errs.EffectUnknown,
			`send_payment may or may not have taken effect. [outcome_unknown; do not retry] Next action: Reconcile the original ` +
				`operation under the same operation key; never use a new key.`,
		})
		if e, ok := errors.AsType[*errs.OutcomeUnknownError](err); !ok || e.OperationKey != "pay-1" || e.OperationID == "" || e.Inferred {
			t.Errorf("got %+v", e)
		}
	}
	if n := a.store.Bank("initech").Payments(); n != 1 {
		t.Errorf("the bank booked %d payments", n)
	}
}

func TestContention(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	input := a.authorize("pay-1", "rcv_acme", 100)
	a.store.BeginSettlement("acc_main")
	_, err := a.call("send_payment", "", input)
	a.expect(err, failure{
		"account_busy", codes.Aborted, errs.EffectNone,
		`The source account is being settled. [account_busy; retry unchanged is allowed, after 2s]`,
	})
	if after, ok := errs.RetryAfterOf(err); !ok || after != 2*time.Second {
		t.Errorf("got %v", after)
	}
	a.store.EndSettlement("acc_main")
	if _, err := a.call("send_payment", "", input); err != nil {
		t.Error(err)
	}
}

// TestPastTheBoundary has effects that say that they did nothing: the key is free, and no status of theirs is retried
// by anything on the way.
func TestPastTheBoundary(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	_, err := a.call("send_payment", "", a.authorize("pay-1", "rcv_gone", 100))
	a.expect(err, failure{
		"receiver_closed", codes.FailedPrecondition, errs.EffectNone, `The receiver's account is closed. [receiver_closed; do not retry]`,
	})
	input := a.authorize("pay-2", "rcv_hooli", 100)
	_, err = a.call("send_payment", "", input)
	a.expect(err, failure{
		"bank_unreachable", codes.Aborted, errs.EffectNone,
		`The receiver's bank cannot be reached. [bank_unreachable; retry unchanged is allowed]`,
	})
	a.store.Bank("hooli").SetLine(shop.LineGood)
	if _, err := a.call("send_payment", "", input); err != nil {
		t.Error(err)
	}
}

// TestKeyOfTheCaller sends a key with every call, as package client does: the tools that make theirs of the input use that.
func TestKeyOfTheCaller(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	input := a.authorize("pay-1", "rcv_acme", 100)
	first, err := a.call("send_payment", "key-1", input)
	if err != nil {
		t.Fatal(err)
	}
	again, err := a.call("send_payment", "key-2", input)
	if err != nil || !again.GetReplayed() || again.GetOperationId() != first.GetOperationId() {
		t.Errorf("got %v, %v", again, err)
	}
	_, err = a.call("send_payment", "key-3", payment("pay-1", "auth_1", 101, "rcv_acme"))
	if errs.CodeOf(err) != errs.CodeOperationConflict || errs.InfoOf(err).OperationKey != "pay-1" {
		t.Errorf("got %v, %+v", err, errs.InfoOf(err))
	}
}

func TestOthers(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	tests := []struct{ tool, key, input, code string }{
		{"no_such_tool", "k", `{}`, "tool_not_found"},
		{"cancel_order", "k", `{"orderId":"ord_9","reason":"duplicate"}`, "order_not_found"},
		{"prepare_payment_authorization", "k1", `{"sourceAccountId":"acc_9","receiverId":"rcv_acme","amount":1}`, "account_not_found"},
		{"prepare_payment_authorization", "k2", `{"sourceAccountId":"acc_main","receiverId":"rcv_9","amount":1}`, "receiver_not_found"},
		{"prepare_payment_authorization", "k3", `{"sourceAccountId":"acc_main","receiverId":"rcv_acme","amount":0}`, "invalid_input"},
		{"send_payment", "", `{"operationId":"p","authorizationId":"auth_9","amount":1,"receiverId":"rcv_acme"}`, "payment_not_authorized"},
		{"send_payment", "", `{"operationId":"no key","authorizationId":"auth_9","amount":1,"receiverId":"rcv_acme"}`, "invalid_input"},
	}
	for _, test := range tests {
		if _, err := a.call(test.tool, test.key, test.input); string(errs.CodeOf(err)) != test.code {
			t.Errorf("%s %s: got %v, want %s", test.tool, test.input, err, test.code)
		}
	}
	a.store.Deposit("acc_petty", -99_00)
	out := a.must("prepare_payment_authorization", "k4", `{"sourceAccountId":"acc_petty","receiverId":"rcv_acme","amount":200}`)
	_, err := a.call("send_payment", "", payment("p", out["authorizationId"], 200, "rcv_acme"))
	if !errors.Is(err, errs.Code("insufficient_funds")) {
		t.Errorf("got %v", err)
	}
}
