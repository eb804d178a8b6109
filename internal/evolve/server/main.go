// Server serves the shop as it is generated after an error was added. It prints its address, and serves until it is killed.
package main

import (
	"context"
	"fmt"
	"net"
	"os"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/internal/evolve/after/afterv1"
	"github.com/remedyrpc/remedy/internal/evolve/seen"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	options, err := interceptors.ServerOptions()
	if err != nil {
		return fmt.Errorf("options: %w", err)
	}
	server := grpc.NewServer(options...)
	afterv1.RegisterShopServer(server, shop{})
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	if _, err := fmt.Fprintln(os.Stdout, listener.Addr()); err != nil {
		return fmt.Errorf("saying the address: %w", err)
	}
	return server.Serve(listener)
}

type shop struct {
	afterv1.UnimplementedShopServer
}

func (shop) BookSlot(_ context.Context, in *afterv1.BookSlotRequest) (*afterv1.BookSlotResponse, error) {
	if err := raised(in.GetSlotId()); err != nil {
		return nil, err
	}
	return &afterv1.BookSlotResponse{SlotId: in.GetSlotId()}, nil
}

func (shop) WatchSlots(in *afterv1.BookSlotRequest, stream grpc.ServerStreamingServer[afterv1.BookSlotResponse]) error {
	if err := stream.Send(&afterv1.BookSlotResponse{SlotId: in.GetSlotId()}); err != nil {
		return err
	}
	return raised(in.GetSlotId())
}

func raised(slot string) error {
	switch slot {
	case seen.Stale:
		return afterv1.NewSlotStale(&afterv1.SlotStale{SlotId: slot, SeatsLeft: 3})
	case seen.Gone:
		return afterv1.NewSlotGone(&afterv1.SlotGone{SlotId: slot, GoneAt: 1_800_000_000})
	default:
		return nil
	}
}
