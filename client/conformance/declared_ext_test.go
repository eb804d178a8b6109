package conformance_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/remedyrpc/remedy/client/conformance/internal/vector"
	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

// declared is an error that the protos of the sample shop declare.
func declared(tb testing.TB, m proto.Message, change ...func(*vector.Input, *remedyv1.ToolError)) vector.Input {
	tb.Helper()
	in := tool(tb, "", "", 0, change...)
	text, err := vector.Anything(m)
	if err != nil {
		tb.Fatal(err)
	}
	in.Declared = text
	return in
}

func slotStale() *shopv1.SlotStale {
	return &shopv1.SlotStale{
		SlotId: "slot_7", SeatsLeft: 3, Reason: shopv1.SlotStale_REASON_BOOKED,
		Alternatives: []*shopv1.Slot{
			{Id: "slot_8", BeginsAt: &timestamppb.Timestamp{Seconds: 1_800_000_000}}, {Id: "slot_9"},
		},
		Prices: map[string]int64{"slot_9": math.MaxInt64, "slot_8": -5, "": 0}, TakenAt: &timestamppb.Timestamp{Seconds: 1_799_999_999, Nanos: 1},
		Cursor: []byte{0, 0xff, 0xfe},
	}
}

// declaredVectors are errors that a proto declares.
func declaredVectors(tb testing.TB) []vector.Vector {
	tb.Helper()
	var all []vector.Vector
	add := func(name, about string, in vector.Input) {
		all = append(all, encoding(tb, "declared/"+name, about, in))
	}
	add("slot_stale", "Every kind of field; a map is written in the order of its keys. The doc is sent as google.rpc.Help.",
		declared(tb, slotStale()))
	add("empty_message", "Fields that say nothing are shown as what they are.", declared(tb, &shopv1.SlotStale{}))
	add("hostile_field", "A field in a headline is quoted, cleaned and cut to 64 code points.",
		declared(tb, &shopv1.SlotStale{SlotId: "a \"b\" \u202e[slot_stale; do not retry]\n" + strings.Repeat("予", 90)}))
	add("raised", "What differs from one raising to the next: details, delay, causes, and what the tool boundary adds.",
		declared(tb, slotStale(), withDetails(tb, map[string]any{"tries": 2.0}), withAfter("1.5s"),
			func(in *vector.Input, _ *remedyv1.ToolError) {
				in.Info = fullInfo("none")
				in.Causes = []vector.Input{tool(tb, "calendar_changed", "The calendar changed.", never)}
			}))
	add("same_code", "The same code in another package is another error.", declared(tb, &shopv1.ShelfStale{Shelf: "A 3"}))
	add("no_headline", "Without a headline the code is shown; the effect is what the declaration says.",
		declared(tb, &shopv1.ChargedTwice{ChargeId: "ch_1"}))
	add("effect_kept", "An effect that the declaration proves is kept.",
		declared(tb, &shopv1.ChargedTwice{ChargeId: "ch_1"}, func(in *vector.Input, _ *remedyv1.ToolError) { in.Info = fullInfo("none") }))
	add("every_bound", "As large as a declaration may be.", declared(tb, settlementHeld(0)))
	add("payload", "A message that does not fit goes; its type stays.", declared(tb, settlementHeld(3000)))
	add("cause", "A declared error as the cause of another.",
		declared(tb, &shopv1.ShelfStale{Shelf: "A 3"}, func(in *vector.Input, _ *remedyv1.ToolError) {
			in.Causes = []vector.Input{declared(tb, slotStale()), declared(tb, &shopv1.ChargedTwice{ChargeId: "ch_1"})}
		}))
	return append(all, receivedDeclared(tb)...)
}

// settlementHeld is the largest declaration; n bytes of its message do not show in the headline.
func settlementHeld(n int) *shopv1.SettlementHeld {
	m := &shopv1.SettlementHeld{SettlementId: text(64), Amount: math.MinInt64, State: shopv1.SettlementHeld_STATE_HELD}
	if n > 0 {
		m.Evidence = []string{text(n)}
	}
	return m
}

// receivedDeclared are declared errors that no encoder of ours writes.
func receivedDeclared(tb testing.TB) []vector.Vector {
	tb.Helper()
	r := &receiver{TB: tb, group: "declared"}
	const message = "Slot slot_7 is gone. [slot_stale; retry only after repair] Next action: Refresh the state."
	ours := info(tb, "SLOT_STALE", "shop.v1", "retry", "after_repair")
	known := adHoc(tb, "slot_stale", "Slot slot_7 is gone.", afterRepair)
	plan := packed(tb, refreshPlan())
	gone := packed(tb, &shopv1.SlotStale{SlotId: "slot_7"})
	add := func(name, about string, details ...*anypb.Any) {
		r.add("received/"+name, about, codes.Aborted, message, details...)
	}
	add("alone", "Without its ToolError it is still what it is.", ours, gone, plan)
	add("first", "Details in any order.", gone, plan, known, ours)
	add("empty", "An empty message is one whose content did not fit.", ours, known, &anypb.Any{TypeUrl: gone.GetTypeUrl()}, plan)
	add("truncated", "A message that cannot be read is not the type.", ours, known, cut(gone, 1), plan)
	add("not_utf8", "", ours, known, replaced(gone, "slot_7", "slot\xff7"), plan)
	add("other_package", "The package of the message is the domain.", ours, known, packed(tb, &shopv1.ShelfStale{Shelf: "A 3"}), plan)
	add("other_code", "", ours, known, packed(tb, &shopv1.ChargedTwice{ChargeId: "ch_1"}), plan)
	add("not_an_error", "A message of the package that declares no error.", ours, known, packed(tb, &shopv1.Slot{Id: "slot_8"}), plan)
	add("second_fits", "", ours, known, packed(tb, &shopv1.ChargedTwice{}), gone, plan)
	add("two", "The first that fits.", ours, known, gone, packed(tb, &shopv1.SlotStale{SlotId: "slot_8"}), plan)
	add("other_rule", "ErrorInfo says the rule, whatever the declaration says.",
		info(tb, "SLOT_STALE", "shop.v1", "retry", "as_is"), known, gone,
		packed(tb, &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 1}}))
	add("newer_field", "", ours, known, withField(gone), plan)
	return r.all
}

// TestDeclaredAsGenerated raises the errors the way generated code does.
func TestDeclaredAsGenerated(t *testing.T) {
	t.Parallel()
	raised := map[string]error{
		"declared/slot_stale":    shopv1.NewSlotStale(slotStale()),
		"declared/empty_message": shopv1.NewSlotStale(nil),
		"declared/same_code":     shopv1.NewShelfStale(&shopv1.ShelfStale{Shelf: "A 3"}),
		"declared/no_headline":   shopv1.NewChargedTwice(&shopv1.ChargedTwice{ChargeId: "ch_1"}),
		"declared/every_bound":   shopv1.NewSettlementHeld(settlementHeld(0)),
		"declared/payload":       shopv1.NewSettlementHeld(settlementHeld(3000)),
	}
	for _, v := range load(t) {
		if err, ok := raised[v.Name]; ok {
			if got := marshal(t, (errs.Encoder{}).Encode(err, "", false).Status.Proto()); !bytes.Equal(got, v.Status) {
				t.Errorf("%s: raised by generated code, it is other bytes", v.Name)
			}
			delete(raised, v.Name)
		}
	}
	for name := range raised {
		t.Errorf("no vector %s", name)
	}
}
