package client_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/internal/grpctest"
	sample "github.com/remedyrpc/remedy/internal/shop"
	"github.com/remedyrpc/remedy/server"
)

// BookSlot is the input of book_slot, a tool that makes its operation keys of its input.
type BookSlot struct {
	SlotID      string `json:"slotId"`
	OperationID string `json:"operationId"`
}

// Booking is its output.
type Booking struct {
	SlotID string    `json:"slotId"`
	Start  time.Time `json:"start"`
}

// TestSampleOfTheReadme calls the sample shop with the defaults of a client: the key that it makes for every call is no
// hindrance to a tool that makes its own.
func TestSampleOfTheReadme(t *testing.T) {
	t.Parallel()
	quiet := slog.New(slog.DiscardHandler)
	service, err := server.New(sample.Tools(sample.New(sample.DefaultSeed())), server.WithLogger(quiet))
	if err != nil {
		t.Fatal(err)
	}
	stage, err := auth.New(func(context.Context, string) (auth.Identity, error) { return auth.Identity{Principal: "clerk"}, nil })
	if err != nil {
		t.Fatal(err)
	}
	options, err := interceptors.ServerOptions(interceptors.WithAuth(stage), interceptors.WithEncode(encode.WithLogger(quiet)))
	if err != nil {
		t.Fatal(err)
	}
	tools := newClient(t, grpctest.ServeAny(t, func(r grpc.ServiceRegistrar) { service.Register(r) }, options, client.DialOptions()))
	ctx := t.Context()

	input := BookSlot{SlotID: "slot_0_1", OperationID: "intent-1"}
	_, err = client.Call[BookSlot, Booking](ctx, tools, "book_slot", input)
	e, ok := errors.AsType[*errs.ToolError](err)
	if !ok || e.Code != "slot_stale" || e.RetryPolicy() != errs.AfterRepair || e.Plan().Steps()[0].Tool() != "list_available_slots" {
		t.Fatalf("got %v, want slot_stale with its plan", err)
	}
	if !errors.Is(err, errs.Code("slot_stale")) || errs.EffectOf(err) != errs.EffectNone {
		t.Errorf("got %v, effect %v", err, errs.EffectOf(err))
	}

	// The plan: choose a current slot, then retry with the same operationId.
	type slots struct {
		Slots []Booking `json:"slots"`
	}
	free, err := client.Call[struct{}, slots](ctx, tools, e.Plan().Steps()[0].Tool(), struct{}{})
	if err != nil || len(free.Output.Slots) == 0 {
		t.Fatalf("got %+v, %v", free, err)
	}
	input.SlotID = free.Output.Slots[0].SlotID
	booked, err := client.Call[BookSlot, Booking](ctx, tools, "book_slot", input)
	if err != nil || booked.Output != free.Output.Slots[0] || booked.Replayed || !booked.Verified {
		t.Fatalf("got %+v, %v", booked, err)
	}
	for name, option := range map[string]client.CallOption{
		"a new key": nil, "no key": client.WithoutOperationKey(), "a key": client.WithOperationKey("another"),
	} {
		again, err := client.Call[BookSlot, Booking](ctx, tools, "book_slot", input, option)
		if err != nil || !again.Replayed || again.OperationID != booked.OperationID || again.Output != booked.Output {
			t.Errorf("%s: got %+v, %v; want the stored result of the first", name, again, err)
		}
	}
}
