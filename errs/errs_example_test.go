package errs_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

// errSlotStale is specified once and checked at start.
var errSlotStale = errs.MustDefine("slot_stale", errs.AfterRepair,
	errs.Headline("The selected slot is no longer available."),
	errs.Steps(errs.CallTool("list_available_slots", "Choose a current slot, then retry with the same operationId.")))

// book is a call: the error of the handler becomes a status, and the caller gets a typed error again.
func book() error {
	handler := func() error { return errSlotStale.New(errs.Detail("slotId", "s-17")) }
	out := errs.Encoder{}.Encode(handler(), "/shop.v1.Shop/Book", true)
	return errs.FromError(out.Status.Err())
}

func Example() {
	err := book()
	if e, ok := errors.AsType[*errs.ToolError](err); ok && e.Code == "slot_stale" {
		fmt.Println(e.Details["slotId"], e.Plan().Steps()[0].Tool())
	}
	fmt.Println(errors.Is(err, errs.Code("slot_stale")), errs.Retryable(err))
	for sentence := range strings.SplitAfterSeq(err.Error(), ". ") {
		fmt.Println(strings.TrimSpace(sentence))
	}
	// Output:
	// s-17 list_available_slots
	// true false
	// The selected slot is no longer available.
	// [slot_stale; retry only after repair] Next action: Call list_available_slots and wait for its result before continuing.
	// Choose a current slot, then retry with the same operationId.
}

func ExampleDefine() {
	d, err := errs.Define("stock_low", errs.AsIs, errs.Status(codes.Aborted), errs.Headline("Only {left} of {item} are left."))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.New(errs.Value("left", 3), errs.Value("item", "green tea")))
	_, err = errs.Define("stock_low", errs.Never, errs.Status(codes.Unavailable))
	fmt.Println(err)
	// Output:
	// Only 3 of "green tea" are left. [stock_low; retry unchanged is allowed]
	// defining error "stock_low": status Unavailable does not go with retry never
}

func ExampleToolError() {
	var err error = &errs.ToolError{
		Code:    "order_already_shipped",
		Message: "Shipped orders cannot be cancelled.",
		Retry:   errs.Never,
		Details: map[string]any{"orderId": "o-1"},
	}
	fmt.Println(err)
	// Output: Shipped orders cannot be cancelled. [order_already_shipped; do not retry]
}

// The built-in errors are structs, one for each thing that can go wrong at a tool boundary.
func ExampleValidationError() {
	var err error = &errs.ValidationError{Subject: "cancel_order", Issues: []errs.Issue{
		{Path: "/orderId", Keyword: "required", Message: "is required"},
	}}
	if e, ok := errors.AsType[*errs.ValidationError](err); ok {
		fmt.Println(e.Issues[0].Path)
	}
	headline, _, _ := strings.Cut(err.Error(), " Next action: ")
	fmt.Println(headline)
	// Output:
	// /orderId
	// Input does not match the schema of cancel_order: /orderId is required. [invalid_input; retry only after repair]
}

// A Code matches in any domain, a Sentinel in one.
func ExampleCode() {
	err := fmt.Errorf("booking: %w", book())
	fmt.Println(errors.Is(err, errs.Code("slot_stale")), errors.Is(err, errs.CodeInternal))
	fmt.Println(errors.Is(err, errSlotStale.Sentinel()), errors.Is(err, errs.Sentinel{Domain: "shop.v1", Code: "slot_stale"}))
	// Output:
	// true false
	// true false
}

// An Encoder says what may leave a server, and what has to be logged instead.
func ExampleEncoder() {
	secret := errors.New("dsn=postgres://admin@db")
	out := errs.Encoder{}.Encode(fmt.Errorf("loading: %w", secret), "/shop.v1.Shop/Book", false)
	fmt.Println(out.Status.Code(), out.Status.Message())
	fmt.Println(errors.Is(out.Err, secret), len(out.ErrorID), out.Pushback)
	// Output:
	// Internal The service failed. [internal; do not retry]
	// true 32 -1
}

// FromError takes the status out of whatever it is wrapped in.
func ExampleFromError() {
	received := fmt.Errorf("max retries exhausted: %w", errSlotStale.New().GRPCStatus().Err())
	fmt.Println(errs.CodeOf(errs.FromError(received)))
	fmt.Println(errs.FromError(io.EOF))
	// Output:
	// slot_stale
	// EOF
}

// A lost answer to a call with an effect says nothing about the effect.
func ExampleInferOutcome() {
	lost := status.Error(codes.Unavailable, "connection reset by peer")
	err := errs.InferOutcome(lost, errs.Call{Name: "send_payment", OperationKey: "key-1", Ledger: true})
	fmt.Println(errs.CodeOf(err), errs.RetryOf(err), errs.PlanOf(err).Steps()[0].Instruction())
	fmt.Println(errs.IsInferred(err), status.Code(err), errors.Is(err, lost))
	// Output:
	// outcome_unknown as_is Use the same operation key, never a new one.
	// true Unknown true
}

// The steps of a plan are taken in order, one at a time.
func ExamplePlan() {
	plan := errs.NewPlan(
		errs.CallTool("list_payment_accounts", "Refresh the source account state."),
		errs.RetrySameOperation("send_payment", ""),
	).WithPreserve("amount", "receiverId")
	for i, step := range plan.All() {
		fmt.Printf("%d. %s %q\n", i+1, step.Action(), step.Tool())
	}
	fmt.Println(plan.Preserve())
	// Output:
	// 1. call_tool "list_payment_accounts"
	// 2. retry_same_operation "send_payment"
	// [amount receiverId]
}

// An error that a proto declares has a type of its own, and a ToolError inside.
func ExampleDeclared() {
	var err error = shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: "s-17", SeatsLeft: 2})
	err = errs.FromStatus(errs.ToStatus(err)) // over the wire
	if e, ok := errors.AsType[*shopv1.SlotStaleError](err); ok {
		fmt.Println(e.GetSlotId(), e.GetSeatsLeft())
	}
	if e, ok := errors.AsType[*errs.ToolError](err); ok {
		fmt.Println(e.Code, e.Retry, e.Status)
	}
	// Output:
	// s-17 2
	// slot_stale after_repair Aborted
}
