package errs_test

import (
	"errors"
	"testing"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
	shopv1 "github.com/remedyrpc/remedy/internal/shop/shopv1"
)

// alike says what shopv1.SlotStale says, and is not declared in a proto.
var alike = errs.MustDefine("slot_stale", errs.AfterRepair, errs.Status(codes.Aborted),
	errs.Headline("Slot {slot_id} is no longer available; {seats_left} seats are left."),
	errs.Steps(errs.CallTool("list_available_slots", "Choose a current slot, then retry with the same operationId.")),
	errs.Preserve("operationId"), errs.Update("slotId"), errs.Doc("https://docs.example.com/errors/slot-stale"))

func raiseAlike() error {
	return alike.New(errs.Value("slot_id", "s-17"), errs.Value("seats_left", 3), errs.Detail("slotId", "s-17"), errs.Detail("seatsLeft", 3))
}

func raiseDeclared() error {
	return shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: "s-17", SeatsLeft: 3})
}

func BenchmarkDeclaredEncode(b *testing.B) {
	encode := func(raise func() error) func() {
		return func() {
			if errs.ToStatus(raise()).Code() != codes.Aborted {
				b.Fatal("another status")
			}
		}
	}
	compare(b, "undeclared", encode(raiseDeclared), encode(raiseAlike))
}

func BenchmarkDeclaredDecode(b *testing.B) {
	decode := func(err error, matches func(error) bool) func() {
		sent := errs.ToStatus(err)
		bytes, marshalErr := proto.Marshal(sent.Proto())
		if marshalErr != nil {
			b.Fatal(marshalErr)
		}
		kept := status.FromProto(sent.Proto()) // as in BenchmarkDecode
		return func() {
			var p spb.Status
			if err := proto.Unmarshal(bytes, &p); err != nil {
				b.Fatal(err)
			}
			if received := errs.FromStatus(kept); !matches(received) {
				b.Fatal(received)
			}
		}
	}
	compare(b, "undeclared", decode(raiseDeclared(), func(err error) bool {
		e, ok := errors.AsType[*shopv1.SlotStaleError](err)
		return ok && e.GetSlotId() == "s-17"
	}), decode(raiseAlike(), func(err error) bool {
		e, ok := errors.AsType[*errs.ToolError](err)
		return ok && e.Details["slotId"] == "s-17"
	}))
}
