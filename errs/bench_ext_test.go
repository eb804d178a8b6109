package errs_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// The benchmarks compare with what a service does by hand: the same three details by WithDetails and Details. A benchmark
// named ratio takes turns between the two, a few milliseconds each, and reports the median of what ours takes of theirs, so
// that whatever else the machine does slows down both.

var slotStale = errs.MustDefine("slot_stale", errs.AfterRepair,
	errs.Headline("The selected slot is no longer available."),
	errs.Steps(errs.CallTool("list_available_slots", "Choose a current slot, then retry with the same operationId.")))

const slotStaleMessage = "The selected slot is no longer available. [slot_stale; retry only after repair] Next action: " +
	"Call list_available_slots and wait for its result before continuing. Choose a current slot, then retry with the same operationId."

func encodeOurs(b *testing.B) {
	b.Helper()
	out := errs.Encoder{}.Encode(slotStale.New(errs.Detail("slotId", "s-17")), "/shop.v1.Shop/Book", false)
	if out.Status.Code() != codes.FailedPrecondition {
		b.Fatal(out.Status)
	}
}

func encodeByHand(b *testing.B) {
	b.Helper()
	st, err := status.New(codes.FailedPrecondition, slotStaleMessage).WithDetails(
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
	if err != nil || st.Err() == nil {
		b.Fatal(err)
	}
}

func BenchmarkEncode(b *testing.B) {
	compare(b, "WithDetails", func() { encodeOurs(b) }, func() { encodeByHand(b) })
}

func BenchmarkDecode(b *testing.B) {
	sent := errs.ToStatus(slotStale.New(errs.Detail("slotId", "s-17")))
	bytes, err := proto.Marshal(sent.Proto())
	if err != nil {
		b.Fatal(err)
	}
	// grpc's client unmarshals the status and keeps it. FromProto, which is all that this package can call, copies it besides,
	// so the copy is made once.
	kept := status.FromProto(sent.Proto())
	received := func() *status.Status {
		var p spb.Status
		if err := proto.Unmarshal(bytes, &p); err != nil {
			b.Fatal(err)
		}
		return kept
	}
	compare(b, "Details", func() {
		if e, ok := errors.AsType[*errs.ToolError](errs.FromStatus(received())); !ok || e.Code != "slot_stale" {
			b.Fatal(e)
		}
	}, func() {
		if details := received().Details(); len(details) != 3 {
			b.Fatal(details)
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

// compare runs both alone, with their allocations, and then in turns.
func compare(b *testing.B, name string, ours, theirs func()) {
	b.Helper()
	for _, side := range []struct {
		name string
		f    func()
	}{{"ours", ours}, {name, theirs}} {
		b.Run(side.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				side.f()
			}
		})
	}
	b.Run("ratio", func(b *testing.B) {
		const turn = 2000
		batch := func(f func()) time.Duration {
			begin := time.Now()
			for range turn {
				f()
			}
			return time.Since(begin)
		}
		var x, y []time.Duration
		for b.Loop() {
			x, y = append(x, batch(ours)), append(y, batch(theirs))
		}
		slices.Sort(x)
		slices.Sort(y)
		b.ReportMetric(float64(x[len(x)/2])/float64(y[len(y)/2]), "of-"+name)
		b.ReportMetric(float64(x[0])/float64(y[0]), "of-"+name+"-at-best")
		b.ReportMetric(0, "ns/op")
	})
}
