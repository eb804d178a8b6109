// Clientafter calls the shop with what was generated after an error was added to it.
package main

import (
	"context"
	"errors"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/internal/evolve/after/afterv1"
	"github.com/remedyrpc/remedy/internal/evolve/seen"
)

func main() { seen.Main(calls) }

func calls(conn *grpc.ClientConn) (seen.Calls, error) {
	ctx, cancel := context.WithTimeout(context.Background(), seen.Wait)
	defer cancel()
	all := make(seen.Calls)
	for _, slot := range []string{seen.Stale, seen.Gone} {
		undeclared := 0
		shop := afterv1.NewTypedShopClient(conn, contract.WithUndeclared(func(context.Context, contract.Undeclared) { undeclared++ }))
		in := &afterv1.BookSlotRequest{SlotId: slot, OperationKey: "key_1"}
		_, err := shop.BookSlot(ctx, in)
		if err == nil {
			return nil, errors.New("booked")
		}
		all["book "+slot] = of(err, undeclared)
		all["watch "+slot] = of(watch(ctx, shop, in), undeclared)
	}
	return all, nil
}

// watch returns what ends the stream.
func watch(ctx context.Context, shop afterv1.ShopClient, in *afterv1.BookSlotRequest) error {
	stream, err := shop.WatchSlots(ctx, in)
	for err == nil {
		_, err = stream.Recv()
	}
	return err
}

func of(err error, undeclared int) seen.Error {
	e := seen.Of(err)
	e.Undeclared = undeclared
	if gone, ok := errors.AsType[*afterv1.SlotGoneError](err); ok {
		e.SlotID, e.Number = gone.GetSlotId(), gone.GetGoneAt()
	}
	if stale, ok := errors.AsType[*afterv1.SlotStaleError](err); ok {
		e.SlotID, e.Number = stale.GetSlotId(), int64(stale.GetSeatsLeft())
	}
	return e
}
