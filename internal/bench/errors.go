package main

import (
	"errors"
	"fmt"
	"io"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	shopv1 "github.com/remedyrpc/remedy/internal/shop/shopv1"
)

const (
	headline    = "The selected slot is no longer available."
	instruction = "Choose a current slot, then retry with the same operationId."
	tool        = "list_available_slots"
	slot        = "slot-17"
)

var slotStale = errs.MustDefine("slot_stale", errs.AfterRepair, errs.Headline(headline),
	errs.Steps(errs.CallTool(tool, instruction)))

// typed is the error as a user of this library raises it.
func typed() error { return slotStale.New(errs.Detail("slotId", slot)) }

// alike says what shopv1.SlotStale says, and is not declared in a proto.
var alike = errs.MustDefine("slot_stale", errs.AfterRepair, errs.Status(codes.Aborted),
	errs.Headline("Slot {slot_id} is no longer available; {seats_left} seats are left."),
	errs.Steps(errs.CallTool(tool, instruction)), errs.Preserve("operationId"), errs.Update("slotId"),
	errs.Doc("https://docs.example.com/errors/slot-stale"))

func undeclared() error {
	return alike.New(errs.Value("slot_id", slot), errs.Value("seats_left", 3), errs.Detail("slotId", slot), errs.Detail("seatsLeft", 3))
}

func declared() error { return shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: slot, SeatsLeft: 3}) }

// matchDeclared reads it.
func matchDeclared(err error) error {
	e, ok := errors.AsType[*shopv1.SlotStaleError](err)
	if !ok || e.ErrorCode() != "slot_stale" || e.GetSlotId() != slot || len(e.Plan().Steps()) != 1 {
		return errNoMatch
	}
	return nil
}

// message is its text, so that both sides send the same bytes.
const message = headline + " [slot_stale; retry only after repair] Next action: Call " + tool +
	" and wait for its result before continuing. " + instruction

// byHand is the same error with the same three details, attached the way grpc's own API is used.
func byHand() error {
	details, err := structpb.NewStruct(map[string]any{"slotId": slot})
	if err != nil {
		return err //nolint:wrapcheck // stops the benchmark
	}
	st, err := status.New( //nolint:forbidigo // what is measured against
		codes.FailedPrecondition, message).WithDetails(
		&errdetails.ErrorInfo{Reason: "SLOT_STALE", Domain: "tool.remedy.v1", Metadata: map[string]string{"retry": "after_repair"}},
		&remedyv1.ToolError{
			Code: "slot_stale", Message: headline, Retry: remedyv1.RetryPolicy_RETRY_POLICY_AFTER_REPAIR, Details: details,
		},
		&remedyv1.RepairPlan{Steps: []*remedyv1.RepairStep{{
			Action: remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL, Tool: tool, Instruction: instruction,
		}}},
	)
	if err != nil {
		return err
	}
	return st.Err()
}

var errNoMatch = errors.New("the error does not match")

// matchByHand reads the details the way grpc's own API is used.
func matchByHand(err error) error {
	st, ok := status.FromError(err)
	if !ok {
		return errNoMatch
	}
	var e *remedyv1.ToolError
	var plan *remedyv1.RepairPlan
	var info *errdetails.ErrorInfo
	for _, detail := range st.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			info = detail
		case *remedyv1.ToolError:
			e = detail
		case *remedyv1.RepairPlan:
			plan = detail
		}
	}
	if info.GetReason() != "SLOT_STALE" || e.GetDetails().AsMap()["slotId"] != slot || len(plan.GetSteps()) != 1 {
		return errNoMatch
	}
	return nil
}

// matchTyped reads the typed error.
func matchTyped(err error) error {
	e, ok := errors.AsType[*errs.ToolError](err)
	if !ok || e.Code != "slot_stale" || e.Details["slotId"] != slot || len(e.Plan().Steps()) != 1 {
		return errNoMatch
	}
	return nil
}

func inProcess(w io.Writer, rounds, calls int) error {
	const batch = 20
	raw, err := proto.Marshal(status.Convert(byHand()).Proto())
	if err != nil {
		return fmt.Errorf("marshaling: %w", err)
	}
	received := errs.FromError(byHand())
	var encoder errs.Encoder
	packHand := &scenario{name: "error to status, WithDetails", call: func() error {
		return check(status.Code(byHand()) == codes.FailedPrecondition)
	}}
	packTyped := &scenario{name: "error to status, typed (New and GRPCStatus)", call: func() error {
		return check(errs.ToStatus(typed()) != nil)
	}}
	readHand := &scenario{name: "bytes to details, Details", call: func() error { return withStatus(raw, matchStatus) }}
	readTyped := &scenario{name: "bytes to typed error", call: func() error {
		return withStatus(raw, func(st *status.Status) error { return matchTyped(errs.FromStatus(st)) })
	}}
	nothing := &scenario{name: "nothing", call: func() error { return nil }}
	again := &scenario{name: "a received error, encoded again", call: func() error {
		return check(encoder.Encode(received, "", false).Status != nil)
	}}
	packAlike := &scenario{name: "error with a full headline to status, typed", call: func() error {
		return check(errs.ToStatus(undeclared()) != nil)
	}}
	packDeclared := &scenario{name: "the same error to status, declared", call: func() error {
		return check(errs.ToStatus(declared()) != nil)
	}}
	readAlike, err := reading("bytes to error with a full headline, typed", undeclared(), matchTyped)
	if err != nil {
		return err
	}
	readDeclared, err := reading("bytes to the same error, declared", declared(), matchDeclared)
	if err != nil {
		return err
	}
	all := []*scenario{packHand, packTyped, readHand, readTyped, nothing, again, packAlike, packDeclared, readAlike, readDeclared}
	if err := measure(all, rounds, calls, batch); err != nil {
		return err
	}
	report(w, "in process", all, []target{
		{"error to status", packTyped, packHand, 0.6, -1},
		{"bytes to typed error", readTyped, readHand, 0.75, -1},
		{"a received error, encoded again", again, nothing, -1, 0},
		{"declared error to status", packDeclared, packAlike, 1.3, -1},
		{"bytes to declared error", readDeclared, readAlike, 1.3, -1},
	}, batch)
	return nil
}

// reading is the scenario of a client that receives err.
func reading(name string, err error, match func(error) error) (*scenario, error) {
	raw, marshalErr := proto.Marshal(errs.ToStatus(err).Proto())
	if marshalErr != nil {
		return nil, fmt.Errorf("marshaling: %w", marshalErr)
	}
	return &scenario{name: name, call: func() error {
		return withStatus(raw, func(st *status.Status) error { return match(errs.FromStatus(st)) })
	}}, nil
}

func matchStatus(st *status.Status) error { return matchByHand(st.Err()) }

func withStatus(raw []byte, use func(*status.Status) error) error {
	var p spb.Status
	if err := proto.Unmarshal(raw, &p); err != nil {
		return fmt.Errorf("unmarshaling: %w", err)
	}
	return use(status.FromProto(&p))
}

func check(ok bool) error {
	if !ok {
		return errNoMatch
	}
	return nil
}
