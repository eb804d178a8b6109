// Clientbefore calls the shop with what was generated before an error was added to it.
package main

import (
	"context"
	"errors"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/internal/evolve/before/beforev1"
	"github.com/remedyrpc/remedy/internal/evolve/seen"
)

func main() { seen.Main(calls) }

func calls(conn *grpc.ClientConn) (seen.Calls, error) {
	ctx, cancel := context.WithTimeout(context.Background(), seen.Wait)
	defer cancel()
	all := make(seen.Calls)
	for _, slot := range []string{seen.Stale, seen.Gone} {
		undeclared := 0
		shop := beforev1.NewTypedShopClient(conn, contract.WithUndeclared(func(context.Context, contract.Undeclared) { undeclared++ }))
		in := &beforev1.BookSlotRequest{SlotId: slot, OperationKey: "key_1"}
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
func watch(ctx context.Context, shop beforev1.ShopClient, in *beforev1.BookSlotRequest) error {
	stream, err := shop.WatchSlots(ctx, in)
	for err == nil {
		_, err = stream.Recv()
	}
	return err
}

func of(err error, undeclared int) seen.Error {
	e := seen.Of(err)
	e.Undeclared = undeclared
	if gone, ok := errors.AsType[*beforev1.SlotGoneError](err); ok {
		e.SlotID = gone.GetSlotId()
	}
	return e
}
