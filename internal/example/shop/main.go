// Shop serves the sample service on a loopback port, books a slot that is gone, and does what the error says.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	shopv1 "github.com/remedyrpc/remedy/internal/example/shop/gen/shop/v1"
)

// shop is the service. It returns the errors that its proto declares, like any other error.
type shop struct {
	shopv1.UnimplementedShopServiceServer
}

func (shop) BookSlot(_ context.Context, request *shopv1.BookSlotRequest) (*shopv1.BookSlotResponse, error) {
	if request.GetSlotId() != "tuesday" {
		return nil, shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: request.GetSlotId()})
	}
	return &shopv1.BookSlotResponse{BookingId: "booking-1"}, nil
}

func (shop) ListAvailableSlots(
	context.Context, *shopv1.ListAvailableSlotsRequest,
) (*shopv1.ListAvailableSlotsResponse, error) {
	return &shopv1.ListAvailableSlotsResponse{SlotIds: []string{"tuesday"}}, nil
}

// book is a caller in another process: it knows the error by its type and follows the plan.
func book(ctx context.Context, out io.Writer, conn grpc.ClientConnInterface, slot string) error {
	client := shopv1.NewTypedShopServiceClient(conn)
	request := &shopv1.BookSlotRequest{SlotId: slot, OperationKey: "order-17"}
	booked, err := client.BookSlot(ctx, request)
	if stale, ok := errors.AsType[*shopv1.SlotStaleError](err); ok {
		fmt.Fprintln(out, stale)
		fmt.Fprintln(out, stale.GetSlotId(), stale.RetryPolicy(), stale.Plan().Steps()[0].Tool())
		slots, err := client.ListAvailableSlots(ctx, &shopv1.ListAvailableSlotsRequest{})
		if err != nil {
			return fmt.Errorf("listing slots: %w", err)
		}
		request.SlotId = slots.GetSlotIds()[0] // update: slotId; preserve: operationKey
		booked, err = client.BookSlot(ctx, request)
		if err != nil {
			return fmt.Errorf("booking again: %w", err)
		}
	} else if errors.Is(err, errs.CodeOutcomeUnknown) {
		return fmt.Errorf("it may have been booked, never book it again under another key: %w", err)
	} else if err != nil {
		return fmt.Errorf("booking: %w", err)
	}
	fmt.Fprintln(out, "booked", request.GetSlotId(), "as", booked.GetBookingId())
	return nil
}

func run(ctx context.Context, out io.Writer) error {
	options, err := interceptors.ServerOptions()
	if err != nil {
		return fmt.Errorf("making the server: %w", err)
	}
	server := grpc.NewServer(options...)
	shopv1.RegisterShopServiceServer(server, shop{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	defer server.Stop()
	go func() { _ = server.Serve(listener) }() // ends with Stop

	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("making the client: %w", err)
	}
	defer func() { _ = conn.Close() }()
	return book(ctx, out, conn, "monday")
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
