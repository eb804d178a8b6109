package errs_test

import (
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// The benchmarks compare with what a service does by hand: the same three details by WithDetails and Details.

var slotStale = errs.MustDefine("slot_stale", errs.AfterRepair,
	errs.Headline("The selected slot is no longer available."),
	errs.Steps(errs.CallTool("list_available_slots", "Choose a current slot, then retry with the same operationId.")))

const slotStaleMessage = "The selected slot is no longer available. [slot_stale; retry only after repair] Next action: " +
	"Call list_available_slots and wait for its result before continuing. Choose a current slot, then retry with the same operationId."

func byHand() (*status.Status, error) {
	return status.New(codes.FailedPrecondition, slotStaleMessage).WithDetails(
		&errdetails.ErrorInfo{Reason: "SLOT_STALE", Domain: "tool.remedy.v1", Metadata: map[string]string{"retry": "after_repair"}},
		&remedyv1.ToolError{
			Code: "slot_stale", Message: "The selected slot is no longer available.", Retry: remedyv1.RetryPolicy_RETRY_POLICY_AFTER_REPAIR,
			Details: &structpb.Struct{Fields: map[string]*structpb.Value{"slotId": structpb.NewStringValue("s-17")}},
		},
		&remedyv1.RepairPlan{Steps: []*remedyv1.RepairStep{{
			Action: remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL, Tool: "list_available_slots",
			Instruction: "Choose a current slot, then retry with the same operationId.",
		}}},
	)
}

func BenchmarkEncode(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out := errs.Encoder{}.Encode(slotStale.New(errs.Detail("slotId", "s-17")), "/shop.v1.Shop/Book", false)
			if out.Status.Code() != codes.FailedPrecondition {
				b.Fatal(out.Status)
			}
		}
	})
	b.Run("WithDetails", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			st, err := byHand()
			if err != nil || st.Err() == nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	bytes, err := proto.Marshal(errs.ToStatus(slotStale.New(errs.Detail("slotId", "s-17"))).Proto())
	if err != nil {
		b.Fatal(err)
	}
	received := func(b *testing.B) *status.Status {
		var p spb.Status
		if err := proto.Unmarshal(bytes, &p); err != nil {
			b.Fatal(err)
		}
		return status.FromProto(&p)
	}
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if e, ok := errs.FromStatus(received(b)).(*errs.ToolError); !ok || e.Code != "slot_stale" {
				b.Fatal(e)
			}
		}
	})
	b.Run("Details", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if details := received(b).Details(); len(details) != 3 {
				b.Fatal(details)
			}
		}
	})
	b.Run("unmarshal", func(b *testing.B) { // what both of them start with
		b.ReportAllocs()
		for b.Loop() {
			if received(b).Code() != codes.FailedPrecondition {
				b.Fatal()
			}
		}
	})
}

func BenchmarkResend(b *testing.B) {
	received := errs.FromStatus(errs.ToStatus(slotStale.New(errs.Detail("slotId", "s-17"))))
	b.ReportAllocs()
	for b.Loop() {
		if out := (errs.Encoder{}).Encode(received, "/shop.v1.Shop/Book", false); out.Err == nil {
			b.Fatal()
		}
	}
}
