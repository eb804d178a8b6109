// Shop serves the sample service on a loopback port, books a slot that is gone, and does what the error says.
package main

import (
	"context"
	"errors"
	"fmt"
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

// book is a caller in another process: it knows the error by its type and follows the plan. It returns what it has to tell.
func book(ctx context.Context, conn grpc.ClientConnInterface, slot string) (string, error) {
	client := shopv1.NewTypedShopServiceClient(conn)
	request := &shopv1.BookSlotRequest{SlotId: slot, OperationKey: "order-17"}
	said := ""
	booked, err := client.BookSlot(ctx, request)
	if stale, ok := errors.AsType[*shopv1.SlotStaleError](err); ok {
		said = fmt.Sprintln(stale) + fmt.Sprintln(stale.GetSlotId(), stale.RetryPolicy(), stale.Plan().Steps()[0].Tool())
		slots, listErr := client.ListAvailableSlots(ctx, &shopv1.ListAvailableSlotsRequest{})
		if listErr != nil {
			return said, fmt.Errorf("listing slots: %w", listErr)
		}
		request.SlotId = slots.GetSlotIds()[0] // the plan says to replace the slot and to keep the key
		booked, err = client.BookSlot(ctx, request)
	}
	switch {
	case errors.Is(err, errs.CodeOutcomeUnknown):
		return said, fmt.Errorf("it may have been booked, never book it again under another key: %w", err)
	case err != nil:
		return said, fmt.Errorf("booking: %w", err)
	}
	return said + fmt.Sprintln("booked", request.GetSlotId(), "as", booked.GetBookingId()), nil
}

func run(ctx context.Context) (string, error) {
	options, err := interceptors.ServerOptions()
	if err != nil {
		return "", fmt.Errorf("making the server: %w", err)
	}
	server := grpc.NewServer(options...)
	shopv1.RegisterShopServiceServer(server, shop{})
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listening: %w", err)
	}
	defer server.Stop()
	go func() { _ = server.Serve(listener) }() // ends with Stop

	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return "", fmt.Errorf("making the client: %w", err)
	}
	defer func() { _ = conn.Close() }()
	return book(ctx, conn, "monday")
}

func main() {
	said, err := run(context.Background())
	_, _ = os.Stdout.WriteString(said)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
